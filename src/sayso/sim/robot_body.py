"""The robot in MuJoCo: a round base with two driven wheels, a column with a camera, an arm that turns, lifts and stretches."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, cos, degrees, pi, radians, sin, tan
from typing import Any

import numpy as np

from sayso.scene.scene import RobotStart
from sayso.sim.engine import mujoco
from sayso.types import FloatArray

WHEEL_RADIUS = 0.08  # m
TRACK = 0.38  # m between the wheels
RADIUS = 0.25  # m of the base with everything that sticks out
WHITE, SHELL, DARK, ACCENT = [0.93, 0.94, 0.95, 1], [0.80, 0.83, 0.86, 1], [0.16, 0.17, 0.2, 1], [0.16, 0.62, 0.75, 1]
EYES = [0.5, 0.9, 1.0, 1]
VISUAL, COLLISION = 1, 3
TOUCHED = 3  # bits of what the base can bump into: everything solid, and doors and drawers, which touch nothing else


@dataclass(frozen=True, slots=True)
class CameraMount:
    """The camera's pose on the robot and its optics."""

    x: float = 0.1  # m in front of the robot's centre
    z: float = 1.25  # m above the floor
    pitch: float = radians(28)  # down: it sees a 0.5 m high table from 0.6 m away, and a counter from across the room
    width: int = 320
    height: int = 240
    fov: float = radians(70)  # horizontal

    @property
    def focal(self) -> float:
        """Focal length in pixels, the same for both axes."""
        return self.width / 2 / tan(self.fov / 2)

    @property
    def fov_vertical(self) -> float:
        """Vertical field of view, rad."""
        return 2 * atan2(self.height / 2, self.focal)

    @property
    def intrinsics(self) -> tuple[float, float, float, float]:
        """fx, fy, cx, cy in pixels; the centre of pixel (0, 0) is at (0, 0)."""
        return self.focal, self.focal, (self.width - 1) / 2, (self.height - 1) / 2


CAMERA = CameraMount()


def mounted_camera() -> FloatArray:
    """(4, 4) pose of the camera's optical frame (z forward, x right, y down) on the robot."""
    down = CAMERA.pitch
    pose = np.eye(4)
    pose[:3, :3] = np.array([(0.0, -1.0, 0.0), (-sin(down), 0.0, -cos(down)), (cos(down), 0.0, -sin(down))]).T
    pose[:3, 3] = CAMERA.x, 0.0, CAMERA.z
    return pose


@dataclass(frozen=True, slots=True)
class ArmPose:
    """Joint positions of the arm: cylinder coordinates around the robot's centre."""

    yaw: float  # rad, 0 forward
    lift: float  # m above the floor
    stretch: float  # m from the robot's centre to the fingers


FOLDED = ArmPose(-pi / 2, 0.6, 0.22)
SLOTS = ((-0.1, 0.13), (-0.1, -0.13))  # m: the middles of the basket's slots on the robot, behind the column
CARRYING = ArmPose(-0.42, 1.0, 0.3)  # the held object is in view, low on the right


def add_robot(spec: Any, start: RobotStart) -> None:
    """Bodies "robot" (origin on the floor between the wheels) and "hand", camera "camera", named joints and actuators."""
    yaw = radians(start.yaw)
    robot = spec.worldbody.add_body(name="robot", pos=[*start.at, 0.0], quat=[cos(yaw / 2), 0, 0, sin(yaw / 2)])
    robot.add_freejoint(name="robot")
    _add_base(robot)
    for side, name in ((1.0, "left"), (-1.0, "right")):
        _add_wheel(spec, robot, side, name)
    _add_head(robot)
    _add_arm(spec, robot)


def _cylinder(body: Any, radius: float, bottom: float, top: float, rgba: list[float], **more: Any) -> None:
    at = more.pop("at", (0.0, 0.0))
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[radius, (top - bottom) / 2, 0],
        pos=[*at, (top + bottom) / 2],
        rgba=rgba,
        **{"mass": 0.0, "contype": 0, "conaffinity": 0, "group": VISUAL, **more},
    )


def _add_base(robot: Any) -> None:
    # A low, heavy hull, so that braking does not tip the robot; the visible parts have no mass.
    _cylinder(
        robot, RADIUS, 0.05, 0.32, [1, 1, 1, 0.2], mass=24.0, contype=1, conaffinity=TOUCHED, group=COLLISION, friction=[0.2, 0.005, 0.0001]
    )
    _cylinder(
        robot, 0.07, 0.32, 1.32, [1, 1, 1, 0.2], mass=2.0, contype=1, conaffinity=TOUCHED, group=COLLISION, friction=[0.2, 0.005, 0.0001]
    )
    _cylinder(robot, 0.24, 0.05, 0.25, WHITE, material="gloss4")
    _cylinder(robot, 0.25, 0.1, 0.14, ACCENT, material="gloss4")
    _cylinder(robot, 0.19, 0.25, 0.3, SHELL, material="gloss3")
    _cylinder(robot, 0.045, 0.3, 1.15, SHELL, material="gloss5")
    for slot in SLOTS:
        _cylinder(robot, 0.09, 0.315, 0.33, ACCENT, material="gloss4", at=slot)
    for name, x in (("front", 0.19), ("back", -0.19)):
        # The larger friction of a contact pair wins unless one geom has priority: with it, casters slide on every floor.
        robot.add_geom(
            name=f"caster/{name}",
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[0.03, 0, 0],
            pos=[x, 0, 0.03],
            mass=0.3,
            group=COLLISION,
            priority=1,
            condim=1,
        )


