"""The robot in the default apartment: its map fits the domain, and in the simulation it reaches its goals without touching anything."""

import math
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np
import pytest

from drawing import picture_of
from sayso.domain import load_domain
from sayso.evaluation.simulated_robot import Grounder, SimulatedRobot
from sayso.paths import models_dir
from sayso.robot import PathPlanner, Pose, RobotMap, SkillRunner
from sayso.robot.geometry import wrap
from sayso.robot.map import RADIUS
from sayso.scene.load import load_scene
from sayso.scene.scene import GripperSpec
from sayso.sim.simulation import Simulation
from sayso.types import Grounding, Image, SkillCall, SkillOutcome

DOMAIN, SCENE = load_domain(), load_scene()
MAP = RobotMap.from_scene(SCENE, DOMAIN)
PLANNER = PathPlanner(MAP)
START = SCENE.robot.at
TICK = 0.06  # s: three of the simulation's control periods


@pytest.mark.parametrize("place_id", DOMAIN.places)
def test_every_place_of_the_default_home_is_free_floor_that_can_be_reached(place_id):
    x, y, _ = DOMAIN.places[place_id].pose
    path = PLANNER(START, (x, y))
    assert math.dist(path[-1], (x, y)) < 0.01, "the place's pose in config/home.yaml is too near to something"
    assert np.min([box.distance(path[:, 0], path[:, 1]) for box in MAP.boxes], axis=0).min() >= RADIUS
    assert MAP.room_at((x, y)) == DOMAIN.room_of(place_id)
    assert MAP.place_at((x, y)) == place_id


@pytest.mark.parametrize("place_id", [place_id for place_id, place in DOMAIN.places.items() if place.surface])
def test_every_surface_of_the_default_home_is_on_the_map(place_id):
    surfaces = MAP.surfaces_of(place_id)
    pose = Pose(*DOMAIN.places[place_id].pose)
    nearest = min(surfaces, key=lambda surface: pose.distance((surface.x, surface.y)))
    assert abs(pose.bearing((nearest.x, nearest.y))) < math.radians(45), "the robot does not face the surface at the place's pose"


def test_every_person_of_the_scene_has_a_hand_in_the_room_where_they_stand():
    assert {person.name for person in MAP.people} == set(DOMAIN.people)
    for person in MAP.people:
        assert MAP.room_at((person.x, person.y)) == MAP.room_at(person.hand[:2])
        assert 0.5 < person.hand[2] < 1.4


def nobody_looks(image: Image, phrase: str, object_id: str) -> Grounding:
    raise AssertionError(f"this robot has no eyes, and looks for {phrase}")


@dataclass
class TrackedRobot(SimulatedRobot):
    """The robot of the embedded simulation, which remembers its way."""

    grounder: Grounder = nobody_looks
    track: list[tuple[float, float]] = field(default_factory=list)

    def ground(self, phrase: str, object_id: str, not_before: float) -> Future[Grounding]:
        assert self.simulation.time >= not_before
        return super().ground(phrase, object_id, not_before)

    def do(self, runner: SkillRunner, name: str, within: float = 120.0, **arguments: str) -> SkillOutcome:
        runner.start(SkillCall(name, tuple(sorted(arguments.items()))))
        deadline = self.simulation.time + within
        while self.simulation.time < deadline:
            outcome = runner.tick(self.simulation.time)
            if outcome is not None:
                return outcome
            self.simulation.step(TICK)
            self.track.append(self.pose().xy)
        raise AssertionError(f"{name} is not over after {within} s: {runner.status}")

    def clearance(self) -> float:
        """The smallest distance of its centre to any obstacle, m."""
        track = np.array(self.track)
        return float(min(box.distance(track[:, 0], track[:, 1]).min() for box in MAP.boxes))


@dataclass
class PerfectEyes:
    """A test double of the grounder: it knows each pixel's owner and answers as an ideal grounder would."""

    simulation: Simulation

    def __call__(self, image: Image, phrase: str, object_id: str) -> Grounding:
        mine = self.simulation.render_segmentation() == tuple(SCENE.objects).index(object_id)
        found = int(mine.sum()) >= 25
        pixel, point = (0.0, 0.0), (math.nan, math.nan, math.nan)
        if found:
            v, u = np.nonzero(mine)
            pixel = float(u.mean()), float(v.mean())
            depth = float(np.median(image.depth[mine]))
            fx, fy, cx, cy = image.intrinsics
            optical = [(pixel[0] - cx) / fx * depth, (pixel[1] - cy) / fy * depth, depth, 1.0]
            point = tuple(float(value) for value in (image.pose @ optical)[:3])
        return Grounding("", image.stamp, object_id, phrase, np.ones((1, 1)), 0.0, float(found), found, pixel, point)


@pytest.fixture(scope="module")
def shared():
    simulation = Simulation(SCENE.model_copy(update={"gripper": GripperSpec()}), seed=0)  # a gripper that never fails
    yield simulation
    simulation.close()


