"""Conditions, limits and negations: what the robot takes up, and that it never passes them over."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline, Understanding


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


def kinds(found: Understanding) -> set[str]:
    return {each.kind for clause in found.clauses for each in clause.modifiers.conditions}


@pytest.mark.parametrize(
    "said",
    [
        "bring me the milk unless",
        "bring me two cups not three",
        "turn to my left",
        "with the milk gone bring me the juice but only whilst",
    ],
)
def test_a_binding_word_that_nothing_takes_up_leads_to_a_question(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision not in ("execute", "defer")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I'd like the coke, but only if it's on the coffee table", "if"),
        ("should there be no bread on the counter bring me the cereal", "if"),
        ("should ben be in the kitchen, take him the beer", "if"),
        ("on condition that the keys are on the shelf bring them", "if"),
        ("take the newspaper to ben but not if he's asleep", "unless"),
        ("bring me the pen as long as anna isn't in the study", "if"),
        ("don't budge until anna calls", "until"),
    ],
)
def test_a_condition_is_kept_in_whatever_words_it_is_said(pipeline: Pipeline, said: str, kind: str) -> None:
    assert kinds(pipeline.understand(said)) == {kind}


@pytest.mark.parametrize("said", ["even if anna is in the kitchen bring me the milk", "bring me the milk whether or not anna is there"])
def test_what_makes_no_difference_is_no_condition(pipeline: Pipeline, said: str) -> None:
    found = pipeline.understand(said)
    assert not kinds(found)
    assert found.decision in ("execute", "confirm")


def test_a_second_statement_in_a_condition_is_doubted(pipeline: Pipeline) -> None:
    assert pipeline.understand("bring me the coke, if there's none left a beer will do").decision == "confirm"


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("keep your paws off anna's phone", "pick_up"),
        ("get your fingers off that vase", "pick_up"),
        ("leave the laptop alone", "pick_up"),
        ("no one touches the vase", "pick_up"),
        ("the study is off limits", "go_to"),
        ("the bedroom's a no-go area", "go_to"),
        ("under no circumstances are you to go into the study", "go_to"),
        ("you are forbidden from entering the bedroom", "go_to"),
        ("anna isn't allowed coke", "give"),
        ("ben can't have any more wine", "pour"),
        ("no more beer for anna, ever", "bring"),
    ],
)
def test_a_ban_is_kept_in_whatever_words_it_is_said(pipeline: Pipeline, said: str, action: str) -> None:
    found = pipeline.understand(said)
    assert found.decision == "defer"
    assert [(each.action.name, clause.negated) for each, clause in zip(found.action_belief.candidates, found.clauses, strict=False)] == [
        (action, True)
    ]


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("first thing every morning bring me the paper", {"every": 86400.0, "at": 28800.0}),
        ("quarter past seven bring me the newspaper", {"at": 26100.0}),
        ("in five minutes anna needs her glasses so bring them to her then", {"in": 300.0}),
    ],
)
def test_a_time_is_kept_in_whatever_words_it_is_said(pipeline: Pipeline, said: str, times: dict[str, float]) -> None:
    found = pipeline.understand(said)
    assert {each.kind: each.seconds for each in found.clauses[-1].modifiers.timings} == times
    assert found.decision in ("defer", "confirm")  # it asks where the parser reads the words otherwise


@pytest.mark.parametrize(
    ("said", "count"), [("twice please turn left", 2), ("turn left another two times", 2), ("4 times now go forward half a metre", 4)]
)
def test_a_repetition_may_stand_anywhere(pipeline: Pipeline, said: str, count: int) -> None:
    assert len(pipeline.understand(said).actions) == count


@pytest.mark.parametrize(
    ("said", "entity"),
    [
        ("put the vase on the desk actually the sideboard would be better", "sideboard"),
        ("take the milk to ben, I mean anna", "anna"),
        ("bring me the beer, oops, I meant the coke", "coke"),
        ("never mind the keys, bring me the phone", "phone"),
    ],
)
def test_a_correction_takes_the_place_of_what_was_said(pipeline: Pipeline, said: str, entity: str) -> None:
    found = pipeline.understand(said)
    assert [entity in dict(action.arguments).values() for action in found.actions] == [True]


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("hey robot where did i put the phone", "where"),
        ("whats lying on the sofa", "what"),
        ("what have we got sitting on the sideboard", "what"),
        ("whatcha up to", "activity"),
        ("wheres anna gone to", "where"),
        ("what sort of chores can you do", "abilities"),
    ],
)
def test_a_question_is_answered_in_whatever_words_it_is_asked(pipeline: Pipeline, said: str, question: str) -> None:
    found = pipeline.understand(said)
    assert (found.clauses[0].modifiers.question, found.decision) == (question, "answer")


def test_opposite_ways_at_once_are_refused(pipeline: Pipeline) -> None:
    assert "at once" in pipeline.understand("drive forwards one metre backwards").question


def test_a_repetition_of_all_that_was_said_is_answered(pipeline: Pipeline) -> None:
    found = pipeline.understand("forward half a metre then back half a metre and do this sequence two times")
    assert found.decision in ("execute", "confirm", "ask")
