"""The skill clean on the embedded simulation: a whole top is wiped from several stands, and what is out of reach is said."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.evaluation.simulated_robot import SimulatedRobot
from sayso.robot import RobotMap, SkillRunner
from sayso.robot.cleaning import REACH, wiped_patches, wiping_stands
from sayso.robot.path import PathPlanner
from sayso.scene import load_scene
from sayso.scene.scene import GripperSpec
from sayso.sim.simulation import Simulation
from sayso.types import Grounding, Image, SkillCall, SkillOutcome

DOMAIN, SCENE = load_domain(), load_scene()
MAP = RobotMap.from_scene(SCENE, DOMAIN)
WIPED = sorted(name for name, place in DOMAIN.places.items() if place.wipes)
TICK = 0.06  # s


def blind(image: Image, phrase: str, object_id: str) -> Grounding:
    raise AssertionError("this skill needs no picture")


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    made = Simulation(SCENE.model_copy(update={"gripper": GripperSpec(fails={})}))
    yield made
    made.close()


@pytest.fixture
def simulation(shared: Simulation) -> Simulation:
    shared.reset()
    return shared


def clean(simulation: Simulation, place: str, until: float = math.inf) -> SkillOutcome:
    """Run the skill to its end, or until a stop after so many seconds."""
    robot = SimulatedRobot(simulation, blind)
    runner = SkillRunner(MAP, robot)
    runner.start(SkillCall("clean", (("theme", place),)))
    began = simulation.time
    while simulation.time - began < 400.0:
        if simulation.time - began >= until:
            robot.stop()
        outcome = runner.tick(simulation.time)
        if outcome is not None:
            return outcome
        simulation.step(TICK)
    raise AssertionError(runner.status)


def test_a_table_is_wiped_all_over_and_nothing_on_it_is_moved(simulation: Simulation) -> None:
    simulation.put_robot(*DOMAIN.places["dining_table"].pose)
    simulation.step(0.5)
    before = {name: simulation.middle(name) for name in SCENE.objects if SCENE.objects[name].on == "dining_table"}
    outcome = clean(simulation, "dining_table")
    assert outcome.succeeded, outcome.reason
    assert "clean(dining_table)" in simulation.truth().facts
    assert all(np.linalg.norm(simulation.middle(name) - at) < 0.01 for name, at in before.items())


def test_a_stop_ends_the_wiping_and_the_arm_lets_go(simulation: Simulation) -> None:
    simulation.put_robot(*DOMAIN.places["counter"].pose)
    outcome = clean(simulation, "counter", until=6.0)
    assert not outcome.succeeded
    assert "dirty(counter)" in simulation.truth().facts
    assert simulation.request("read", (0.0, 0.0, 0.0)).result() == (True, "")


def test_what_has_no_top_is_refused(simulation: Simulation) -> None:
    assert clean(simulation, "lamp").reason == "the lamp has no top that the robot could wipe"


@pytest.mark.parametrize("place", WIPED)
def test_every_place_of_the_home_can_be_wiped_whole(place: str) -> None:
    patches = wiped_patches(MAP.surfaces_of(place))
    stands = wiping_stands(MAP, PathPlanner(MAP).costs(SCENE.robot.at), patches)
    covered = [patch for stand in stands for patch in stand.patches]
    assert len(covered) == len(set(covered))
    assert len(covered) >= 0.9 * len(patches)
    for stand in stands:
        assert all(math.dist(stand.spot, patch[:2]) <= REACH for patch in stand.patches)
        assert MAP.free[MAP.cell(stand.spot)]
