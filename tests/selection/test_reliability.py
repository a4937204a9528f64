"""P(the words were understood): what left no trace lowers it, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.intent import IntentClassifier
from sayso.representation import Modifiers
from sayso.selection.choosing.evidence import Doubt, doubt_about
from sayso.selection.choosing.reliability import Reliability
from sayso.training.intents.evaluation import transcript_of
from sayso.types import Clause, IntentBelief, Role, Support

DOMAIN = load_domain()
MODEL = Reliability.shipped()
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
    return MODEL(doubt_about(DOMAIN, belief(*args, **kwargs), 0))  # type: ignore[arg-type]


def test_a_clause_that_is_fully_explained_is_nearly_certain() -> None:
    assert understood("bring me the red cup", CUP) > 0.97
    assert doubt_about(DOMAIN, belief("bring me the red cup", named("theme", "the red cup", "red_cup", 0.95)), 0) == Doubt()


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


def test_plain_commands_of_the_trained_classifier_carry_no_evidence() -> None:
    classify = IntentClassifier(DOMAIN)
    for text in ("bring me the red cup", "put the vase on the desk", "turn left twice", "go to the kitchen and then come back to me"):
        heard = classify(transcript_of(text))
        found = [doubt_about(DOMAIN, heard, index) for index in range(len(heard.clauses))]
        assert [replace(doubt, support=Support(), several=False) for doubt in found] == [Doubt()] * len(heard.clauses)
        assert not any(doubt.unexplained for doubt in found)
