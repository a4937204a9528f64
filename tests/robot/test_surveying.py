"""survey: what stands on a piece of furniture, and nothing else; one thing for each spot."""

from __future__ import annotations

import math

import numpy as np
import pytest

from robot_double import at_home, run
from sayso.robot.surveying import spots
from sayso.types import Grounding

ON_COUNTER = (7.35, 2.2, 0.95)


def grounded(thing: str, confidence: float, point: tuple[float, float, float]) -> Grounding:
    return Grounding("", 0.0, thing, thing, np.ones((1, 1)), 0.0, confidence, found=True, point=point)


def test_sees_what_is_there_and_not_what_is_elsewhere() -> None:
    runner, robot = at_home(x=6.4, things={"red_cup": ON_COUNTER, "ball": (3.2, 0.6, 0.45)})
    outcome = run(runner, robot, "survey", goal="counter")
    assert outcome.succeeded, outcome.reason
    assert runner.context(robot.time).visible == ("red_cup",)
    assert abs(robot.yaw) < math.radians(4)  # it looks at the place again


@pytest.mark.parametrize(("sure", "seen"), [(0.9, ()), (0.97, ("red_cup",))])
def test_what_is_not_expected_at_a_place_must_be_seen_clearly(sure: float, seen: tuple[str, ...]) -> None:
    runner, robot = at_home(x=6.4, things={"red_cup": ON_COUNTER}, confidence={"red_cup": sure})
    assert run(runner, robot, "survey", goal="counter").succeeded
    assert runner.context(robot.time).visible == seen
    assert abs(robot.yaw) < math.radians(4)


def test_a_robot_that_stands_at_the_place_turns_to_it_first() -> None:
    runner, robot = at_home(x=6.4, yaw=math.pi, things={"red_cup": ON_COUNTER})
    assert run(runner, robot, "survey", goal="counter").succeeded
    assert runner.context(robot.time).visible == ("red_cup",)


def test_forgets_what_it_saw_before() -> None:
    runner, robot = at_home(x=6.4, things={"red_cup": ON_COUNTER})
    runner._body.sightings.saw("ball", "ball", (3.2, 0.6, 0.45), 0.0)
    run(runner, robot, "survey", goal="counter")
    assert "ball" not in runner.context(robot.time).visible


def test_a_look_without_a_picture_is_no_evidence() -> None:
    runner, robot = at_home(x=6.4)
    robot.silent = True
    outcome = run(runner, robot, "survey", goal="counter")
    assert (outcome.succeeded, outcome.interrupted) == (False, True)
    assert outcome.reason == "the visual grounder did not answer within 15 s"


@pytest.mark.parametrize(("apart", "names"), [(0.03, [["coke", "red_cup"]]), (0.2, [["coke"], ["red_cup"]])])
def test_two_names_for_one_spot_are_one_thing(apart: float, names: list[list[str]]) -> None:
    found = {"red_cup": grounded("red_cup", 0.7, (1.0, 1.0, 0.8)), "coke": grounded("coke", 0.9, (1.0 + apart, 1.0, 0.8))}
    assert spots(found) == names


class Doubtful(dict[str, list[float]]):
    """The confidence of each look at a thing, in order."""

    def get(self, thing: str, default: object = None) -> float:  # type: ignore[override]
        return self[thing].pop(0)


@pytest.mark.parametrize(("again", "seen"), [(0.97, ("ball",)), (0.85, ())])
def test_a_name_that_a_second_look_denies_leaves_the_spot_to_the_next_name(again: float, seen: tuple[str, ...]) -> None:
    looks = Doubtful(coke=[0.98, 0.98, 0.6], ball=[0.95, 0.95, again])  # two of the three headings show them
    runner, robot = at_home(x=6.4, things={"coke": ON_COUNTER, "ball": ON_COUNTER}, confidence=looks)
    assert run(runner, robot, "survey", goal="counter").succeeded
    assert runner.context(robot.time).visible == seen
