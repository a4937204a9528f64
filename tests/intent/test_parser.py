"""The parser of models/parser.onnx."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.errors import ModelError
from sayso.intent.parser.complete import complete
from sayso.intent.parser.parser import MOST_WORDS, StructureParser
from sayso.intent.parser.tree import ParsedSentence, SpanNode, nesting, tree_of

ONE = "bring me the red cup from the kitchen"


@pytest.fixture(scope="module")
def parse() -> StructureParser:
    return StructureParser()


@pytest.mark.parametrize(
    ("text", "intents"),
    [
        (ONE, ["bring"]),
        ("go to the kitchen and bring me the unicorn", ["go_to", "bring"]),
        ("slice the bread", ["other"]),
        ("turn right and walk up to the dresser", ["turn", "go_to"]),
    ],
)
def test_the_acts_of_a_sentence_are_found(parse: StructureParser, text: str, intents: list[str]) -> None:
    best, *_ = parse(text)
    assert [node.value for node in best.all(lambda node: node.label == "act")] == intents


def test_readings_have_probabilities_the_likeliest_first(parse: StructureParser) -> None:
    readings = parse("put the glass next to the plate on the dining table")
    p = [each.p for each in readings]
    assert p == sorted(p, reverse=True)
    assert 0.0 < sum(p) <= 1.0 + 1e-6


def test_the_same_words_are_read_the_same_each_time(parse: StructureParser) -> None:
    assert parse(ONE) == parse(ONE)


@pytest.mark.parametrize("text", ["", " ", " ".join(["go"] * (MOST_WORDS + 1))])
def test_no_words_and_too_many_have_no_reading(parse: StructureParser, text: str) -> None:
    assert parse(text) == ()


def test_a_parser_cut_short_is_a_model_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sayso.models import model_path

    cut = tmp_path / "parser.onnx"
    cut.write_bytes(model_path("parser.onnx").read_bytes()[:-1000])
    monkeypatch.setattr("sayso.intent.parser.parser.model_path", lambda name: cut if name == "parser.onnx" else model_path(name))
    with pytest.raises(ModelError, match="restore it"):
        StructureParser()


def test_a_parser_of_another_encoder_is_a_model_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso.intent.parser.parser.sha256_once", lambda _: "of another file")
    with pytest.raises(ModelError, match="not made for this encoder"):
        StructureParser()


def test_a_reading_is_shown_as_it_would_be_marked() -> None:
    structure = {(0, 2): "act", (1, 2): "theme"}
    assert str(ParsedSentence(("take", "the", "cup"), tree_of(structure, {(0, 2): "pick_up"}), 1.0)) == "[pick_up take [theme the cup]]"


def test_a_structure_that_lacks_a_part_of_the_likeliest_one_does_not_count() -> None:
    words = ("bring", "me", "the", "cup", "now")
    roles = (SpanNode("recipient", 1, 1), SpanNode("theme", 2, 3))
    whole, other, less = (
        ParsedSentence(words, (SpanNode("act", 0, 3, "bring", parts), *more), p)
        for parts, more, p in ((roles, (SpanNode("time", 4, 4),), 0.6), ((roles[0],), (SpanNode("aside", 2, 4),), 0.2), (roles, (), 0.1))
    )
    found = complete([whole, other, less])
    assert [each.nodes for each in found] == [whole.nodes, other.nodes]
    assert [each.p for each in found] == pytest.approx([0.6 / 0.9, 0.2 / 0.9])
    assert complete([]) == ()


def test_a_list_in_which_one_thing_has_lost_its_mark_does_not_count() -> None:
    words = ("the", "cup", "and", "the", "plate")
    cup, plate = SpanNode("item", 0, 1), SpanNode("item", 3, 4)
    both, one = (ParsedSentence(words, (SpanNode("theme", 0, 4, children=parts),), p) for parts, p in (((cup, plate), 0.6), ((cup,), 0.3)))
    assert [each.nodes for each in complete([both, one])] == [both.nodes]


@pytest.mark.parametrize("text", ["get me the bread and the milk and um the cereal", "go to the kitchen , no , the study , sorry"])
def test_no_reading_nests_spans_as_nobody_marked_them(text: str) -> None:
    parse = StructureParser()
    readings = parse(text)
    assert len(readings) > 1
    assert all(parse.nested.issuperset(nesting(reading.nodes)) for reading in readings)
    assert sum(reading.p for reading in readings) <= 1.0 + 1e-9
