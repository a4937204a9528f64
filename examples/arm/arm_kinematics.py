"""Forward and inverse kinematics of a planar arm of two links and a hand on a rotating shoulder.

Replace `joints_at` by your arm's own solver (MoveIt, KDL, the vendor's); the rest of the example uses only this function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Joints = tuple[float, float, float, float]  # rad: shoulder yaw, shoulder pitch (up), elbow, wrist
Point = tuple[float, float, float]  # m, in base_link
# Pitch of the hand, rad above the horizon, the best first: standing things are taken from the front, low ones from above.
PITCHES = tuple(math.radians(angle) for angle in (0, -20, -40, -60, -80, 20))


class OutOfReach(Exception):  # noqa: N818 — an outcome, not an error of the program
    """The arm cannot reach the point; the message is one line for a person."""


@dataclass(frozen=True, slots=True)
class ArmDescription:
    """The contents of arm.yaml."""

    joints: tuple[str, ...]
    shoulder: Point
    upper: float
    fore: float
    hand: float
    limits: tuple[tuple[float, float], ...]
    speed: float
    tucked: Joints
    open: float
    closed: float
    effort: float
    before: float
    lift: float
    trajectory_action: str
    gripper_action: str

    @classmethod
    def load(cls, path: Path) -> ArmDescription:
        """Read the file.

        Raises:
            ValueError: a field is missing, unknown or of the wrong length.
        """
        data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        known = set(cls.__dataclass_fields__)
        if set(data) != known:
            raise ValueError(f"{path}: missing {sorted(known - set(data))}, unknown {sorted(set(data) - known)}")
        for name, length in (("joints", 4), ("limits", 4), ("tucked", 4), ("shoulder", 3)):
            if len(data[name]) != length:
                raise ValueError(f"{path}: {name} has {len(data[name])} entries, not {length}")
        tuples = {
            name: tuple(map(tuple, value)) if name == "limits" else tuple(value) for name, value in data.items() if isinstance(value, list)
        }
        return cls(**{**data, **tuples})


def hand_at(arm: ArmDescription, joints: Joints) -> Point:
    """The fingertips' position in base_link."""
    yaw, shoulder, elbow, wrist = joints
    angle, reach, height = 0.0, 0.0, 0.0
    for turn, length in ((shoulder, arm.upper), (elbow, arm.fore), (wrist, arm.hand)):
        angle += turn
        reach, height = reach + length * math.cos(angle), height + length * math.sin(angle)
    x, y, z = arm.shoulder
    return x + reach * math.cos(yaw), y + reach * math.sin(yaw), z + height


def joints_at(arm: ArmDescription, point: Point, pitch: float) -> Joints | None:
    """The joints that bring the fingertips to the point with the hand at `pitch`, elbow up; None if the limits allow none."""
    x, y, z = (value - origin for value, origin in zip(point, arm.shoulder, strict=True))
    reach, height = math.hypot(x, y) - arm.hand * math.cos(pitch), z - arm.hand * math.sin(pitch)
    far = math.hypot(reach, height)
    if not abs(arm.upper - arm.fore) < far <= arm.upper + arm.fore:
        return None
    # The law of cosines in the triangle shoulder, elbow, wrist.
    elbow = -math.acos(max(-1.0, min(1.0, (far**2 - arm.upper**2 - arm.fore**2) / (2 * arm.upper * arm.fore))))
    shoulder = math.atan2(height, reach) - math.atan2(arm.fore * math.sin(elbow), arm.upper + arm.fore * math.cos(elbow))
    joints = (math.atan2(y, x), shoulder, elbow, pitch - shoulder - elbow)
    return joints if all(low <= joint <= high for joint, (low, high) in zip(joints, arm.limits, strict=True)) else None


def approach(arm: ArmDescription, point: Point) -> tuple[Joints, Joints, Joints]:
    """The joints before the point, at it and above it, all with the same pitch of the hand.

    Raises:
        OutOfReach: no pitch allows all three.
    """
    yaw = math.atan2(point[1] - arm.shoulder[1], point[0] - arm.shoulder[0])
    for pitch in PITCHES:
        ahead = (math.cos(pitch) * math.cos(yaw), math.cos(pitch) * math.sin(yaw), math.sin(pitch))
        back = (point[0] - arm.before * ahead[0], point[1] - arm.before * ahead[1], point[2] - arm.before * ahead[2])
        above = (point[0], point[1], point[2] + arm.lift)
        before, at, lifted = (joints_at(arm, each, pitch) for each in (back, point, above))
        if before and at and lifted:
            return before, at, lifted
    away = math.dist(point, arm.shoulder)
    raise OutOfReach(f"the arm cannot reach {away:.2f} m from its shoulder, at a height of {point[2]:.2f} m")