@pytest.fixture
def robot(shared):
    shared.reset()
    return TrackedRobot(shared)


@pytest.fixture
def seeing(robot):
    """The same robot with a camera; skipped if pictures cannot be drawn."""
    picture_of(robot.simulation)
    robot.grounder = PerfectEyes(robot.simulation)
    return robot


@pytest.fixture
def location(robot):
    """Where an object really is."""

    def of(object_id: str) -> str:
        truth = robot.simulation.truth()
        return dict(zip(truth.objects, truth.locations, strict=True))[object_id]

    return of


@pytest.fixture
def runner(robot):
    return SkillRunner(MAP, robot)


def test_drives_from_the_living_room_through_the_doors_to_the_counter(robot, runner):
    outcome = robot.do(runner, "navigate_to", goal="counter")
    assert outcome.succeeded, outcome.reason
    x, y, yaw = DOMAIN.places["counter"].pose
    pose = robot.pose()
    assert pose.distance((x, y)) <= 0.10
    assert abs(wrap(pose.yaw - yaw)) <= math.radians(6)
    assert robot.clearance() >= RADIUS
    assert outcome.seconds < 45


def test_turns_and_moves_as_far_as_asked(robot, runner):
    before = robot.pose()
    assert robot.do(runner, "turn", direction="left", extent="1.0").succeeded
    assert wrap(robot.pose().yaw - before.yaw) == pytest.approx(1.0, abs=0.06)
    at = robot.pose()
    assert robot.do(runner, "move", direction="back", extent="0.3").succeeded
    assert at.distance(robot.pose().xy) == pytest.approx(0.3, abs=0.05)


def test_approaches_a_person_within_the_reach_of_their_hand(robot, runner):
    outcome = robot.do(runner, "approach", recipient="anna")
    assert outcome.succeeded, outcome.reason
    hand = next(person.hand for person in MAP.people if person.name == "anna")
    assert robot.pose().distance(hand[:2]) <= 0.8
    assert abs(robot.pose().bearing(hand[:2])) <= math.radians(6)
    assert robot.clearance() >= RADIUS


def fetch_the_red_cup(robot, runner):
    """Run the skills of "bring me the red cup from the kitchen" until one fails; returns the outcomes."""
    calls = [
        ("navigate_to", {"goal": "counter"}),
        ("look_for", {"theme": "red_cup"}),
        ("pick", {"theme": "red_cup"}),
        ("approach", {"recipient": "operator"}),
        ("hand_over", {"theme": "red_cup", "recipient": "operator"}),
    ]
    outcomes = []
    for name, arguments in calls:
        outcomes.append(robot.do(runner, name, **arguments))
        if not outcomes[-1].succeeded:
            break
    return outcomes


def test_fetches_the_red_cup_with_perfect_eyes(seeing, runner, location):
    outcomes = fetch_the_red_cup(seeing, runner)
    assert [outcome.reason for outcome in outcomes] == [""] * 5
    assert location("red_cup") == "operator"
    assert seeing.clearance() >= RADIUS
    assert sum(outcome.seconds for outcome in outcomes) < 120


@pytest.mark.skipif(not (models_dir() / "grounder.onnx").exists(), reason="models/grounder.onnx is not there: sayso train grounder")
def test_fetches_the_red_cup_with_the_trained_grounder(seeing, runner, location):
    from sayso.grounding import VisualGrounder

    seeing.grounder = VisualGrounder()
    outcomes = fetch_the_red_cup(seeing, runner)
    assert [outcome.reason for outcome in outcomes] == [""] * 5
    assert location("red_cup") == "operator"


def test_moves_a_thing_from_one_surface_to_another(seeing, runner, location):
    seeing.simulation.put_robot(*DOMAIN.places["kitchen_table"].pose)
    assert seeing.do(runner, "look_for", theme="blue_cup").succeeded
    assert seeing.do(runner, "pick", theme="blue_cup").succeeded
    assert seeing.do(runner, "navigate_to", goal="dining_table").succeeded
    outcome = seeing.do(runner, "place", theme="blue_cup", goal="dining_table")
    assert outcome.succeeded, outcome.reason
    seeing.simulation.step(1.0)
    assert location("blue_cup") == "dining_table"


def test_finds_a_small_thing_on_a_low_table_right_in_front_of_it(seeing, runner):
    x, y, yaw = DOMAIN.places["coffee_table"].pose
    nearer = MAP.free_length(Pose(x, y, yaw), yaw, 1.0)
    seeing.simulation.put_robot(x + nearer * math.cos(yaw), y + nearer * math.sin(yaw), yaw)
    outcome = seeing.do(runner, "look_for", theme="toy_car")
    assert outcome.succeeded, outcome.reason


def test_does_not_find_a_kitchen_object_in_the_study(seeing, runner):
    seeing.simulation.put_robot(*DOMAIN.places["desk"].pose)
    assert seeing.do(runner, "look_for", theme="red_cup").reason == "did not see the red cup at the desk"
