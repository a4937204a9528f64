"""Where the robot's base was at a moment: the odometry's poses around it, and what lies between them."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque

import numpy as np

from sayso.types import FloatArray

KEPT = 128  # poses: more than two seconds of odometry


class RobotTrack:
    """The last poses of the base in the map, by simulated time. A picture's moment lies between two of them.

    With the last pose heard in place of the right one, a robot that turns by 1 rad/s would have its camera 3° beside the truth.
    """

    def __init__(self) -> None:
        self._stamps: deque[float] = deque(maxlen=KEPT)
        self._poses: deque[FloatArray] = deque(maxlen=KEPT)

    @property
    def newest(self) -> float:
        """The stamp of the last pose, s; −∞ before the first."""
        return self._stamps[-1] if self._stamps else -np.inf

    def hear(self, stamp: float, pose: FloatArray) -> bool:
        """Note a (4, 4) pose in m. False if it is no pose (NaN), and nothing is noted. Time that goes back begins a new track."""
        if not np.isfinite(pose).all() or not np.isfinite(stamp):
            return False
        if stamp < self.newest:
            self._stamps.clear()
            self._poses.clear()
        self._stamps.append(stamp)
        self._poses.append(pose)
        return True

    def at(self, stamp: float) -> FloatArray | None:
        """(4, 4) pose at that time, s; None if it lies outside the track."""
        if not self._stamps or not self._stamps[0] <= stamp <= self._stamps[-1]:
            return None
        after = bisect_left(self._stamps, stamp)
        if self._stamps[after] == stamp:
            return self._poses[after].copy()
        share = (stamp - self._stamps[after - 1]) / (self._stamps[after] - self._stamps[after - 1])
        between = (1.0 - share) * self._poses[after - 1] + share * self._poses[after]
        left, _, right = np.linalg.svd(between[:3, :3])  # the nearest rotation, for two that are a few degrees apart
        between[:3, :3] = left @ right
        return between
