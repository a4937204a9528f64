"""Templates become sentences: every name is used, spans are right, and the same seed gives the same sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.domain import Domain, load_domain
from sayso.domain.intents import IntentSpec
from sayso.domain.numbers import number_words
from sayso.domain.sentences import Sentence, chatter, commands, sentences
from sayso.errors import DomainError

DOMAIN = load_domain()


def home_with(*examples: str) -> Domain:
    return DOMAIN.model_copy(update={"intents": {"test": IntentSpec(examples=examples)}})


def texts(*examples: str, number: int = 400) -> set[str]:
    return {sentence.text for sentence in sentences(home_with(*examples), number)}


@examples(4)
@given(seed=st.integers(0, 1000))
def test_every_span_holds_what_it_says(seed: int) -> None:
    def check(sentence: Sentence) -> None:
        assert "{" not in sentence.text
        assert sentence.text == " ".join(sentence.text.split())
        for slot in sentence.slots:
            assert sentence.text[slot.start : slot.end] == slot.text
            assert not slot.entity or DOMAIN.entity(slot.entity) is not None
        for clause in sentence.clauses:
            assert clause.text in sentence.text
            check(clause)

    for sentence in (*sentences(DOMAIN, 2, seed), *commands(DOMAIN, 20, seed), *chatter(DOMAIN, 2, seed)):
        check(sentence)


def test_the_same_seed_gives_the_same_sentences_and_another_one_others() -> None:
    assert list(sentences(DOMAIN, 3, 5)) == list(sentences(DOMAIN, 3, 5)) != list(sentences(DOMAIN, 3, 6))
    assert list(commands(DOMAIN, 9, 5)) == list(commands(DOMAIN, 9, 5)) != list(commands(DOMAIN, 9, 6))


def test_what_a_template_gives_does_not_depend_on_the_others() -> None:
    assert texts("fetch {object}", number=7) <= texts("go to {place}", "fetch {object}", number=7)


def test_every_name_is_said() -> None:
    said = " | ".join(texts("fetch {object}", "go to {place}", "follow {person}"))
    for entities in (DOMAIN.objects, DOMAIN.places):
        for entity in entities.values():
            assert all(name in said for name in entity.names)
    assert {"follow me", "follow anna", "follow grandmother"} <= texts("follow {person}")


def test_articles_and_plurals_are_those_that_people_use() -> None:
    assert any(text.endswith(("the red cup", "a red cup")) for text in texts("fetch {object}"))
    assert texts("fetch a {object}") & {"fetch a red cup"}
    assert not [text for text in texts("take the {object}") if "the the" in text or "the a " in text or "the my" in text]
    assert "how many cups are there" in texts("how many {object} are there")
    assert not [text for text in texts("fetch {object}") if " a apple" in text or " a umbrella" in text]


def test_numbers_suit_their_units() -> None:
    turned = texts("turn {number} degrees")
    assert {"turn ninety degrees", "turn forty five degrees", "turn one hundred eighty degrees"} <= turned
    moved = texts("move {number} meters forward")
    assert "move one meter forward" in moved
    assert "move two meters forward" in moved
    assert "move one meters forward" not in moved


def test_surfaces_are_places_on_which_things_can_be_put() -> None:
    names = {name for place in DOMAIN.places.values() if place.surface for name in place.names}
    assert all(any(name in text for name in names) for text in texts("put it on {surface}"))


def test_a_later_clause_may_say_it_and_there() -> None:
    said = [command.text for command in commands(DOMAIN, 600)]
    assert len(said) == 600
    assert any(" it" in text.split(" and ")[-1] for text in said)
    assert all(len(command.clauses) in (2, 3) for command in commands(DOMAIN, 50))


def test_an_unknown_slot_is_named() -> None:
    with pytest.raises(DomainError, match=r"intents.test.examples: unknown slot '\{thing\}'; known: object"):
        list(sentences(home_with("bring {thing}"), 3))


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "zero"), (7, "seven"), (13, "thirteen"), (20, "twenty"), (45, "forty five"), (100, "one hundred"), (360, "three hundred sixty"),
     (1001, "one thousand one"), (999_999, "nine hundred ninety nine thousand nine hundred ninety nine")],
)  # fmt: skip
def test_numbers_in_words(number: int, words: str) -> None:
    assert number_words(number) == words


@pytest.mark.parametrize("number", [-1, 1_000_000])
def test_numbers_that_people_do_not_say_to_a_robot(number: int) -> None:
    with pytest.raises(ValueError, match="not in 0"):
        number_words(number)