def _add_wheel(spec: Any, robot: Any, side: float, name: str) -> None:
    wheel = robot.add_body(name=f"wheel/{name}", pos=[0, side * TRACK / 2, WHEEL_RADIUS])
    wheel.add_joint(name=f"wheel/{name}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 1, 0], damping=0.01, armature=0.02)
    lying = [cos(pi / 4), sin(pi / 4), 0, 0]
    cylinder, ellipsoid = mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_ELLIPSOID
    wheel.add_geom(type=cylinder, size=[WHEEL_RADIUS, 0.02, 0], quat=lying, mass=1.0, rgba=DARK, group=VISUAL, contype=0, conaffinity=0)
    # It touches the floor in one point. A cylinder touches it along a line, which scrubs in a turn: the robot turned 3 % too little.
    wheel.add_geom(
        type=ellipsoid, size=[WHEEL_RADIUS, WHEEL_RADIUS, 0.02], quat=lying, mass=0.0, friction=[1.5, 0.005, 0.0001], group=COLLISION
    )
    motor = spec.add_actuator(name=f"wheel/{name}", target=f"wheel/{name}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_velocity(kv=20.0)
    motor.forcerange, motor.forcelimited = [-25, 25], True


def _add_head(robot: Any) -> None:
    box = mujoco.mjtGeom.mjGEOM_BOX
    still: dict[str, Any] = {"mass": 0.0, "contype": 0, "conaffinity": 0, "group": VISUAL}
    robot.add_geom(type=box, size=[0.075, 0.11, 0.075], pos=[0.0, 0, 1.24], rgba=WHITE, material="gloss4", **still)
    robot.add_geom(type=box, size=[0.004, 0.095, 0.058], pos=[0.074, 0, 1.245], rgba=DARK, material="gloss8", **still)
    for y in (0.04, -0.04):
        robot.add_geom(type=mujoco.mjtGeom.mjGEOM_ELLIPSOID, size=[0.005, 0.014, 0.02], pos=[0.078, y, 1.25], rgba=EYES, **still)
    # MuJoCo's cameras look along their own −z with y up: the camera's x is the robot's right.
    down = CAMERA.pitch
    right, up, back = (0.0, -1.0, 0.0), (sin(down), 0.0, cos(down)), (-cos(down), 0.0, sin(down))
    turned = np.empty(4)
    mujoco.mju_mat2Quat(turned, np.array([right, up, back]).T.ravel())
    robot.add_camera(name="camera", pos=[CAMERA.x, 0, CAMERA.z], quat=turned, fovy=degrees(CAMERA.fov_vertical))


def _add_arm(spec: Any, robot: Any) -> None:
    still: dict[str, Any] = {"contype": 0, "conaffinity": 0, "group": VISUAL}
    capsule, box = mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_BOX
    lift = robot.add_body(name="lift", gravcomp=1.0)
    _joint(lift, "arm/lift", mujoco.mjtJoint.mjJNT_SLIDE, [0, 0, 1], (0.0, 1.4))
    _joint(lift, "arm/yaw", mujoco.mjtJoint.mjJNT_HINGE, [0, 0, 1], (-pi, pi))
    _cylinder(lift, 0.062, -0.035, 0.035, DARK, mass=0.5)
    lift.add_geom(type=capsule, size=[0.026, 0, 0], fromto=[0.02, 0, 0, 0.16, 0, 0], rgba=SHELL, mass=0.2, material="gloss4", **still)
    hand = lift.add_body(name="hand", gravcomp=1.0)
    _joint(hand, "arm/stretch", mujoco.mjtJoint.mjJNT_SLIDE, [1, 0, 0], (0.1, 1.0))
    hand.add_geom(type=capsule, size=[0.015, 0, 0], fromto=[-0.42, 0, 0, -0.05, 0, 0], rgba=DARK, mass=0.2, material="gloss6", **still)
    hand.add_geom(type=box, size=[0.012, 0.04, 0.02], pos=[-0.05, 0, 0], rgba=ACCENT, mass=0.1, **still)
    for y in (0.034, -0.034):
        hand.add_geom(type=box, size=[0.024, 0.006, 0.016], pos=[-0.02, y, 0], rgba=DARK, mass=0.02, **still)
    for name, kp in (("lift", 4000.0), ("yaw", 400.0), ("stretch", 3000.0)):
        motor = spec.add_actuator(name=f"arm/{name}", target=f"arm/{name}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_position(kp=kp, dampratio=1.0)


def _joint(body: Any, name: str, kind: Any, axis: list[float], limits: tuple[float, float]) -> None:
    body.add_joint(name=name, type=kind, axis=axis, range=list(limits), limited=mujoco.mjtLimited.mjLIMITED_TRUE, armature=0.05)
