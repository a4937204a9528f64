"""People who walk in Gazebo: their motors bring them where they are sent, and their bodies touch the robot alone."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.gazebo import write_world
from sayso.gazebo.magnet import Magnet
from sayso.gazebo.people import AXES, PeopleInGazebo, SentPeople, motor, walkers
from sayso.scene import load_scene
from sayso.scene.scene import Scene

SCENE = load_scene()
SITTING = SCENE.people["ben"].model_copy(update={"pose": "sitting"})


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> ET.Element:
    scene = SCENE.model_copy(update={"people": {**SCENE.people, "ben": SITTING}})
    made = ET.parse(write_world(scene, tmp_path_factory.mktemp("world"))).find("world")
    assert made is not None
    return made


def bits(model: ET.Element) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for each in model.iter("collision"):
        found.setdefault(each.get("name", "").rstrip("0123456789"), set()).add(int(each.findtext("surface/contact/collide_bitmask", "0")))
    return found


def test_who_stands_gets_a_motor_for_each_direction_and_who_sits_is_still(world: ET.Element) -> None:
    anna, ben = (world.find(f"model[@name='{name}']") for name in ("anna", "ben"))
    assert anna is not None
    assert ben is not None
    assert [joint.findtext("child") for joint in anna.findall("joint")] == ["carriage", "slide", "body"]
    motors = [each for each in anna.findall("plugin") if "JointPositionController" in each.get("name", "")]
    assert [each.findtext("topic") for each in motors] == [f"/model/anna/{axis}/position" for axis in AXES]
    assert anna.get("canonical_link") == "body"  # the model's pose is that of the body
    assert (ben.findtext("static"), ben.find("joint")) == ("true", None)


def test_who_walks_touches_the_robot_alone_and_the_hand_what_lies_on_it(world: ET.Element) -> None:
    def of(name: str) -> dict[str, set[int]]:
        model = world.find(f"model[@name='{name}']")
        assert model is not None
        return bits(model)

    (body,), (hand,) = of("anna")["collision"], of("anna")["hand"]
    (robot,), (cup,), (wall,) = of("robot")["collision"], of("red_cup")["hull"], of("wall/0")["collision"]
    assert [bool(body & other) for other in (robot, cup, wall)] == [True, False, False]
    assert [bool(hand & other) for other in (robot, cup, wall)] == [False, True, False]


class _Motors:
    """They bring everybody at once where they are sent."""

    def __init__(self, scene: Scene) -> None:
        self.magnet = Magnet(scene, robot=(3.2, 2.6, 0.0))
        self.sent: dict[str, float] = {}
        for name in walkers(scene):
            self.tell(name)

    def send(self, name: str, position: float) -> None:
        self.sent[name] = position
        self.tell(name.partition("/")[0])

    def tell(self, person: str) -> None:
        figure = self.magnet.scene.people[person]
        ahead, aside, turned = (self.sent.get(motor(person, axis), 0.0) for axis in AXES)
        first = math.radians(figure.yaw)
        pose, yaw = np.eye(4), first + turned
        pose[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
        pose[0, 3] = figure.at[0] + ahead * math.cos(first) - aside * math.sin(first)
        pose[1, 3] = figure.at[1] + ahead * math.sin(first) + aside * math.cos(first)
        assert self.magnet.hear_person(person, pose)


@given(st.floats(-8.0, 8.0), st.floats(-8.0, 8.0), st.floats(-3.1, 3.1))
def test_the_motors_positions_are_the_place_and_the_heading(x: float, y: float, yaw: float) -> None:
    motors = _Motors(SCENE)
    SentPeople(motors.magnet, motors.send).put_person("anna", x, y, yaw)
    assert motors.magnet.person("anna")[:2] == pytest.approx((x, y))
    assert math.remainder(motors.magnet.person("anna")[2] - yaw, math.tau) == pytest.approx(0.0, abs=1e-9)
    assert abs(motors.sent["anna/turn"]) <= math.pi + 1e-9


def test_a_person_goes_round_without_turning_back() -> None:
    motors = _Motors(SCENE)
    people = SentPeople(motors.magnet, motors.send)
    first = math.radians(SCENE.people["anna"].yaw)
    for step in range(1, 9):
        people.put_person("anna", 1.0, 1.0, math.remainder(first + step, math.tau))
        assert motors.sent["anna/turn"] == pytest.approx(step)


def test_who_walks_from_the_start_is_seen_on_the_way() -> None:
    motors, path = _Motors(SCENE), np.array([[4.2, 3.6], [4.2, 2.2]])
    people = PeopleInGazebo(motors.magnet, motors.send, lambda walkers: walkers.walk("operator", path))
    for period in range(40):
        people.advance(0.05 * period)
    assert "operator" in people.seen(2.0).people
    assert math.dist(motors.magnet.person("operator")[:2], SCENE.people["operator"].at) > 0.5


def test_who_is_asked_to_come_walks_behind_the_robot() -> None:
    motors = _Motors(SCENE)
    people = PeopleInGazebo(motors.magnet, motors.send, lambda _: None)
    people.advance(0.0)
    people.hear("Please come with me.")
    motors.magnet.robot = (1.5, 2.6, 0.0)
    for period in range(1, 41):
        people.advance(0.05 * period)
    assert {name.partition("/")[0] for name in motors.sent} == {"operator"}
    assert math.dist(motors.magnet.person("operator")[:2], SCENE.people["operator"].at) > 0.5


def test_a_pose_that_is_no_number_leaves_a_person_where_they_were() -> None:
    magnet = _Motors(SCENE).magnet
    before = magnet.person("anna")
    assert not magnet.hear_person("anna", np.full((4, 4), np.nan))
    assert magnet.person("anna") == before


def test_another_robot_is_seen_among_the_people_so_that_nobody_runs_into_it() -> None:
    motors = _Motors(SCENE)
    motors.magnet.others = ("robot2",)
    people = PeopleInGazebo(motors.magnet, motors.send, lambda _: None, ("robot2",))
    assert not motors.magnet.sees_people
    pose = np.eye(4)
    pose[:2, 3] = 2.0, 1.0
    assert motors.magnet.hear_person("robot2", pose)
    assert motors.magnet.sees_people
    assert people.seen(0.0).people["robot2"] == (2.0, 1.0, 0.0)


def test_a_person_whom_another_robot_led_away_goes_on_from_where_they_are() -> None:
    motors = _Motors(SCENE)
    people = SentPeople(motors.magnet, motors.send)
    people.put_person("anna", 1.0, 1.0, 0.0)
    pose = np.eye(4)
    pose[:2, 3] = 3.0, 1.0
    motors.magnet.hear_person("anna", pose)
    assert people.person("anna")[:2] == (3.0, 1.0)
