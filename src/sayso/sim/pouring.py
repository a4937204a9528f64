"""The held vessel is tilted over another one. Contents are amounts that move while the vessel is tilted: no fluid is simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import asin, atan2, cos, hypot, radians, sin, sqrt

import numpy as np

from sayso.scene.scene import Point3, Scene
from sayso.sim.arm import Arm, Welds
from sayso.sim.handled import arrived
from sayso.sim.operating import Steps
from sayso.sim.robot_body import ArmPose
from sayso.sim.world import World
from sayso.types import FloatArray

POUR = "pour"
TILT = radians(105)  # of the vessel when it pours, to the robot's right
FLOWS = radians(75)  # from which tilt on it flows
TURNING = radians(70)  # rad/s of the wrist
RATE = 60.0  # ml/s
TRICKLE = RATE * (TILT - FLOWS) / TURNING  # ml that still flow while the vessel is turned back
MOST = 400.0  # ml at once
FULL = 0.8  # share of the receiver to which it is filled
ABOVE = 0.04  # m from the receiver's rim to the mouth
TALLEST = 0.2  # m over the rim: from higher up, it splashes beside
LITTLE = 1.0  # ml: less does not count
BESIDE = 0.1  # m by which a pour that fails by chance misses
ARM_LIMITS = ((0.02, 1.38), (0.12, 0.98))  # m, of lift and stretch


@dataclass
class Contents:
    """What is in the scene's vessels, in ml, and what came from where."""

    scene: Scene
    left: dict[str, float] = field(default_factory=dict)  # vessel → ml in it
    moved: dict[tuple[str, str], float] = field(default_factory=dict)  # (from, into) → ml
    spilled: dict[str, float] = field(default_factory=dict)  # vessel → ml beside

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As at the start."""
        self.left = {name: thing.holds for name, thing in self.scene.objects.items() if thing.capacity}
        self.moved, self.spilled = {}, {}

    def room(self, receiver: str) -> float:
        """How many ml until it is as full as it is filled, less what flows while the vessel is turned back."""
        return FULL * self.scene.objects[receiver].capacity - self.left.get(receiver, 0.0) - TRICKLE

    def flow(self, source: str, receiver: str, amount: float) -> None:
        """Let that much (ml) out of a vessel, into the receiver, or beside it where that is empty; what it cannot hold runs over."""
        amount = min(amount, self.left[source])
        self.left[source] -= amount
        inside = min(amount, self.scene.objects[receiver].capacity - self.left[receiver]) if receiver else 0.0
        if inside > 0.0:
            self.left[receiver] += inside
            self.moved[source, receiver] = self.moved.get((source, receiver), 0.0) + inside
        self.spilled[source] = self.spilled.get(source, 0.0) + amount - inside

    def facts(self) -> tuple[str, ...]:
        """What was poured into what, and what was spilled, as literals: "poured(milk, red_cup)", "spilled(milk)"."""
        poured = (f"poured({source}, {receiver})" for (source, receiver), amount in self.moved.items() if amount > LITTLE)
        return (*poured, *(f"spilled({source})" for source, amount in self.spilled.items() if amount > LITTLE))


class Pourer:
    """Pours from the held vessel into one that stands. `fails` tells by chance whether a command fails."""

    def __init__(self, world: World, arm: Arm, welds: Welds, fails: Callable[[str], bool], period: Callable[[], float]) -> None:
        """`period` tells the seconds between two steps."""
        self._world, self._arm, self._welds, self._fails, self._period = world, arm, welds, fails, period
        self.contents = Contents(world.scene)

    def pour(self, source: str, receiver: str) -> Steps:
        """Pour the held vessel's contents into the receiver, which is empty if none is at the target, until it is full."""
        reason = self._objection(source, receiver)
        if reason:
            return False, reason
        miss = BESIDE if self._fails(POUR) else 0.0
        before, spilled = self.contents.left[receiver], self.contents.spilled.get(source, 0.0)
        grasp = Grasp.of(self._world, source, self._welds.held(source))
        stretched = grasp.arm_pose(self._world.odometry[:3], self._mouth_goal(receiver, miss), TILT)
        if stretched is None:
            return False, f"{receiver} is out of the arm's reach"
        self._arm.move(stretched)
        yield from arrived(self._arm)
        try:
            yield from self._tilted(grasp, source, receiver, miss)
        finally:
            self._welds.hold_so(source, *grasp.weld(0.0))
            self._arm.carry()
        poured, beside = self.contents.left[receiver] - before, self.contents.spilled.get(source, 0.0) - spilled
        if beside > LITTLE:
            return False, f"{beside:.0f} ml of {source} went beside {receiver}"
        return True, f"poured {poured:.0f} ml of {source} into {receiver}"

    def _objection(self, source: str, receiver: str) -> str:
        """Why this cannot be poured, empty if it can."""
        left, objects = self.contents.left, self._world.scene.objects
        if not source:
            return "the gripper is empty"
        if left.get(source, 0.0) < LITTLE:
            return f"there is nothing in {source} to pour"
        if not receiver:
            return "there is no vessel at the target"
        if not objects[receiver].capacity:
            return f"nothing can be poured into {receiver}"
        return f"{receiver} is full" if self.contents.room(receiver) < LITTLE else ""

    def _tilted(self, grasp: Grasp, source: str, receiver: str, miss: float) -> Steps:
        """Tilt, let it flow, and hold it upright again."""
        tilt, wanted, before = 0.0, TILT, self.contents.left[source]
        while wanted or tilt:
            way = TURNING * self._period()
            tilt += max(-way, min(way, wanted - tilt))
            self._welds.hold_so(source, *grasp.weld(tilt))
            pose = grasp.arm_pose(self._world.odometry[:3], self._mouth_goal(receiver, miss), tilt)
            if pose is not None:
                self._arm.snap(pose)
            yield
            self._flow(source, receiver)
            poured = before - self.contents.left[source] > MOST - TRICKLE
            if poured or self.contents.left[source] < LITTLE or self.contents.room(receiver) < LITTLE or pose is None:
                wanted = 0.0
        return True, ""

    def _flow(self, source: str, receiver: str) -> None:
        """Let the contents flow for one step, as the vessels are in the world now: into what is under the mouth, or beside it."""
        foot, rotation = self._world.foot(source)
        if rotation[2, 2] > cos(FLOWS):
            return
        height = 2 * self._world.scene.hull(source).half[2]
        mouth = foot + rotation[:, 2] * height
        hull, rim = self._world.scene.hull(receiver), self._world.foot(receiver)[0]
        over = mouth[2] - (rim[2] + 2 * hull.half[2])
        inside = hypot(*(mouth - rim)[:2]) <= min(hull.half[:2]) and 0.0 <= over <= TALLEST
        self.contents.flow(source, receiver if inside else "", RATE * self._period())

    def _mouth_goal(self, receiver: str, miss: float) -> Point3:
        """Where the mouth must be, m."""
        x, y, z = self._world.foot(receiver)[0]
        return float(x) + miss, float(y), float(z) + 2 * self._world.scene.hull(receiver).half[2] + ABOVE


