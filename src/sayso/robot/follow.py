"""Path following for a differential drive: regulated pure pursuit, then a turn to the goal's heading.

Pure pursuit (Coulter 1992, CMU-RI-TR-92-01) steers along the arc through a point of the path one look-ahead away, curvature
κ = 2y/L². Regulated pure pursuit (Macenski, Singh, Martín, Ginés 2023, Autonomous Robots 47) scales the look-ahead with the speed,
slows down in tight curves, near obstacles and near the goal, and turns on the spot if the path starts sideways or behind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sayso.robot.geometry import Point2, Pose, wrap
from sayso.robot.map import RobotMap
from sayso.robot.skill import SkillStuck
from sayso.types import FloatArray


@dataclass(frozen=True, slots=True)
class Limits:
    """Driving limits. The defaults suit a household base half a metre wide."""

    speed: float = 0.6  # m/s
    turning: float = 1.5  # rad/s
    acceleration: float = 0.8  # m/s²
    angular_acceleration: float = 3.0  # rad/s²
    slowest: float = 0.06  # m/s until the goal is reached
    lookahead_time: float = 0.9  # s: the look-ahead is the distance driven in this time …
    lookahead: tuple[float, float] = (0.25, 0.6)  # m: … within these bounds
    tight_radius: float = 0.7  # m: slower in curves tighter than this
    near_obstacle: float = 0.45  # m of clearance: slower below it
    rotate_above: float = 0.8  # rad: turn on the spot if the path's bearing is larger
    rotate_until: float = 0.15  # rad
    reached: float = 0.03  # m from the goal
    passed: float = 0.08  # m: a goal passed within this distance counts as reached
    aligned: float = 0.03  # rad from the goal's heading
    patience: float = 4.0  # s without getting 2 cm or 1.5° nearer, after which the robot is stuck


class Ramp:
    """Limits commanded speeds to the accelerations the base can follow, tick by tick."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._v = self._w = 0.0
        self._last = math.nan

    def __call__(self, v: float, w: float, now: float) -> tuple[float, float]:
        """The speeds to command now: towards the wanted ones, within the acceleration limits."""
        seconds = 0.05 if math.isnan(self._last) else min(max(now - self._last, 0.0), 0.2)
        self._last = now
        self._v += float(np.clip(v - self._v, -self._limits.acceleration * seconds, self._limits.acceleration * seconds))
        turn = self._limits.angular_acceleration * seconds
        self._w += float(np.clip(w - self._w, -turn, turn))
        return self._v, self._w


