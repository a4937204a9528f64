"""Stages are shown in the order of the pipeline, in whatever order they arrive, and none is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.types import ActionBelief, Grounding, IntentBelief, Outcome, PlanState, Transcript
from sayso_nodes.commands.stage_order import PATIENCE, SETTLING, StageOrder

HEARD, UNDERSTOOD = Transcript("u", 1.0, (), 1.0), IntentBelief("u", 1.0, "go", (), ())
DECIDED, REFUSED = ActionBelief("u", 1.0, (), "execute", ""), ActionBelief("u", 1.0, (), "reject", "")
ASKED = ActionBelief("u", 1.0, (), "ask", "", "Which cup?")
RUNNING, ARRIVED = PlanState("u", 1.0, "go", "running"), PlanState("u", 1.0, "go", "succeeded")
OUTCOME = Outcome("u", 2.0, succeeded=True, action="go")


def names(stages: list[Any]) -> list[str]:
    return [type(stage).__name__ for stage in stages]


def shown(order: StageOrder, *arriving: Any) -> list[str]:
    """What is released at once, and when the outcome has settled."""
    released = []
    for stage in arriving:
        order.add(stage, 0.0)
        released += order.release(0.0)
    return names([*released, *order.release(SETTLING)])


@given(st.permutations([HEARD, UNDERSTOOD, DECIDED, RUNNING, OUTCOME]))
def test_every_order_of_arrival_gives_the_order_of_the_stages(arriving: list[Any]) -> None:
    # Of one topic the order is kept: the end of the plan comes after its beginning.
    at = arriving.index(RUNNING) + 1
    expected = ["Transcript", "IntentBelief", "ActionBelief", "PlanState", "PlanState", "Outcome"]
    assert shown(StageOrder(), *arriving[:at], ARRIVED, *arriving[at:]) == expected


@given(st.permutations([HEARD, UNDERSTOOD, REFUSED, OUTCOME]))
def test_a_refusal_has_no_plan_to_wait_for(arriving: list[Any]) -> None:
    assert shown(StageOrder(), *arriving) == ["Transcript", "IntentBelief", "ActionBelief", "Outcome"]


def test_after_a_look_the_outcome_waits_for_the_second_plan() -> None:
    order = StageOrder()
    look = [HEARD, UNDERSTOOD, DECIDED, RUNNING, ARRIVED]
    assert shown(order, *look, DECIDED, OUTCOME) == names([*look, DECIDED])
    order.add(ARRIVED, SETTLING)
    assert names(order.release(2 * SETTLING)) == ["PlanState", "Outcome"]


def test_a_grounding_under_way_comes_before_the_outcome() -> None:
    order = StageOrder()
    seen = Grounding("u", 1.5, "cup", "the cup", np.ones((1, 1)), 0.0, 1.0, found=True)
    assert shown(order, HEARD, UNDERSTOOD, DECIDED, RUNNING, ARRIVED, OUTCOME, seen)[-2:] == ["Grounding", "Outcome"]


def test_the_plan_waits_for_the_decision_after_the_answer() -> None:
    order = StageOrder()
    assert shown(order, HEARD, UNDERSTOOD, ASKED, RUNNING) == ["Transcript", "IntentBelief", "ActionBelief"]
    assert shown(order, DECIDED) == ["ActionBelief", "PlanState"]


def test_an_answered_question_begins_with_its_decision() -> None:
    order = StageOrder()
    order.begin("u", ActionBelief)
    assert shown(order, DECIDED, RUNNING) == ["ActionBelief", "PlanState"]


@pytest.mark.parametrize("missing", [HEARD, UNDERSTOOD, DECIDED, ARRIVED], ids=lambda stage: type(stage).__name__)
def test_what_was_lost_delays_the_others_and_loses_none(missing: Any) -> None:
    order = StageOrder()
    arriving = [stage for stage in (HEARD, UNDERSTOOD, DECIDED, ARRIVED, OUTCOME) if stage is not missing]
    at_once = shown(order, *arriving)
    assert at_once + names(order.release(PATIENCE)) == names(arriving)
    order.add(missing, PATIENCE)
    assert names(order.release(2 * PATIENCE)) == names([missing])


def test_utterances_do_not_wait_for_each_other() -> None:
    order = StageOrder()
    other = Transcript("other", 1.0, (), 1.0)
    assert shown(order, UNDERSTOOD, other) == ["Transcript"]
    assert shown(order, HEARD) == ["Transcript", "IntentBelief"]
