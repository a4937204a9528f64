"""Commanded velocity → wheel speeds, limited in speed and acceleration so that the robot neither slips nor tips."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.sim.robot_body import TRACK, WHEEL_RADIUS


@dataclass(frozen=True, slots=True)
class DriveLimits:
    """Limits of the base."""

    speed: float = 0.8  # m/s
    turning: float = 2.0  # rad/s
    acceleration: float = 0.8  # m/s²
    braking: float = 1.6  # m/s²
    angular: float = 4.0  # rad/s²


class Drive:
    """Follows the last commanded velocity within its limits."""

    def __init__(self, limits: DriveLimits | None = None) -> None:
        self.limits = limits or DriveLimits()
        self._wanted = (0.0, 0.0)
        self._v = self._w = 0.0

    def want(self, v: float, w: float) -> None:
        """Set the velocity, m/s forward and rad/s to the left, until the next call."""
        limits = self.limits
        self._wanted = max(-limits.speed, min(limits.speed, v)), max(-limits.turning, min(limits.turning, w))

    def wheels(self, seconds: float) -> tuple[float, float]:
        """rad/s of the left and right wheel after that many seconds."""
        limits, (v, w) = self.limits, self._wanted
        braking = abs(v) < abs(self._v) or v * self._v < 0.0
        self._v = _towards(self._v, v, (limits.braking if braking else limits.acceleration) * seconds)
        self._w = _towards(self._w, w, limits.angular * seconds)
        return (self._v - self._w * TRACK / 2) / WHEEL_RADIUS, (self._v + self._w * TRACK / 2) / WHEEL_RADIUS


def _towards(value: float, goal: float, step: float) -> float:
    return max(value - step, min(value + step, goal))
