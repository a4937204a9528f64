"""Amounts have a dimension: a time is no distance and no angle. The robot asks for the amount that it needs, and takes the answer."""

from __future__ import annotations

import math

import pytest

from sayso.domain import load_domain
from sayso.pipeline import Pipeline


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain())


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("move forward 2 minutes", "How far should I move forward?"),
        ("drive forward for ten seconds", "How far should I move forward?"),
        ("move forward for a minute", "How far should I move forward?"),
        ("go back 10 seconds", "How far should I move backward?"),
        ("roll backwards for half a minute", "How far should I move backward?"),
        ("turn left for five seconds", "How far should I turn left?"),
        ("turn right for two hours", "How far should I turn right?"),
        ("turn left 2 metres", "How far should I turn left?"),
        ("wait 2 metres", "How long should I wait?"),
        ("wait 90 degrees", "How long should I wait?"),
    ],
)
def test_an_amount_of_another_dimension_is_asked_for(pipeline: Pipeline, said: str, question: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, understood.question) == ("ask", question)


@pytest.mark.parametrize("said", ["drive straight on for an hour", "spin for 20 seconds", "turn around for ten seconds"])
def test_no_time_sets_the_robot_moving(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision != "execute"


@pytest.mark.parametrize(
    ("said", "extent"),
    [
        ("move forward two metres", 2.0),
        ("move forward for 2 metres", 2.0),
        ("back up three steps", 1.5),
        ("drive forward ten", 10.0),
        ("move forward", 0.5),
        ("turn right 90 degrees", math.pi / 2),
        ("turn right 90", math.pi / 2),
        ("turn left", math.pi / 2),
        ("wait ten seconds", 10.0),
        ("wait for ten seconds", 10.0),
        ("wait for a minute", 60.0),
        ("wait 2 minutes", 120.0),
    ],
)
def test_an_amount_of_the_right_dimension_is_taken(pipeline: Pipeline, said: str, extent: float) -> None:
    understood = pipeline.understand(said)
    assert understood.decision == "execute"
    assert float(understood.actions[0].argument("extent")) == pytest.approx(extent, rel=1e-4)


def test_waiting_within_a_chain_lasts_as_long_as_was_said(pipeline: Pipeline) -> None:
    understood = pipeline.understand("go to the hallway, wait there for a minute and come back")
    assert [str(action) for action in understood.actions][1] == "wait(extent=60)"


@pytest.mark.parametrize(
    ("said", "told", "action"),
    [
        ("move forward for ten seconds", "two metres", "move(direction=forward, extent=2)"),
        ("move forward 2 minutes", "half a metre please", "move(direction=forward, extent=0.5)"),
        ("go back 10 seconds", "3", "move(direction=backward, extent=3)"),
        ("turn left for five seconds", "about 90 degrees", "turn(direction=left, extent=1.5708)"),
        ("turn left for five seconds", "all the way around", "turn(direction=left, extent=6.28319)"),
        ("wait 2 metres", "ten seconds", "wait(extent=10)"),
    ],
)
def test_the_answer_is_the_amount(pipeline: Pipeline, said: str, told: str, action: str) -> None:
    answered = pipeline.answer(pipeline.understand(said), told)
    assert answered is not None
    assert (answered.decision, [str(each) for each in answered.actions]) == ("execute", [action])


@pytest.mark.parametrize("told", ["ten seconds", "the red cup", "two metres in the kitchen with ben"])
def test_anything_else_is_no_answer(pipeline: Pipeline, told: str) -> None:
    assert pipeline.answer(pipeline.understand("move forward 2 minutes"), told) is None
