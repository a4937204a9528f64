"""Which of two readings of a sentence is acted on, and what is said to support it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sayso.intent.hearings import TextReading, meaning
from sayso.intent.reconcile import BOTH, CLEARLY, LEAST, SURE, TALK, ParsedMeaning, reconciled, sure
from sayso.representation import Modifiers
from sayso.types import Clause, Role, Support

P = np.array([0.98, 0.01, 0.01])


def clause(intent: str, entity: str = "kitchen", mood: str = "request", note: str = "", out_of_scope: float = -5.0) -> Clause:
    role = Role("goal", entity, 0, 4, entity, "place", 1.0, ((entity, 1.0),))
    return Clause("text", 0, 4, intent, P, (role,), out_of_scope, modifiers=Modifiers(mood=mood, note=note))  # type: ignore[arg-type]


GO, BRING = (clause("go_to"),), (clause("bring"),)


def chosen(ruled: tuple[Clause, ...], *parsed: ParsedMeaning) -> tuple[tuple[str, ...], Support]:
    found = reconciled(TextReading("text", ruled), "words", {meaning(each.clauses): each for each in parsed})
    return tuple(each.intent for each in found.clauses), found.clauses[0].support


def test_where_both_mean_the_same_the_mass_of_that_meaning_supports_it() -> None:
    assert chosen(GO, ParsedMeaning(GO, 0.7), ParsedMeaning(BRING, 0.2)) == (("go_to",), Support(0.7, agreed=True))


def test_the_likelier_reading_is_acted_on() -> None:
    assert chosen(GO, ParsedMeaning(BRING, 0.9)) == (("bring",), Support(0.9, agreed=False))
    odd = (replace(GO[0], left_over=("florp",)),)
    assert chosen(odd, ParsedMeaning(BRING, LEAST - 0.01)) == (("go_to",), Support(0.0, agreed=False))


def test_a_meaning_that_both_read_is_likelier_than_the_parser_alone_finds_it() -> None:
    odd = (replace(GO[0], left_over=("florp",)),)
    assert chosen(odd, ParsedMeaning(BRING, 0.6), ParsedMeaning(odd, 0.61 / BOTH)) == (("go_to",), Support(0.61 / BOTH, agreed=True))
    assert chosen(odd, ParsedMeaning(BRING, 0.6), ParsedMeaning(odd, 0.59 / BOTH)) == (("bring",), Support(0.6, agreed=False))


def test_a_reading_of_the_rules_that_leaves_a_word_over_is_replaced_sooner_than_a_clear_one() -> None:
    probable = ParsedMeaning(BRING, CLEARLY - 0.1)
    assert chosen(GO, probable) == (("go_to",), Support(0.0, agreed=False))
    assert chosen((replace(GO[0], left_over=("florp",)),), probable) == (("bring",), Support(CLEARLY - 0.1, agreed=False))


def test_what_is_surely_talk_is_not_meant_for_the_robot_but_a_stop_always_is() -> None:
    talk = ParsedMeaning((), TALK)
    (heard,) = reconciled(TextReading("text", GO), "words", {(): talk}).clauses
    assert heard.out_of_scope > 0.0
    (doubted,) = reconciled(TextReading("text", GO), "words", {(): replace(talk, p=TALK - 0.1)}).clauses
    assert (doubted.out_of_scope < 0.0, doubted.support) == (True, Support(0.0, agreed=False))
    (stop,) = reconciled(TextReading("text", (clause("stop"),)), "words", {(): talk}).clauses
    assert stop.out_of_scope < 0.0


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


def test_the_rules_are_asked_only_where_the_parser_is_not_sure() -> None:
    def read(*parsed: ParsedMeaning) -> bool:
        return sure("words", {meaning(each.clauses): each for each in parsed}) is not None

    assert read(ParsedMeaning(GO, SURE))
    assert not read(ParsedMeaning(GO, SURE - 0.01))
    assert not read(ParsedMeaning((), 0.99))
    assert not read(ParsedMeaning(GO, SURE), ParsedMeaning((clause("stop"),), 0.01)), "a stop is never lost"
    assert not read(ParsedMeaning((clause("go_to", mood="unable"),), 0.99))


def test_an_act_that_the_robot_lacks_is_refused_and_not_taken_for_talk_if_something_was_surely_asked_for() -> None:
    unable = ParsedMeaning((clause("go_to", mood="unable"),), 0.95)
    (heard,) = reconciled(TextReading("text", (clause("bring", out_of_scope=2.0),)), "words", {meaning(unable.clauses): unable}).clauses
    assert heard.out_of_scope < 0.0
