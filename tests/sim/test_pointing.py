"""The arm of the embedded simulation points: into the line from the eyes to a point, for some seconds, and back."""

from collections.abc import Iterator
from math import atan2, degrees

import numpy as np
import pytest

from sayso.scene import load_scene
from sayso.scene.scene import GripperSpec
from sayso.sim.pointing import angle_between
from sayso.sim.robot_body import CAMERA
from sayso.sim.simulation import Simulation

SCENE = load_scene().model_copy(update={"gripper": GripperSpec(fails={})})
BEFORE = (11.06, 1.6)  # m: before the counter


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    made = Simulation(SCENE)
    yield made
    made.close()


@pytest.fixture
def world(simulation: Simulation) -> Simulation:
    simulation.reset()
    return simulation


def facing(world: Simulation, x: float, y: float, turned: float = 0.0) -> None:
    world.put_robot(*BEFORE, atan2(y - BEFORE[1], x - BEFORE[0]) + turned)


def hand(world: Simulation) -> np.ndarray:
    """(3,) m, the hand from the robot's eyes."""
    x, y, *_ = world.odometry
    return np.array(world.data.xpos[world.model.body("hand").id]) - (x, y, CAMERA.z)


@pytest.mark.parametrize("thing", ["red_cup", "bread", "apple", "keys"])
def test_the_arm_is_in_the_line_to_the_thing_near_or_far_and_then_at_rest_again(world: Simulation, thing: str) -> None:
    at = world.middle(thing)
    facing(world, *at[:2])
    world.step(0.5)
    rest = hand(world)
    operation = world.request("point", tuple(at))
    world.step(3.0)
    x, y, *_ = world.odometry
    assert degrees(angle_between(hand(world), at - (x, y, CAMERA.z))) < 5.0
    while not operation.done():
        world.step(0.1)
    assert operation.result() == (True, "pointed there")
    assert f"pointed_at({thing})" in world.truth().facts
    world.step(0.5)
    assert np.linalg.norm(hand(world) - rest) < 0.02, "m from where it was"


def test_an_arm_that_points_while_the_robot_looks_elsewhere_does_not_count(world: Simulation) -> None:
    at = world.middle("red_cup")
    facing(world, *at[:2], turned=0.4)
    operation = world.request("point", tuple(at))
    world.step(10.0)
    assert operation.result() == (True, "pointed there")
    assert "pointed_at(red_cup)" not in world.truth().facts


def test_a_stop_takes_the_arm_back_and_a_new_world_knows_of_nothing(world: Simulation) -> None:
    at = tuple(world.middle("red_cup"))
    facing(world, *at[:2])
    operation = world.request("point", at)
    world.step(0.5)
    world.request("stop", at)
    assert operation.result() == (False, "stopped")
    assert "pointed_at(red_cup)" not in world.truth().facts
    world.request("point", at)
    world.step(10.0)
    assert "pointed_at(red_cup)" in world.truth().facts
    world.reset()
    assert not [fact for fact in world.truth().facts if fact.startswith("pointed_at")]


def test_what_is_no_point_is_refused(world: Simulation) -> None:
    assert world.request("point", (float("nan"), 0.0, 0.0)).result() == (False, "the target is not a point")
