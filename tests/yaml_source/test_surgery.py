"""A field of a YAML text is replaced, added or removed, and every other character stays."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.errors import DomainError
from sayso.paths import config_dir
from sayso.yaml_source import plain_yaml
from sayso.yaml_source.surgery import comments, drop, in_flow, put

FILE = Path("home.yaml")
TEXT = """# one
a:  # two
  b: {x: 1, y: [p, q]}  # three
  c:
    - 1
    - 2
  # four
  d: 'it''s'   # five

e: {}
f:
  g:
    h: 1  # six
    i: "#7"
# end"""
names = st.sampled_from(["b", "c", "d", "new", "on", "x"])
values = st.recursive(
    st.one_of(
        st.booleans(), st.integers(-1000, 1000), st.text(st.characters(exclude_categories=["C", "Z"]), max_size=8), st.floats(-1e3, 1e3)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.from_regex("[a-z]{1,5}", fullmatch=True), inner, max_size=3)),
    max_leaves=6,
)
steps = st.tuples(st.sampled_from("aefz"), names, st.one_of(st.none(), values))


def kept(text: str) -> Counter[str]:
    return Counter(text[begin:end].rstrip() for begin, end in comments(text))


@examples(60)
@given(st.lists(steps, max_size=8))
def test_any_edits_keep_all_comments_and_mean_what_was_asked_or_are_refused(asked: list[tuple[str, str, Any]]) -> None:
    text = TEXT
    for section, name, value in asked:
        before = plain_yaml(text, FILE)
        try:
            if value is not None:
                text = put(text, (section, name), value, FILE)
            elif name in (before.get(section) or {}):
                text = drop(text, (section, name), FILE)
        except DomainError:
            continue
        after = plain_yaml(text, FILE)
        assert {key: each for key, each in after.items() if key != section} == {key: each for key, each in before.items() if key != section}
        assert (name in after[section]) if value is not None else (name not in (after.get(section) or {}))
        assert not kept(TEXT) - kept(text)


def test_only_the_line_of_the_field_changes() -> None:
    for file in sorted(config_dir().glob("*.yaml")):
        text = file.read_text(encoding="utf-8")
        if "objects" not in (plain_yaml(text, file) or {}):
            continue
        name = next(iter(plain_yaml(text, file)["objects"]))
        changed = put(text, ("objects", name, "care"), 5, file)
        assert sum(a != b for a, b in zip(text.splitlines(), changed.splitlines(), strict=True)) == 1


def test_a_new_section_is_written_one_entry_a_line_with_the_files_line_ends() -> None:
    assert put("a: 1\r\n", ("b", "c"), {"d": [1.5, "no", "x y"]}, FILE) == 'a: 1\r\n\r\nb:\r\n  c: {d: [1.5, "no", x y]}\r\n'


def test_the_last_entry_leaves_an_empty_section() -> None:
    assert drop("a:\n  b: 1  # why\nc: 2\n", ("a", "b"), FILE) == "a: {}\n  # why\nc: 2\n"


def test_a_list_with_a_comment_in_it_is_left_to_a_text_editor() -> None:
    with pytest.raises(DomainError, match="make it in a text editor"):
        put("a:\n  b:\n    - 1  # why\n    - 2\n", ("a", "b"), [2], FILE)


@given(values)
def test_a_value_on_one_line_is_read_as_what_it_was(value: Any) -> None:
    read = plain_yaml(f"a: {in_flow(value)}", FILE)["a"]
    assert in_flow(read) == in_flow(value)
