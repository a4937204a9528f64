"""To forbid an act that the robot does not have changes nothing: it makes no rule about another act."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.agenda import Agenda, Now
from sayso.domain import load_domain
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import AgendaKeeper
from sayso.types import Support


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain())


def rules(pipeline: Pipeline, said: str) -> tuple[Understanding, list[str]]:
    """The understanding, and the rules that the agenda keeps after it."""
    understood = pipeline.understand(said)
    agenda = Agenda(pipeline.domain)
    keeper = AgendaKeeper(pipeline.domain, agenda)
    keeper.note(understood.intent_belief)
    keeper(pipeline.select(understood.intent_belief, pipeline.default_context()), Now.at(0.0))
    return understood, [entry.what for entry in keeper.entries(Now.at(0.0))]


@pytest.mark.parametrize(
    "said",
    [
        "don't wake grandma",
        "don't wake up anna",
        "don't disturb ben",
        "never wake the baby",
        "don't wake me",
        "nobody wakes grandma",
        "don't scare anna",
        "never kick the ball",
        "don't disturb the vase",
        "don't break the vase",
        "never slice the bread",
    ],
)
def test_no_rule_is_made_and_nothing_moves(pipeline: Pipeline, said: str) -> None:
    understood, kept = rules(pipeline, said)
    assert (understood.decision, kept) == ("reject", [])
    assert understood.question
    assert "pick up" not in understood.question


def test_says_that_it_does_not_know_how(pipeline: Pipeline) -> None:
    assert pipeline.understand("don't scare anna").question == "I don't know how to scare Anna, so I won't."
    assert pipeline.understand("don't disturb ben").question == "I don't know how to disturb Ben, so I won't."
    assert pipeline.understand("never kick my ball").question == "I don't know how to kick your ball, so I won't."


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("never touch the vase", "not do anything with the vase"),
        ("keep your hands off the vase", "not pick up the vase"),
        ("never go to the bedroom", "not go to the bedroom"),
        ("never approach ben", "not come to Ben"),
        ("never follow ben", "not follow Ben"),
        ("never come into the dining room", "not go to the dining room"),
        ("never barge into the bathroom", "not go to the bathroom"),
        ("don't touch the stove", "not do anything with the stove"),
    ],
)
def test_an_act_that_it_has_is_forbidden(pipeline: Pipeline, said: str, rule: str) -> None:
    understood, kept = rules(pipeline, said)
    assert (understood.decision, kept) == ("defer", [rule])


@pytest.mark.parametrize("said", ["bring me the apple and don't kick the ball", "bring me the apple but don't wake grandma"])
def test_what_is_wanted_beside_it_is_done(pipeline: Pipeline, said: str) -> None:
    understood, kept = rules(pipeline, said)
    assert (understood.decision, [str(action) for action in understood.actions]) == ("execute", ["bring(recipient=operator, theme=apple)"])
    assert kept == []


def test_no_rule_is_made_of_words_that_were_not_understood(pipeline: Pipeline) -> None:
    read = pipeline.understand("never put the cup on the sofa").intent_belief
    clause = replace(read.clauses[0], left_over=("bookshelf",), support=Support(parsed=0.33))
    decided = pipeline.select(replace(read, clauses=(clause,)), pipeline.default_context())
    assert (decided.decision, decided.question) == ("reject", "I didn't understand “bookshelf”.")
    keeper = AgendaKeeper(pipeline.domain, Agenda(pipeline.domain))
    keeper(decided, Now.at(0.0))
    assert not keeper.entries(Now.at(0.0))


@pytest.mark.parametrize(
    ("said", "lost"),
    [
        ("never put the red cup there", "there"),
        ("never give the cup to him", "him"),
        ("never put the cup on the zorb", "the zorb"),
        ("never take the cup from there", "there"),
    ],
)
def test_a_rule_that_would_forbid_more_than_was_said_is_not_made(pipeline: Pipeline, said: str, lost: str) -> None:
    understood, kept = rules(pipeline, said)
    assert (understood.decision, understood.question, kept) == ("reject", f"I don't know what you mean by “{lost}”.", [])


@pytest.mark.parametrize("said", ["don't put the red cup there", "don't follow her", "don't go there"])
def test_of_a_prohibition_for_now_no_more_is_repeated_than_was_understood(pipeline: Pipeline, said: str) -> None:
    understood, kept = rules(pipeline, said)
    assert (understood.decision, understood.question, kept) == ("reject", "All right, I won't.", [])


def test_nothing_and_nobody_are_fillers_that_a_rule_may_have(pipeline: Pipeline) -> None:
    _, kept = rules(pipeline, "never bring anything to ben")
    assert kept == ["not bring something to Ben"]


def test_a_rule_about_one_of_several_things_is_about_each_that_may_be_meant(pipeline: Pipeline) -> None:
    _, kept = rules(pipeline, "never put the cup on the desk")
    assert sorted(kept) == [f"not put the {colour} cup on the desk" for colour in ("blue", "red", "white")]


def test_a_doubtful_sequence_is_one_question(pipeline: Pipeline) -> None:
    read = pipeline.understand("go to the kitchen and bring me the red cup").intent_belief
    doubtful = tuple(replace(clause, support=Support(parsed=0.5, agreed=False)) for clause in read.clauses)
    decided = pipeline.select(replace(read, clauses=doubtful), pipeline.default_context())
    assert (decided.decision, len(decided.options)) == ("confirm", 2)
    assert decided.question == "Shall I go to the kitchen and bring the red cup to you?"
