"""Which of two readings of a sentence is acted on, and what is said to support it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sayso.intent.hearings import TextReading, meaning
from sayso.intent.reconcile import PROBABLE, ParsedMeaning, reconciled
from sayso.representation import Modifiers
from sayso.types import Clause, Role, Support

P = np.array([0.98, 0.01, 0.01])


def clause(intent: str, entity: str = "kitchen", mood: str = "request", note: str = "", out_of_scope: float = -5.0) -> Clause:
    role = Role("goal", entity, 0, 4, entity, "place", 1.0, ((entity, 1.0),))
    return Clause("text", 0, 4, intent, P, (role,), out_of_scope, modifiers=Modifiers(mood=mood, note=note))  # type: ignore[arg-type]


GO, BRING = (clause("go_to"),), (clause("bring"),)


def chosen(ruled: tuple[Clause, ...], *parsed: ParsedMeaning, gist: float = 0.0) -> tuple[tuple[str, ...], Support]:
    found = reconciled(TextReading("text", ruled), "words", {meaning(each.clauses): each for each in parsed}, gist)
    return tuple(each.intent for each in found.clauses), found.clauses[0].support


def test_where_both_mean_the_same_the_mass_of_that_meaning_supports_it() -> None:
    assert chosen(GO, ParsedMeaning(GO, 0.7), ParsedMeaning(BRING, 0.2)) == (("go_to",), Support(0.7, agreed=True))


def test_the_likelier_reading_is_acted_on() -> None:
    assert chosen(GO, ParsedMeaning(BRING, 0.9)) == (("bring",), Support(0.9, agreed=False))
    improbable = PROBABLE - 0.01
    assert chosen(GO, ParsedMeaning(BRING, improbable)) == (("go_to",), Support(0.0, agreed=False))


def test_nothing_replaces_a_reading_that_keeps_the_robot_at_rest() -> None:
    for mood in ("prohibition", "rule", "retracted"):
        assert chosen((clause("go_to", mood=mood),), ParsedMeaning(BRING, 0.99))[0] == ("go_to",)
    assert chosen((replace(GO[0], negated=True),), ParsedMeaning(BRING, 0.99))[0] == ("go_to",)
    assert chosen((clause("stop"),), ParsedMeaning(BRING, 0.99))[0] == ("stop",)
    assert chosen((clause("stop"),), ParsedMeaning((*GO, clause("stop")), 0.99))[0] == ("go_to", "stop")


def test_an_answer_that_the_rules_know_is_given_and_a_question_that_nobody_answers_is_repeated() -> None:
    unanswered = ParsedMeaning((clause("go_to", mood="unable", note="I can't answer “…”."),), 0.95)
    assert chosen((clause("answer", mood="question"),), unanswered)[0] == ("answer",)
    assert chosen((clause("answer", mood="question", out_of_scope=2.0),), unanswered)[0] == ("go_to",)


def test_what_is_not_composed_is_supported_by_structures_that_say_about_the_same() -> None:
    assert chosen(GO, gist=0.8) == (("go_to",), Support(0.8, agreed=True))
