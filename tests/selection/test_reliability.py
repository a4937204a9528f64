"""P(the words were understood): what left no trace lowers it, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.intent import IntentClassifier
from sayso.representation import Modifiers
from sayso.selection import ActionSelector
from sayso.selection.evidence import Doubt, EvidenceReader
from sayso.selection.reliability import Reliability
from sayso.training.intents.evaluation import transcript_of
from sayso.types import Clause, Context, IntentBelief, Role, Support

DOMAIN = load_domain()
MODEL = Reliability.shipped()
READ = EvidenceReader(DOMAIN)
WORDS = st.lists(st.text("abc", min_size=1, max_size=3), max_size=6).map(tuple)


def belief(text: str, *roles: Role, left_over: tuple[str, ...] = (), mood: str = "request", intent: str = "bring") -> IntentBelief:
    """One clause, whose roles have their places in the text."""
    placed = tuple(
        Role(role.name, role.text, text.index(role.text), text.index(role.text) + len(role.text), role.entity, role.kind, role.score)
        for role in roles
    )
    clause = Clause(text, 0, len(text), intent, np.ones(1), placed, -5.0, False, Modifiers(mood), left_over)
    return IntentBelief("u", 0.0, text, (intent,), (clause,))


def named(name: str, text: str, entity: str, score: float = 1.0, kind: str = "object") -> Role:
    return Role(name, text, 0, 0, entity, kind, score)


CUP = named("theme", "the red cup", "red_cup")
DESK = named("goal", "the desk", "desk", kind="place")


def understood(*args: object, **kwargs: object) -> float:
    return MODEL(READ(belief(*args, **kwargs), 0))  # type: ignore[arg-type]


def test_a_clause_that_is_fully_explained_is_nearly_certain() -> None:
    assert understood("bring me the red cup", CUP) > 0.97
    assert READ(belief("bring me the red cup", named("theme", "the red cup", "red_cup", 0.95)), 0) == Doubt()


@given(WORDS, st.text("xyz", min_size=1, max_size=3))
def test_a_further_unexplained_word_never_raises_the_probability(words: tuple[str, ...], more: str) -> None:
    assert understood("bring me the red cup", CUP, left_over=(*words, more)) <= understood("bring me the red cup", CUP, left_over=words)


@given(st.floats(0.5, 1.0), st.floats(0.5, 1.0))
def test_a_worse_name_never_raises_the_probability(one: float, other: float) -> None:
    worse, better = (named("theme", "the red cup", "red_cup", score) for score in sorted((one, other)))
    assert understood("bring me the red cup", worse) <= understood("bring me the red cup", better)


def test_a_hint_deserves_a_question() -> None:
    assert understood("the red cup would be nice", CUP, mood="hint") < 0.95


def test_an_unknown_word_that_makes_another_thing_is_no_better_than_an_aside() -> None:
    assert (
        understood("bring the red cup", CUP, left_over=("bottle",)) <= understood("bring the red cup", CUP, left_over=("whistling",)) < 0.95
    )


def test_a_reading_that_the_other_reader_does_not_share_is_less_sure() -> None:
    agreed, parsed, ruled = (MODEL(Doubt(support=each)) for each in (Support(), Support(0.95, agreed=False), Support(0.1, agreed=False)))
    assert agreed > parsed > ruled


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bring me the red cup but only if it is on the shelf", ("shelf",)),
        ("everything on the kitchen table , bring the red cup", ("kitchen", "table")),
        ("should there be no milk bring me the red cup", ("milk",)),
        ("bring the red cup and not the laptop", ("laptop",)),
    ],
)
def test_things_that_left_no_trace_are_doubted_and_named(text: str, words: tuple[str, ...]) -> None:
    doubt = READ(belief(text, CUP), 0)
    assert doubt.dropped == words
    assert MODEL(doubt) < 0.95


@pytest.mark.parametrize(
    "text",
    [
        "bring me the red cup if you can",
        "see if you can bring me the red cup",
        "bring me the red cup if possible",
        "would you bring me the red cup never mind the rest",
        "bring me the red cup's what i said",
    ],
)
def test_polite_words_are_no_evidence(text: str) -> None:
    assert READ(belief(text, CUP), 0) == Doubt()


def test_a_second_direction_is_doubted() -> None:
    forward = Role("direction", "forward", 0, 0, "forward", "direction", 1.0)
    assert READ(belief("go 2 meters forward backwards", forward, intent="move"), 0).dropped == ("backwards",)
    assert READ(belief("go forward right now", forward, intent="move"), 0) == Doubt()


def test_a_question_names_the_thing_of_which_nothing_was_understood() -> None:
    """The words are the classifier's to read; a thing of the home that it misses must not be passed over in silence."""
    said = belief("bring me the red cup lest the table collapses", named("theme", "the red cup", "red_cup"))
    clause = said.clauses[0]
    intents = tuple(DOMAIN.intents)
    p = np.array([0.999 if name == "bring" else 0.001 / (len(intents) - 1) for name in intents])
    cup = Role("theme", "the red cup", 9, 20, "red_cup", "object", 1.0, (("red_cup", 1.0),))
    whole = IntentBelief("u", 0.0, said.text, intents, (Clause(said.text, 0, clause.end, "bring", p, (cup,), -5.0),))
    found = ActionSelector(DOMAIN)(whole, Context())
    assert found.decision == "confirm"
    assert "“table”" in found.question


def test_plain_commands_of_the_trained_classifier_carry_no_evidence() -> None:
    classify = IntentClassifier(DOMAIN)
    for text in ("bring me the red cup", "put the vase on the desk", "turn left twice", "go to the kitchen and then come back to me"):
        heard = classify(transcript_of(text))
        found = [READ(heard, index) for index in range(len(heard.clauses))]
        assert [replace(doubt, support=Support(), several=False) for doubt in found] == [Doubt()] * len(heard.clauses)
        assert not any(doubt.unexplained for doubt in found)
