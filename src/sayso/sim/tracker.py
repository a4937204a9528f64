"""The robot's person tracker, as a laser scanner all round would be: it sees who is near and not behind a wall or high furniture."""

from __future__ import annotations

from dataclasses import dataclass
from math import atan2, hypot, pi

import numpy as np

from sayso.scene.layout import Rectangle, obstacles
from sayso.sim.world import World
from sayso.types import People

HIDES = 1.2  # m: people are seen over lower furniture


@dataclass(frozen=True, slots=True)
class TrackerSpec:
    """What the tracker can see."""

    range: float = 6.0  # m
    view: float = 2 * pi  # rad, the middle is ahead of the robot
    noise: float = 0.03  # m, standard deviation of x and of y


class PersonTracker:
    """World → the people that the robot sees now, by name: it confuses nobody. `seed` determines the noise."""

    def __init__(self, world: World, seed: int = 0, spec: TrackerSpec | None = None) -> None:
        self._world, self._spec = world, spec or TrackerSpec()
        self._rng = np.random.default_rng([seed, 2])
        blocks = [block for block in obstacles(world.scene) if block.top >= HIDES > block.bottom and block.name not in world.scene.people]
        self._blocks = tuple(blocks)

    def __call__(self, stamp: float) -> People:
        """Who is in range, in view and in the line of sight at this moment (s)."""
        found = {}
        x, y, yaw, *_ = self._world.odometry
        for name in self._world.scene.people:
            at = self._world.person(name)
            aside = (atan2(at[1] - y, at[0] - x) - yaw + pi) % (2 * pi) - pi
            if hypot(at[0] - x, at[1] - y) > self._spec.range or abs(aside) > self._spec.view / 2 or self._hidden((x, y), at[:2]):
                continue
            dx, dy = self._rng.normal(0.0, self._spec.noise, 2)
            found[name] = at[0] + float(dx), at[1] + float(dy), self._spec.noise
        return People(stamp, found)

    def _hidden(self, eye: tuple[float, float], at: tuple[float, float]) -> bool:
        return any(_crosses(block, eye, at) for block in self._blocks)


def _crosses(block: Rectangle, start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Whether the straight line between two points over the floor goes through the rectangle: it is cut by each pair of its sides."""
    (ax, ay), (bx, by) = block.local(*start), block.local(*end)
    enters, leaves = 0.0, 1.0
    for a, b, half in ((ax, bx, block.half[0]), (ay, by, block.half[1])):
        if abs(b - a) < 1e-9:
            if abs(a) > half:
                return False
            continue
        first, second = sorted(((-half - a) / (b - a), (half - a) / (b - a)))
        enters, leaves = max(enters, first), min(leaves, second)
    return enters <= leaves
