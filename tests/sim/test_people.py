"""People in the embedded simulation: they walk on free floor, go along with the robot, and its tracker sees who is not hidden."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, dist, radians, sin

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.errors import SimulationError
from sayso.robot import RobotMap
from sayso.scene import load_scene
from sayso.scene.layout import Rectangle, walls
from sayso.scene.scene import GripperSpec, Scene
from sayso.sim.simulation import Simulation
from sayso.sim.tracker import PersonTracker, TrackerSpec
from sayso.strolls import Ways, set_out

HOME = load_domain()
WALLS = walls(load_scene())


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    simulation = Simulation(load_scene().model_copy(update={"gripper": GripperSpec(fails={})}))
    yield simulation
    simulation.close()


@pytest.fixture
def world(shared: Simulation) -> Simulation:
    shared.reset()
    return shared


@pytest.fixture(scope="module")
def ways(shared: Simulation) -> Ways:
    return Ways(shared.scene, HOME)


def crosses(wall: Rectangle, one: tuple[float, float], other: tuple[float, float]) -> bool:
    return any(wall.distance(*np.add(one, share * np.subtract(other, one))) == 0.0 for share in np.linspace(0.0, 1.0, 5))


def test_a_person_walks_along_the_path_at_their_pace_and_stands_at_its_end(world: Simulation) -> None:
    world.put_robot(1.0, 1.0, 0.0)
    world.people.walk("anna", np.array([[2.0, 4.75], [7.0, 4.75]]))
    world.world.put_person("anna", 2.0, 4.75, 0.0)
    world.step(4.0)
    assert world.people.places()["anna"] == pytest.approx((4.0, 4.75), abs=0.02)
    assert world.world.person("anna")[2] == pytest.approx(0.0)
    assert world.people.walking("anna")
    world.step(8.0)
    assert world.people.places()["anna"] == pytest.approx((7.0, 4.75))
    assert not world.people.walking("anna")
    assert world.truth().people["anna"] == world.people.places()["anna"]


def test_nobody_walks_through_a_wall_on_the_way_to_any_room(world: Simulation, ways: Ways) -> None:
    free = RobotMap.from_scene(world.scene.model_copy(update={"people": {}}), HOME)
    rooms = [place for place, spec in HOME.places.items() if spec.kind == "room"]
    world.put_robot(0.7, 4.75, 0.0)  # at the dock, out of the way
    world.people.walk("anna", ways(world.people.places()["anna"], rooms))
    before, reached = world.people.places()["anna"], set()
    while world.people.walking("anna"):
        world.step(0.2)
        at = world.people.places()["anna"]
        assert dist(before, at) <= 0.2 * world.scene.people["anna"].pace + 1e-6
        assert not any(crosses(wall, before, at) for wall in WALLS)
        assert free.clearances(np.array([at]))[0] > 0.15
        reached.add(free.room_at(at))
        before = at
        assert world.time < 300.0
    assert reached == set(rooms)


def test_who_stands_keeps_standing_and_a_new_simulation_has_everybody_back(world: Simulation) -> None:
    before = world.people.places()
    world.step(2.0)
    assert world.people.places() == before
    world.people.walk("ben", np.array([[7.0, 3.2]]))
    world.step(1.0)
    assert world.people.places()["ben"] != before["ben"]
    world.reset()
    world.step(1.0)
    assert world.people.places() == before


def test_a_person_whom_the_robot_asks_comes_along_behind_it_until_they_have_arrived(world: Simulation) -> None:
    world.put_robot(4.9, 2.6, 0.0)
    world.people.hear("Good evening.")
    assert not any(world.people.walking(name) for name in world.scene.people)
    world.people.hear("Please come with me to the sideboard.")
    assert [name for name in world.scene.people if world.people.walking(name)] == ["operator"]
    apart = []
    for _ in range(60):
        world.drive(0.4 if world.odometry[0] < 7.8 else 0.0, 0.0)
        world.step(0.2)
        apart.append(dist(world.odometry[:2], world.people.places()["operator"]))
    assert min(apart) > 0.55  # never into the robot
    assert apart[-1] < 1.5
    world.people.hear("Here we are: the sideboard.")
    there = world.people.places()["operator"]
    world.drive(-0.3, 0.0)
    world.step(1.0)
    assert world.people.places()["operator"] == there


def test_a_person_who_goes_along_rests_now_and_then_as_the_seed_says(world: Simulation) -> None:
    def rests(seed: int) -> list[int]:
        world.reset(seed)
        world.put_robot(1.0, 4.75, 0.0)
        world.world.put_person("anna", 0.4, 4.75, 0.0)
        world.people.come_along("anna")
        still, before = [], world.people.places()["anna"]
        for tick in range(100):
            world.drive(0.5, 0.0)
            world.step(0.2)
            at = world.people.places()["anna"]
            still += [tick] if tick > 20 and at == before else []
            before = at
        return still

    assert rests(1)
    assert rests(1) == rests(1)
    assert rests(1) != rests(2)


def test_nobody_walks_into_the_robot_and_they_pass_it(world: Simulation) -> None:
    world.put_robot(7.0, 4.55, 0.0)
    world.world.put_person("anna", 4.0, 4.75, 0.0)
    world.people.walk("anna", np.array([[10.0, 4.75]]))
    nearest = 9.0
    while world.people.walking("anna"):
        world.step(0.1)
        nearest = min(nearest, dist(world.odometry[:2], world.people.places()["anna"]))
        assert world.time < 30.0
    assert nearest > 0.55
    assert world.odometry[:2] == pytest.approx((7.0, 4.55), abs=0.01)  # nobody has pushed it


def test_in_a_door_a_person_steps_back_and_lets_the_robot_pass(world: Simulation) -> None:
    world.put_robot(6.4, 4.6, 1.5708)  # it wants through the door of the bedroom, 1.2 m wide
    world.world.put_person("carla", 6.4, 6.4, 0.0)
    world.people.walk("carla", np.array([[6.4, 6.4], [6.4, 4.75], [4.0, 4.75]]))
    nearest = 9.0
    while world.people.walking("carla"):
        ahead = dist(world.odometry[:2], world.people.places()["carla"]) > 0.7 or world.people.places()["carla"][1] < world.odometry[1]
        world.drive(0.4 if ahead and world.odometry[1] < 7.0 else 0.0, 0.0)
        world.step(0.1)
        nearest = min(nearest, dist(world.odometry[:2], world.people.places()["carla"]))
        assert world.time < 60.0
    assert nearest > 0.5
    assert world.people.places()["carla"] == pytest.approx((4.0, 4.75))


def test_what_a_person_holds_goes_with_them(world: Simulation) -> None:
    world.put_robot(3.6, 2.9, 0.6)
    x, y, z = world.middle("ball")
    world.put_robot(x + 0.6, y, 3.14159)
    assert world.grip("grasp", (x, y, z))[0]
    world.put_robot(3.7, 3.0, 0.6)
    assert world.grip("hand_over", world.world.hand("operator")) == (True, "gave ball to operator")
    world.people.walk("operator", np.array([[4.3, 2.4]]))
    world.step(4.0)
    assert world.people.places()["operator"] == pytest.approx((4.3, 2.4))
    hand = world.world.hand("operator")
    assert dist(world.middle("ball")[:2], hand[:2]) < 0.05
    assert world.truth().location("ball") == "operator"


def test_the_tracker_sees_who_is_near_and_not_behind_a_wall(world: Simulation) -> None:
    assert set(world.people_seen().people) == {"operator"}  # Anna, Ben and Carla are behind walls
    x, y, deviation = world.people_seen().people["operator"]
    assert dist((x, y), world.people.places()["operator"]) < 5 * deviation
    world.put_robot(5.6, 2.5, 0.0)
    assert {"operator", "ben"} <= set(world.people_seen().people)
    world.put_robot(2.0, 4.75, 0.0)
    world.world.put_person("anna", 9.0, 4.75, 0.0)  # 7 m along the hallway
    assert "anna" not in world.people_seen().people
    world.world.put_person("anna", 7.0, 4.75, 0.0)
    assert "anna" in world.people_seen().people


def test_a_tracker_that_looks_ahead_sees_nobody_behind(world: Simulation) -> None:
    ahead = PersonTracker(world.world, spec=TrackerSpec(view=radians(180)))
    x, y = world.people.places()["operator"]
    for turn, seen in ((0.0, True), (80.0, True), (100.0, False), (180.0, False)):
        yaw = radians(20.0)
        world.put_robot(x - cos(yaw), y - sin(yaw), yaw + radians(turn))
        assert ("operator" in ahead(world.time).people) == seen, turn


def test_people_stroll_as_the_scene_says_round_and_round(world: Simulation) -> None:
    def scene(*walks: str) -> Scene:
        figure = world.scene.people["ben"].model_copy(update={"walks": walks, "pace": 1.0})
        return world.scene.model_copy(update={"people": {**world.scene.people, "ben": figure}})

    strolling = Simulation(scene("sideboard", "kitchen"))
    set_out(strolling.people, strolling.scene, HOME)
    visited = []
    for _ in range(240):
        strolling.step(0.25)
        for place in ("sideboard", "kitchen"):
            if dist(strolling.people.places()["ben"], HOME.places[place].pose[:2]) < 0.2 and visited[-1:] != [place]:
                visited.append(place)
    assert visited[:4] == ["sideboard", "kitchen", "sideboard", "kitchen"]
    assert strolling.people.places()["anna"] == world.people.places()["anna"]
    at_one_place = Simulation(scene("kitchen"))
    set_out(at_one_place.people, at_one_place.scene, HOME)
    at_one_place.step(30.0)
    assert dist(at_one_place.people.places()["ben"], HOME.places["kitchen"].pose[:2]) < 0.2
    assert not at_one_place.people.walking("ben")


def test_a_place_to_which_nobody_can_walk_is_named(ways: Ways) -> None:
    with pytest.raises(SimulationError, match="nobody can walk to 'garage': the domain file has no such place"):
        ways((2.0, 4.75), ["garage"])
    with pytest.raises(SimulationError, match="nobody can walk to 'kitchen': the robot is not on free floor"):
        ways((-3.0, 0.0), ["kitchen"])
