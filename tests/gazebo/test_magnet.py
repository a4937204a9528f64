"""The magnet gripper in Gazebo: the fingers go to the thing's side, and held objects move up, over and down."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.gazebo.magnet import Grip, Magnet, motor_positions, way
from sayso.scene import load_scene
from sayso.scene.layout import Rectangle, surfaces
from sayso.scene.scene import Scene
from sayso.sim.robot_body import CARRYING, FOLDED, ArmPose
from sayso.types import FloatArray

poses = st.builds(ArmPose, st.floats(-3, 3), st.floats(0.0, 1.4), st.floats(0.1, 1.0))


@given(poses, poses)
def test_a_held_object_moves_sideways_only_at_the_height_of_the_higher_end(start: ArmPose, goal: ArmPose) -> None:
    up, over, down = way(start, goal)
    assert (up.yaw, up.stretch) == (start.yaw, start.stretch)
    assert up.lift == over.lift == max(start.lift, goal.lift)
    assert (over.yaw, over.stretch) == (goal.yaw, goal.stretch)
    assert down == goal


def test_motors_count_from_the_folded_arm() -> None:
    assert set(motor_positions(FOLDED).values()) == {0.0}
    assert motor_positions(CARRYING)["lift"] == CARRYING.lift - FOLDED.lift


@pytest.mark.parametrize(("turned", "short_of"), [(90.0, 0.03), (0.0, 0.17)])
def test_the_fingers_go_to_the_side_of_an_umbrella_that_lies_across_the_way_or_along_it(turned: float, short_of: float) -> None:
    scene = load_scene()
    magnet = Magnet(scene, robot=(0.0, 0.0, math.pi / 2))
    assert magnet.hear_pose("umbrella", pose_at((0.0, 0.6, 0.8), turned))
    grip = magnet.plan("grasp", (0.0, 0.6, 0.83))
    assert isinstance(grip, Grip)
    assert grip.arm.stretch == pytest.approx(0.6 - short_of)


def test_what_hangs_at_the_fingers_is_set_down_where_it_was_asked_for() -> None:
    scene = load_scene()
    desk = surfaces_by_name(scene)["desk"]
    x, y = desk.point(0.0, 0.0)
    magnet = Magnet(scene, robot=(x, y - 0.6, math.pi / 2), arm=CARRYING, holding="umbrella")
    for name in scene.objects:
        magnet.hear_pose(name, pose_at((50.0, 50.0, 0.0), 0.0))
    fx, fy, fz = magnet.fingers
    angle = math.pi / 2 + CARRYING.yaw
    magnet.hear_pose("umbrella", pose_at((fx + 0.03 * math.cos(angle), fy + 0.03 * math.sin(angle), fz), 90.0))
    grip = magnet.plan("release", (x, y, desk.top))
    assert isinstance(grip, Grip)
    assert grip.arm.stretch == pytest.approx(0.6 - 0.03, abs=1e-6)


def pose_at(foot: tuple[float, float, float], turned: float) -> FloatArray:
    pose = np.eye(4)
    c, s = math.cos(math.radians(turned)), math.sin(math.radians(turned))
    pose[:2, :2] = ((c, -s), (s, c))
    pose[:3, 3] = foot
    return pose


def surfaces_by_name(scene: Scene) -> dict[str, Rectangle]:
    return {surface.name: surface for surface in surfaces(scene)}