class ProgressChecker:
    """Detects that the robot makes no progress."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._best = math.inf
        self._since = math.nan

    def __call__(self, rest: float, now: float, pose: Pose) -> None:
        """Check the progress; `rest` is what remains: 1 unit is a metre or 1.3 radians.

        Raises:
            SkillStuck: `rest` has not fallen by 0.02 for `patience` seconds.
        """
        if rest < self._best - 0.02 or math.isnan(self._since):
            self._best, self._since = rest, now
        elif now - self._since > self._patience:
            raise SkillStuck(f"stuck at ({pose.x:.1f}, {pose.y:.1f}): no progress for {self._patience:.0f} s")


class Turning:
    """Turns on the spot by an angle, also by more than a full turn."""

    def __init__(self, angle: float, limits: Limits | None = None, ramp: Ramp | None = None) -> None:
        """`angle` rad to the left; `ramp` of the motion that this one continues, if any."""
        self._limits = limits or Limits()
        self._ramp, self._watch = ramp or Ramp(self._limits), ProgressChecker(self._limits.patience)
        self.rest = angle  # rad still to turn, to the left
        self._yaw = math.nan

    @property
    def arrived(self) -> bool:
        """Whether the turn is complete."""
        return abs(self.rest) <= self._limits.aligned

    def __call__(self, pose: Pose, now: float) -> tuple[float, float]:
        """The speeds (v, w) to command now."""
        if not math.isnan(self._yaw):
            self.rest -= wrap(pose.yaw - self._yaw)
        self._yaw = pose.yaw
        self._watch(abs(self.rest) * 0.75, now, pose)
        return self._ramp(0.0, turning_speed(self.rest, self._limits), now)


class PathFollower:
    """Follows a path, then turns to the wanted heading, if there is one."""

    def __init__(
        self, path: FloatArray, yaw: float | None, robot_map: RobotMap, limits: Limits | None = None, ramp: Ramp | None = None
    ) -> None:
        """`path` (N, 2), m; `yaw` rad in the map frame, None for any heading; `ramp` of the motion that this one continues, if any."""
        self._path, self._yaw, self._map = path, yaw, robot_map
        self._limits = limits or Limits()
        self._ahead = np.concatenate([np.cumsum(np.hypot(*np.diff(path, axis=0).T)[::-1])[::-1], [0.0]])  # m to the end, from each point
        self._ramp, self._watch = ramp or Ramp(self._limits), ProgressChecker(self._limits.patience)
        self._at = 0  # the nearest point of the path, never going back
        self._speed = 0.0
        self._rotating = False
        self._turning: Turning | None = None
        self.arrived = False
        self.length = float(self._ahead[0])  # m
        self.remaining = self.length

    def __call__(self, pose: Pose, now: float) -> tuple[float, float]:
        """The speeds (v, w) to command now; (0, 0) once `arrived`.

        Raises:
            SkillStuck: the robot does not get on.
        """
        if self._turning is None and self._is_there(pose):
            self.remaining = 0.0
            self._turning = Turning(0.0 if self._yaw is None else wrap(self._yaw - pose.yaw), self._limits, self._ramp)
        if self._turning is not None:
            speeds = self._turning(pose, now)
            self.arrived = self._turning.arrived
            return (0.0, 0.0) if self.arrived else speeds
        return self._pursue(pose, now)

    def _is_there(self, pose: Pose) -> bool:
        distance = pose.distance(self._goal)
        behind = abs(pose.bearing(self._goal)) > self._limits.rotate_above
        return distance <= self._limits.reached or (behind and distance <= self._limits.passed)

    @property
    def _goal(self) -> Point2:
        return float(self._path[-1, 0]), float(self._path[-1, 1])

    def _pursue(self, pose: Pose, now: float) -> tuple[float, float]:
        limits = self._limits
        window = self._path[self._at : self._at + 20]
        self._at += int(np.argmin(np.hypot(*(window - pose.xy).T)))
        self.remaining = float(self._ahead[self._at]) + pose.distance(tuple(self._path[self._at])) * (self._at == len(self._path) - 1)
        carrot = self._carrot(pose)
        side = pose.bearing(carrot)
        self._rotating = abs(side) > (limits.rotate_until if self._rotating else limits.rotate_above)
        self._watch(self.remaining + pose.distance(carrot) + 0.75 * abs(side) * self._rotating, now, pose)
        if self._rotating:
            v, w = 0.0, turning_speed(side, limits)
        else:
            curvature = 2 * math.sin(side) / max(pose.distance(carrot), 0.05)
            v = self._regulated(pose, curvature)
            w = v * curvature
        self._speed, turn = self._ramp(v, w, now)
        return self._speed, turn

    def _carrot(self, pose: Pose) -> Point2:
        """The first point of the path at least a look-ahead away, or its end."""
        lookahead = float(np.clip(self._speed * self._limits.lookahead_time, *self._limits.lookahead))
        rest = self._path[self._at :]
        away = np.hypot(*(rest - pose.xy).T) >= lookahead
        point = rest[int(np.argmax(away))] if away.any() else rest[-1]
        return float(point[0]), float(point[1])

    def _regulated(self, pose: Pose, curvature: float) -> float:
        limits = self._limits
        speed = limits.speed
        if abs(curvature) > 1 / limits.tight_radius:
            speed /= abs(curvature) * limits.tight_radius
        clearance = float(self._map.clearances(np.array([pose.xy]))[0])
        if clearance < limits.near_obstacle:
            speed *= max(0.35, (clearance - self._map.radius) / (limits.near_obstacle - self._map.radius))
        # v² = 2as stops at the goal; using half of the deceleration leaves room for the ramp and the drive's lag.
        speed = min(speed, math.sqrt(limits.acceleration * max(self.remaining - limits.reached, 0.0)))
        return min(max(speed, limits.slowest), limits.turning / max(abs(curvature), 1e-6))


def turning_speed(angle: float, limits: Limits) -> float:
    """Angular speed with `angle` still to turn: w² = 2αφ with half of the deceleration, above a minimum."""
    speed = math.sqrt(limits.angular_acceleration * abs(angle) / 2)
    return math.copysign(min(max(speed, 0.1), limits.turning), angle)
