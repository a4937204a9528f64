"""Ways around people who stand where the map has nobody."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sayso.robot.geometry import Box, Point2
from sayso.robot.path import PathPlanner
from sayso.robot.skill import SkillFailed
from sayso.types import FloatArray

WIDE = 0.6  # m, the square that a person takes, with some room
CLEAR = 0.65  # m from a person's middle to the robot's on a way that passes them


def around(planner: PathPlanner, path: FloatArray, people: Iterable[Point2]) -> FloatArray:
    """The (N, 2) path, m; if people stand on it, another one between its ends; without one the same, as they may step aside."""
    on_it = [at for at in people if _meets(path, at)]
    if not on_it:
        return path
    crowded = PathPlanner(planner.map.crowded(tuple(Box("person", x, y, WIDE, WIDE) for x, y in on_it)))
    try:
        return crowded((float(path[0, 0]), float(path[0, 1])), (float(path[-1, 0]), float(path[-1, 1])))
    except SkillFailed:
        return path


def _meets(path: FloatArray, at: Point2) -> bool:
    """Whether the path comes too near to the person and goes on: its end may be in front of them."""
    away = np.hypot(*(path - at).T)
    return bool(away.min() < CLEAR <= away[-1])
