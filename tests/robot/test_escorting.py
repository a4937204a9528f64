"""Following and guiding people who walk, on the embedded simulation: together, lost, left alone, told to stop, without a tracker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import dist, hypot

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.evaluation.execution import TICK
from sayso.evaluation.simulated_robot import SimulatedRobot
from sayso.grounding import VisualGrounder
from sayso.robot import RobotMap, SkillRunner
from sayso.scene import load_scene
from sayso.sim.simulation import Simulation
from sayso.strolls import Ways
from sayso.types import People, SkillCall, SkillOutcome

HOME = load_domain()
SCENE = load_scene()
MAP = RobotMap.from_scene(SCENE, HOME)


@dataclass
class TrackingRobot(SimulatedRobot):
    """The simulated robot; its tracker can go silent."""

    silent_from: float = float("inf")  # s of simulated time
    reports: list[People] = field(default_factory=list)

    def people(self) -> People | None:
        if self.tracker and self.simulation.time < self.silent_from:
            self.reports.append(self.simulation.people_seen())
        return self.reports[-1] if self.reports else None


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    simulation = Simulation(SCENE)
    yield simulation
    simulation.close()


@pytest.fixture
def world(shared: Simulation) -> Simulation:
    shared.reset(3)
    return shared


@pytest.fixture(scope="module")
def ways(shared: Simulation) -> Ways:
    return Ways(shared.scene, HOME)


def robot_in(world: Simulation, **state: object) -> tuple[SkillRunner, TrackingRobot]:
    robot = TrackingRobot(world, VisualGrounder(), **state)
    runner = SkillRunner(MAP, robot)
    for _ in range(5):  # the gripper is read before the first skill
        runner.tick(world.time)
        world.step(TICK)
    return runner, robot


def perform(
    runner: SkillRunner, world: Simulation, each_tick: Callable[[], None] = lambda: None, within: float = 150.0, **call: str
) -> SkillOutcome | None:
    """Run a skill to its end, None if it has none within that time."""
    name = call.pop("skill")
    runner.start(SkillCall(name, tuple(call.items())))
    began = world.time
    while world.time - began < within:
        outcome = runner.tick(world.time)
        if outcome is not None:
            return outcome
        each_tick()
        world.step(TICK)
    return None


def apart(world: Simulation, person: str) -> float:
    return dist(world.odometry[:2], world.people.places()[person])


def test_it_follows_at_a_distance_and_never_touches_the_person(world: Simulation, ways: Ways) -> None:
    runner, _ = robot_in(world)
    world.people.walk("operator", ways(world.people.places()["operator"], ["kitchen", "hallway"]))
    distances, speeds = [], []

    def note() -> None:
        distances.append(apart(world, "operator"))
        speeds.append(world.odometry[3])

    assert perform(runner, world, note, within=60.0, skill="follow", recipient="operator") is None
    assert not world.people.walking("operator")
    assert min(distances) > 0.55
    assert max(distances[100:]) < 2.6  # it falls behind most while it turns to a person who has passed it
    assert 0.8 < distances[-1] < 1.5
    assert max(speeds) < 0.7
    assert MAP.room_at(world.odometry[:2]) == "hallway"


def test_it_has_followed_to_a_goal_once_the_person_stands_still_there(world: Simulation, ways: Ways) -> None:
    runner, _ = robot_in(world)
    world.people.walk("operator", ways(world.people.places()["operator"], ["kitchen"]))
    outcome = perform(runner, world, skill="follow", recipient="operator", goal="kitchen")
    assert outcome is not None and outcome.succeeded
    assert MAP.room_at(world.people.places()["operator"]) == "kitchen"
    assert apart(world, "operator") < 1.6


def test_it_makes_room_for_a_person_who_turns_back(world: Simulation, ways: Ways) -> None:
    runner, _ = robot_in(world)
    world.people.walk("anna", ways(world.people.places()["anna"], ["desk", "hallway_shelf"]))
    distances = []
    assert perform(runner, world, lambda: distances.append(apart(world, "anna")), within=60.0, skill="follow", recipient="anna") is None
    assert MAP.room_at(world.people.places()["anna"]) == "hallway"  # the robot stood in the door of the study behind her
    assert min(distances) > 0.5
    assert apart(world, "anna") < 2.0


def test_a_person_who_is_gone_is_looked_for_where_they_were_and_then_lost(world: Simulation, ways: Ways) -> None:
    runner, _ = robot_in(world)
    world.people.walk("operator", ways(world.people.places()["operator"], ["kitchen"]))
    began = world.time

    def vanish() -> None:
        if world.people.walking("operator") and world.time - began > 8.0:
            world.people.stand("operator")
            world.world.put_person("operator", 12.6, 6.6, 0.0)  # into the bathroom

    outcome = perform(runner, world, vanish, skill="follow", recipient="operator")
    assert outcome is not None
    assert outcome.reason.startswith("I lost you near the ")
    assert 8.0 < outcome.seconds < 40.0
    world.step(1.0)
    assert np.abs(world.odometry[3:]).max() < 0.01


def test_told_to_stop_it_stands_at_once(world: Simulation, ways: Ways) -> None:
    runner, robot = robot_in(world)
    world.people.walk("operator", ways(world.people.places()["operator"], ["kitchen"]))
    assert perform(runner, world, within=8.0, skill="follow", recipient="operator") is None
    assert world.odometry[3] > 0.3
    robot.stop()
    outcome = runner.tick(world.time)
    assert outcome is not None and outcome.reason == "the robot was told to stop"
    at = world.odometry
    world.step(1.0)
    assert hypot(world.odometry[0] - at[0], world.odometry[1] - at[1]) < 0.2  # 0.6 m/s at 1.6 m/s²
    assert abs(world.odometry[3]) < 0.01


def test_cancelled_it_stands_too(world: Simulation, ways: Ways) -> None:
    runner, _ = robot_in(world)
    world.people.walk("operator", ways(world.people.places()["operator"], ["kitchen"]))
    assert perform(runner, world, within=8.0, skill="follow", recipient="operator") is None
    outcome = runner.cancel()
    assert outcome is not None and not outcome.succeeded
    world.step(1.0)
    assert abs(world.odometry[3]) < 0.01


@pytest.mark.parametrize("skill", ["follow", "guide"])
def test_without_a_tracker_it_says_that_it_cannot(world: Simulation, skill: str) -> None:
    runner, _ = robot_in(world, tracker=False)
    outcome = perform(runner, world, skill=skill, recipient="anna", goal="kitchen")
    assert outcome is not None
    assert outcome.reason == f"I can't {skill} Anna: nothing tells me where people are"
    assert outcome.seconds < 0.5


@pytest.mark.parametrize(("skill", "doing"), [("follow", "find"), ("guide", "guide")])
def test_if_the_tracker_dies_it_stops_and_says_so(world: Simulation, ways: Ways, skill: str, doing: str) -> None:
    runner, robot = robot_in(world)
    robot.silent_from = world.time + 10.0
    world.people.walk("operator", ways(world.people.places()["operator"], ["kitchen"]))
    outcome = perform(runner, world, skill=skill, recipient="operator", goal="bathroom")
    assert outcome is not None
    assert outcome.reason == f"I can't {doing} you: nothing tells me where people are"
    assert 10.0 < outcome.seconds < 16.0
    world.step(1.0)
    assert abs(world.odometry[3]) < 0.01


def test_it_fetches_a_person_and_both_arrive(world: Simulation) -> None:
    runner, robot = robot_in(world)
    distances = []
    outcome = perform(runner, world, lambda: distances.append(apart(world, "anna")), skill="guide", recipient="anna", goal="kitchen")
    assert outcome is not None and outcome.succeeded
    assert robot.said == ["Anna, please come with me to the kitchen.", "Here we are: the kitchen."]
    assert MAP.room_at(world.people.places()["anna"]) == MAP.room_at(world.odometry[:2]) == "kitchen"
    assert min(distances) > 0.55


def test_it_waits_for_a_person_who_falls_behind_and_asks_again_if_they_stay(world: Simulation) -> None:
    runner, robot = robot_in(world)
    asked: list[float] = []
    farthest: list[float] = []

    def loiter() -> None:
        if robot.said and not asked:
            asked.append(world.time)
        if asked and len(robot.said) == 1 and world.time - asked[0] > 6.0:
            world.people.stand("anna")
        farthest.append(apart(world, "anna") if asked else 0.0)

    outcome = perform(runner, world, loiter, skill="guide", recipient="anna", goal="kitchen")
    assert outcome is not None and outcome.succeeded
    assert [text[:5] for text in robot.said] == ["Anna,", "Anna,", "Here "]
    assert max(farthest) < 3.5


def test_who_leaves_while_guided_is_looked_for_and_then_lost(world: Simulation) -> None:
    runner, robot = robot_in(world)

    def leave() -> None:
        x, y = world.people.places()["anna"]
        if robot.said and MAP.room_at((x, y)) == "hallway" and x > 5.0:
            world.people.stand("anna")
            world.world.put_person("anna", 0.9, 6.9, 0.0)  # back into the study, while the robot looks ahead

    outcome = perform(runner, world, leave, skill="guide", recipient="anna", goal="kitchen")
    assert outcome is not None
    assert outcome.reason.startswith("I lost Anna near the ")
    assert "Here we are" not in " ".join(robot.said)


def test_a_place_that_the_home_does_not_have_is_no_goal(world: Simulation) -> None:
    runner, _ = robot_in(world)
    for skill in ("follow", "guide"):
        outcome = perform(runner, world, skill=skill, recipient="anna", goal="garage")
        assert outcome is not None and outcome.reason == "the home has no place 'garage'"
