"""What the gripper does at furniture in Gazebo: the steps are those of the embedded simulation, the states are Gazebo's poses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sayso.gazebo.handles import GazeboArm, Handles
from sayso.gazebo.magnet import Grip, Magnet, way_in, way_out
from sayso.gazebo.parts import UNDER, part_names
from sayso.scene import load_scene
from sayso.scene.bodies import Body, loose_bodies, standing_bodies
from sayso.scene.fittings import fittings, switches
from sayso.scene.layout import shelves, turned
from sayso.scene.scene import Point3
from sayso.scene.stains import stains
from sayso.sim.robot_body import CARRYING, FOLDED
from sayso.types import FloatArray

PERIOD, LONG = 0.05, 400  # s; periods


def pose_at(at: Point3, yaw: float) -> FloatArray:
    pose = np.eye(4)
    pose[:2, :2], pose[:3, 3] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]], at
    return pose


class Kitchen:
    """The apartment, whose parts and arm go where they are told at once, unless something is in the way."""

    def __init__(self) -> None:
        self.scene = load_scene()
        self.bodies: dict[str, Body] = {body.name: body for body in standing_bodies(self.scene)}
        self.fittings = {each.name: each for each in fittings(self.scene)}
        self.blocked = False
        self.sent: dict[str, float] = {}
        self.magnet = Magnet(self.scene, robot=(0.0, 0.0, 0.0))
        for body in loose_bodies(self.scene):
            self.magnet.hear_pose(body.name, pose_at(body.at, body.yaw))
        self.arm = GazeboArm(lambda pose: setattr(self.magnet, "arm", pose), self.magnet.reached)
        self.handles = Handles(self.magnet, self.arm, self.send)

    def send(self, part: str, position: float) -> None:
        self.sent[part] = position
        if self.blocked:
            return
        furniture, _, what = part.partition("/")
        body = self.bodies[furniture]
        at, yaw = body.at, body.yaw
        if what == "opens" and body.joint and body.joint.turns:
            at, yaw = (*turned(*body.joint.at[:2], body.yaw, body.at[:2]), body.at[2]), body.yaw + position
        elif what == "opens":
            at = (*turned(position, 0.0, body.yaw, body.at[:2]), body.at[2])
        elif what == "shines":
            at = (*body.at[:2], body.at[2] - UNDER + position)
        self.handles.operated.hear(part, pose_at(at, yaw))

    def stand_before(self, point: Point3) -> None:
        self.magnet.robot = (point[0] - 0.6, point[1], 0.0)

    def do(self, command: str, point: Point3) -> tuple[bool, str]:
        operation = self.handles.request(command, point)
        for _ in range(LONG):
            if operation.done():
                break
            self.handles.advance(PERIOD)
        return operation.result(timeout=0)

    def move(self, command: str, name: str) -> tuple[bool, str]:
        here, there = self.fittings[name].handle(0.0), self.fittings[name].handle(1.0)
        self.magnet.robot = ((here[0] + there[0]) / 2, (here[1] + there[1]) / 2, 0.0)  # both are within reach
        return self.do(command, self.fittings[name].closed_handle)


@pytest.fixture
def kitchen() -> Kitchen:
    return Kitchen()


@pytest.mark.parametrize("name", ["fridge", "front_door", "filing_cabinet"])
def test_a_door_or_drawer_is_opened_and_closed_and_gazebos_poses_tell_it(kitchen: Kitchen, name: str) -> None:
    assert f"closed({name})" in kitchen.handles.facts()
    assert kitchen.move("open", name) == (True, f"opened {name}")
    assert f"open({name})" in kitchen.handles.facts()
    assert kitchen.sent[f"{name}/opens"] == pytest.approx(kitchen.fittings[name].travel)
    assert kitchen.move("open", name) == (True, f"{name} is open already")
    assert kitchen.move("close", name) == (True, f"closed {name}")
    assert f"closed({name})" in kitchen.handles.facts()
    assert kitchen.arm.goal == FOLDED


def test_a_door_that_does_not_move_is_not_reported_as_open(kitchen: Kitchen) -> None:
    kitchen.blocked = True
    assert kitchen.move("open", "fridge") == (False, "fridge is stuck: something is in the way")
    assert "closed(fridge)" in kitchen.handles.facts()


def test_a_lamp_is_switched_on_and_off(kitchen: Kitchen) -> None:
    button = switches(kitchen.scene)["lamp"]
    kitchen.stand_before(button)
    assert "unpowered(lamp)" in kitchen.handles.facts()
    assert kitchen.do("switch_on", button) == (True, "switched lamp on")
    assert "powered(lamp)" in kitchen.handles.facts()
    assert kitchen.do("switch_off", button) == (True, "switched lamp off")
    assert "unpowered(lamp)" in kitchen.handles.facts()


def test_stop_lets_go_of_a_door_where_it_is(kitchen: Kitchen) -> None:
    kitchen.magnet.robot = (*kitchen.fittings["fridge"].handle(0.5)[:2], 0.0)
    operation = kitchen.handles.request("open", kitchen.fittings["fridge"].closed_handle)
    for _ in range(10):
        kitchen.handles.advance(PERIOD)
    assert kitchen.do("stop", (0.0, 0.0, 0.0)) == (True, "")
    assert operation.result(timeout=0) == (False, "stopped")
    assert 0.05 < kitchen.handles.operated.share("fridge") < 0.9


def test_a_pose_that_is_no_number_is_not_believed(kitchen: Kitchen) -> None:
    kitchen.move("open", "fridge")
    assert not kitchen.handles.operated.hear("fridge/opens", np.full((4, 4), math.nan))
    assert "open(fridge)" in kitchen.handles.facts()


def test_the_arm_reaches_into_the_fridge_only_when_it_is_open_and_from_the_front(kitchen: Kitchen) -> None:
    shelf = next(each for each in shelves(kitchen.scene) if each.name == "fridge")
    kitchen.magnet.hear_pose("milk", pose_at((shelf.x, shelf.y, shelf.top), 0.0))
    x, y, z = (float(value) for value in kitchen.magnet.middle("milk"))
    kitchen.stand_before((x, y, z))
    assert kitchen.magnet.plan("grasp", (x, y, z)) == "fridge is not open"
    kitchen.move("open", "fridge")
    kitchen.stand_before((x, y, z))
    grip = kitchen.magnet.plan("grasp", (x, y, z))
    assert isinstance(grip, Grip)
    assert [arm.lift for arm in way_in(FOLDED, grip, full=False)] == [grip.arm.lift] * 2
    out = way_out(grip)
    assert (out[0].lift, out[0].stretch, out[-1]) == (grip.arm.lift, FOLDED.stretch, CARRYING)


def test_the_robot_points_at_the_fridge(kitchen: Kitchen) -> None:
    at = kitchen.bodies["fridge"].at
    kitchen.magnet.robot = (at[0] - 3.0, at[1], 0.0)
    assert kitchen.do("point", (at[0], at[1], 0.9)) == (True, "pointed there")
    assert "pointed_at(fridge)" in kitchen.handles.facts()
    assert kitchen.arm.goal == FOLDED


def test_a_stain_is_lowered_by_wiping_it(kitchen: Kitchen) -> None:
    name = next(each for each in part_names(kitchen.scene) if each.startswith("dining_table/stain"))
    assert "dirty(dining_table)" in kitchen.handles.facts()
    for stain in stains(kitchen.scene):
        if stain.furniture == "dining_table":
            kitchen.stand_before(stain.at)
            assert kitchen.do("wipe", stain.at) == (True, "wiped dining_table")
    assert kitchen.sent[name] == -UNDER
    assert "clean(dining_table)" in kitchen.handles.facts()


def test_before_gazebo_tells_where_the_robot_is_nothing_is_touched(kitchen: Kitchen) -> None:
    kitchen.magnet.robot = None
    assert kitchen.do("open", kitchen.fittings["fridge"].closed_handle) == (
        False,
        "nothing has been heard from Gazebo yet: is the bridge running?",
    )
