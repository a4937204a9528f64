"""What the robot has no skill for is declined before it moves, and another way is taken where there is one."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.domain.model import ActionSpec, Skill
from sayso.planning import Planner, Task
from sayso.types import Action, Context

VACUUM = Skill(arguments={"goal": "place"}, requires=("robot_at(goal)",), effects=("vacuumed(goal)",), seconds=60)
HOME = load_domain()
DOMAIN = HOME.model_copy(
    update={
        "skills": {**HOME.skills, "vacuum": VACUUM},
        "actions": {**HOME.actions, "vacuum": ActionSpec(goal=("vacuumed(goal)",), say="vacuum {goal}")},
    }
)
BUILT_IN = frozenset(HOME.skills)
GO, BRING = Action("go_to", (("goal", "kitchen"),)), Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
CLEAN = Action("vacuum", (("goal", "bedroom"),))
SOFA = Context(x=2.6, y=2.3, place="living_room")
REASON = "I can't vacuum the bedroom: this robot has no skill 'vacuum'."


def begun(*actions: Action, served: frozenset[str] | None, domain=DOMAIN) -> Task:
    return Task.start(Planner(domain, served), actions, SOFA)


def test_an_action_whose_only_way_needs_a_missing_skill_is_declined_at_once() -> None:
    task = begun(CLEAN, served=BUILT_IN)
    assert (task.status, task.next, task.reason) == ("failed", None, REASON)


def test_a_sentence_is_declined_as_a_whole_before_its_first_action() -> None:
    task = begun(GO, CLEAN, served=BUILT_IN)
    assert (task.status, task.next, task.reason) == ("failed", None, REASON)
    assert task.action == CLEAN


@pytest.mark.parametrize("served", [None, BUILT_IN | {"vacuum"}])
def test_a_robot_with_the_skill_drives_there_and_does_it(served: frozenset[str] | None) -> None:
    assert [call.name for call in begun(CLEAN, served=served).ahead(SOFA)] == ["navigate_to", "vacuum"]


def test_what_needs_no_missing_skill_is_carried_out() -> None:
    assert begun(GO, served=BUILT_IN).status == "running"
    assert begun(BRING, served=BUILT_IN).ahead(SOFA) == begun(BRING, served=None).ahead(SOFA)


def test_another_way_is_taken_where_there_is_one() -> None:
    robot_vacuum = Skill(arguments={"goal": "place"}, effects=("vacuumed(goal)",), seconds=900)
    domain = DOMAIN.model_copy(update={"skills": {**DOMAIN.skills, "send_robot_vacuum": robot_vacuum}})
    assert [call.name for call in begun(CLEAN, served=None, domain=domain).ahead(SOFA)] == ["navigate_to", "vacuum"]
    assert [call.name for call in begun(CLEAN, served=BUILT_IN | {"send_robot_vacuum"}, domain=domain).ahead(SOFA)] == ["send_robot_vacuum"]


def test_a_robot_without_a_gripper_says_which_skills_it_lacks() -> None:
    task = begun(BRING, served=BUILT_IN - {"pick", "hand_over"})
    assert (task.status, task.done) == ("failed", ())
    assert task.reason == "I can't bring the red cup to you: this robot has no skill 'pick' or 'hand_over'."


def test_a_robot_that_cannot_point_declines_before_it_looks_for_the_thing() -> None:
    task = begun(GO, Action("point", (("theme", "red_cup"),)), served=BUILT_IN - {"point"})
    assert (task.status, task.next, task.done) == ("failed", None, ())
    assert task.reason == "I can't point at the red cup: this robot has no skill 'point'."


def test_an_action_without_any_skill_is_declined_as_before() -> None:
    assert begun(Action("count", ()), served=BUILT_IN).reason == begun(Action("count", ()), served=None).reason == "I can't count things."
