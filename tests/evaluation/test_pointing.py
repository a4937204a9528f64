"""Errands that point in one process, judged by the ground truth: the arm and the heading are within 10° of what is meant."""

from __future__ import annotations

from collections.abc import Iterator
from math import atan2, pi

import numpy as np
import pytest

from drawing import picture_of
from hand_made import transcript
from sayso.bags.messages import GroundTruth
from sayso.domain import load_domain
from sayso.evaluation.execution import Execution, Rehearsal
from sayso.evaluation.judge import judge
from sayso.evaluation.simulated_robot import SimulatedRobot
from sayso.robot import RobotMap, SkillRunner
from sayso.scene import load_scene
from sayso.scene.scene import GripperSpec
from sayso.types import Action, ActionBelief, ActionCandidate, Grounding, Image, Outcome, SkillCall
from true_eyes import Seen

HOME = load_domain()
SCENE = load_scene().model_copy(update={"gripper": GripperSpec(fails={})})


@pytest.fixture(scope="module")
def rehearsal() -> Iterator[Rehearsal]:
    eyes = Seen()
    made = eyes.rehearsal = Rehearsal(HOME, SCENE, eyes)
    yield made
    made.close()


def skills(execution: Execution) -> list[str]:
    return [outcome.call.name for outcome in execution.outcomes]


@pytest.mark.parametrize(
    ("sentence", "skill", "x", "y"),
    [
        ("point to the fridge", "point_to_place", *SCENE.furniture["fridge"].at),
    ],
)
def test_the_robot_points_where_a_place_or_a_person_is_without_a_drive(
    rehearsal: Rehearsal, sentence: str, skill: str, x: float, y: float
) -> None:
    execution = rehearsal(transcript((sentence, 1.0)))
    assert execution.done, (execution.checks, execution.outcomes)
    assert skills(execution) == [skill]
    truth = rehearsal.simulation.truth()
    aside = (atan2(y - truth.y, x - truth.x) - truth.yaw + pi) % (2 * pi) - pi
    assert abs(aside) < 0.17, "rad between its heading and what it points at"


def test_a_thing_is_looked_for_and_then_pointed_at(rehearsal: Rehearsal) -> None:
    picture_of(rehearsal.simulation)  # skips where none can be drawn
    execution = rehearsal(transcript(("point at the keys", 1.0)))
    assert execution.done, (execution.checks, execution.outcomes)
    assert skills(execution) == ["navigate_to", "look_for", "point"]
    assert "pointed_at(keys)" in rehearsal.simulation.truth().facts


@pytest.mark.long("acts out one more errand")
def test_a_thing_that_is_not_there_ends_with_the_places_where_it_was_looked_for(rehearsal: Rehearsal) -> None:
    picture_of(rehearsal.simulation)
    rehearsal.grounder = nothing
    try:
        execution = rehearsal(transcript(("can you show me the keys", 1.0)))
    finally:
        rehearsal.grounder = Seen()
    assert execution.outcome is not None
    assert not execution.outcome.succeeded
    assert execution.outcome.reason.startswith("I looked at the hallway shelf")
    assert execution.outcome.reason.endswith("and did not find the keys.")
    assert "point" not in skills(execution)


def nothing(image: Image, phrase: str, object_id: str) -> Grounding:
    return Grounding("", image.stamp, object_id, phrase, np.ones((1, 1)), 0.0, 0.0, False, (0.0, 0.0), (0.0, 0.0, 0.0))


def said(rehearsal: Rehearsal, *arguments: tuple[str, str], name: str = "point_to_person") -> tuple[str, list[str]]:
    """Why the skill failed, and what the robot said."""
    rehearsal.simulation.reset()
    robot = SimulatedRobot(rehearsal.simulation, nothing)
    runner = SkillRunner(RobotMap.from_scene(SCENE, HOME), robot)
    runner.start(SkillCall(name, arguments))
    while (outcome := runner.tick(rehearsal.simulation.time)) is None:
        rehearsal.simulation.step(0.06)
    return outcome.reason, robot.said


def test_the_robot_says_at_what_it_points_and_to_whom(rehearsal: Rehearsal) -> None:
    assert said(rehearsal, ("theme", "fridge"), ("recipient", "ben"), name="point_to_place") == ("", ["Ben, I am pointing at the fridge."])


def test_the_robot_says_so_when_it_does_not_see_whom_it_points_at(rehearsal: Rehearsal) -> None:
    assert said(rehearsal, ("theme", "carla")) == ("", ["I am pointing to where Carla should be."])


def test_the_room_that_it_is_in_and_what_was_not_seen_are_not_pointed_at(rehearsal: Rehearsal) -> None:
    assert said(rehearsal, ("theme", "living_room"), name="point_to_place") == ("we are in it", [])
    assert said(rehearsal, ("theme", "keys"), name="point") == ("I have not seen the keys yet", [])


def test_an_arm_that_was_not_in_the_direction_is_not_done() -> None:
    world = GroundTruth(9.0, 1.0, 1.0, 0.0, {}, {}, frozenset({"pointed_at(sink)"}))
    belief = ActionBelief("u", 0.0, (ActionCandidate(0, Action("point", (("theme", "fridge"),)), 1.0, 1.0, 1.0, 1.0),), "execute", "")
    outcome = Outcome("u", 9.0, True, "point")
    last = judge("done", HOME, transcript=transcript(("x", 1.0)), belief=belief, outcome=outcome, before=world, after=world)[-1]
    assert (last.what, last.found, last.ok) == ("the arm pointed at fridge", "pointed_at(sink)", False)
