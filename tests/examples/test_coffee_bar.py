"""The coffee bar of examples/coffee: an order is understood with all that was said, and its mistakes are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.domain import Domain, load_domain
from sayso.domain.sentences import sentences
from sayso.errors import DomainError
from sayso.intent.listed_values import listed_values, with_listed_values
from sayso.paths import project_root
from sayso.types import Clause, Role

FILE = project_root() / "examples" / "coffee" / "coffee.yaml"
ORDER = "get me a medium medium roast 8 ounce latte with a lot of soy milk and sugar"


@pytest.fixture(scope="module")
def bar() -> Domain:
    return load_domain(FILE)


def test_every_value_of_a_role_is_said(bar: Domain) -> None:
    said = " | ".join(sentence.text for sentence in sentences(bar, 40))
    for role in bar.intents["order"].roles.values():
        assert all(value in said for value in role.values)


def test_the_article_suits_the_value(bar: Domain) -> None:
    texts = [sentence.text for sentence in sentences(bar, 20) if sentence.text.endswith(" americano")]
    assert any(" an americano" in text for text in texts)
    assert not any(" a americano" in text or " an small" in text for text in texts)
    for sentence in sentences(bar, 5):
        assert all(sentence.text[slot.start : slot.end] == slot.text for slot in sentence.slots)


def test_the_longest_value_wins_and_a_role_takes_its_first(bar: Domain) -> None:
    found = {role.name: role.text for role in listed_values(bar.intents["order"], ORDER, 0, len(ORDER))}
    assert found == {"size": "medium", "roast": "medium roast", "drink": "latte", "milk": "a lot of soy milk", "sugar": "sugar"}


def test_a_clause_reaches_to_the_next_one(bar: Domain) -> None:
    text = "a latte with milk then a mocha"
    intents = [Clause(text[start:end], start, end, "order", [], (), 0.0, left_over=("latte",)) for start, end in ((0, 7), (18, 30))]
    first, second = with_listed_values(bar, text, intents)
    assert [(role.name, role.text) for role in first.roles] == [("drink", "latte"), ("milk", "milk")]
    assert [(role.name, role.text, role.start) for role in second.roles] == [("drink", "mocha", 25)]
    assert first.left_over == ()


def test_nothing_said_has_no_values(bar: Domain) -> None:
    assert with_listed_values(bar, "", []) == []


def test_intents_without_values_keep_their_roles() -> None:
    role = Role("theme", "the cup", 9, 16)
    clause = Clause("bring me the cup", 0, 16, "bring", [], (role,), 0.0)
    assert with_listed_values(load_domain(), "bring me the cup", [clause]) == [clause]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("size: {kinds: [words], values", "size: {kinds: [object], values", "only a role of `kinds: [words]` can list values"),
        ("- brew a {drink}\n", "- brew a {drinks}\n", "unknown placeholder 'drinks'; did you mean 'drink'?"),
        ("roast: {kinds", "direction: {kinds", "{direction} already stands for something else"),
    ],
)
def test_mistakes_in_values_are_found(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert right in text
    file = tmp_path / "bar.yaml"
    file.write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(DomainError) as error:
        load_domain(file)
    assert message in str(error.value)