@dataclass(frozen=True, slots=True)
class Grasp:
    """How the vessel sits in the hand while it is upright."""

    middle: FloatArray  # (3,) m, of the vessel, in the hand's frame
    upright: FloatArray  # (4,) quaternion of the vessel in the hand's frame
    half: float  # m, half of its height

    @classmethod
    def of(cls, world: World, object_id: str, weld: tuple[FloatArray, FloatArray]) -> Grasp:
        """From the weld: the vessel's foot and its quaternion in the hand's frame."""
        half = world.scene.hull(object_id).half[2]
        return cls(weld[0] + (0.0, 0.0, half), weld[1], half)

    def weld(self, tilt: float) -> tuple[FloatArray, FloatArray]:
        """The foot (3,) and the quaternion (4,) of the vessel in the hand's frame when its top has turned to the right by that, rad."""
        w, x = cos(tilt / 2), sin(tilt / 2)
        a, b, c, d = self.upright
        turned = np.array([w * a - x * b, w * b + x * a, w * c - x * d, w * d + x * c])
        return self.middle - self._axis(tilt), turned

    def arm_pose(self, pose: tuple[float, float, float], mouth: Point3, tilt: float) -> ArmPose | None:
        """The arm's joints with the mouth of the vessel tilted so far at that point (m), for a robot at x, y, yaw; None: out of reach."""
        x, y, z = self.middle + self._axis(tilt)
        dx, dy = mouth[0] - pose[0], mouth[1] - pose[1]
        away = hypot(dx, dy)
        if abs(y) >= away:
            return None
        stretch, lift = sqrt(away**2 - y**2) - x, mouth[2] - z
        if not all(low <= value <= high for value, (low, high) in zip((lift, stretch), ARM_LIMITS, strict=True)):
            return None
        yaw = atan2(dy, dx) - pose[2] - asin(y / away)
        return ArmPose(atan2(sin(yaw), cos(yaw)), float(lift), float(stretch))

    def _axis(self, tilt: float) -> FloatArray:
        """(3,) m from the vessel's middle to its mouth, in the hand's frame."""
        return self.half * np.array([0.0, -sin(tilt), cos(tilt)])
