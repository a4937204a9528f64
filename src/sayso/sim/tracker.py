"""The robot's person tracker, as a laser scanner and cameras all round would be: it sees who is near, and not behind what is high.

How people look it tells as trackers of skeletons and faces do: one label of each kind, wrong now and then, and then for a while.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import atan2, hypot, pi

import numpy as np

from sayso.looks import COLOURS, PersonLook, garment_of, group_of
from sayso.scene.layout import Rectangle, obstacles
from sayso.scene.scene import Scene
from sayso.sim.handled import HandledWorld
from sayso.types import People

HIDES = 1.2  # m: people are seen over lower furniture …
LOW = {"sitting": 0.8, "lying": 0.4}  # … and those who sit or lie over furniture lower than this


@dataclass(frozen=True, slots=True)
class TrackerSpec:
    """What the tracker can see."""

    range: float = 6.0  # m
    view: float = 2 * pi  # rad, the middle is ahead of the robot
    noise: float = 0.03  # m, standard deviation of x and of y
    mistaken: float = 0.1  # P(a label of a look is wrong)
    lasts: float = 1.0  # s for which it stays the same


class PersonTracker:
    """World → the people that the robot sees now, by name: it confuses nobody. `seed` determines the noise."""

    def __init__(self, world: HandledWorld, seed: int = 0, spec: TrackerSpec | None = None) -> None:
        self._world, self._spec = world, spec or TrackerSpec()
        self._rng = np.random.default_rng([seed, 2])
        self._blocks = tuple(block for block in obstacles(world.scene) if block.name not in world.scene.people)
        self._looks = LooksSeen(world.scene, np.random.default_rng([seed, 3]), self._spec)

    def __call__(self, stamp: float) -> People:
        """Who is in range, in view and in the line of sight at this moment (s)."""
        found = {}
        x, y, yaw = self._world.at
        for name in self._world.scene.people:
            at = self._world.person(name)
            aside = (atan2(at[1] - y, at[0] - x) - yaw + pi) % (2 * pi) - pi
            if hypot(at[0] - x, at[1] - y) > self._spec.range or abs(aside) > self._spec.view / 2 or self._hidden(name, (x, y), at[:2]):
                continue
            dx, dy = self._rng.normal(0.0, self._spec.noise, 2)
            found[name] = at[0] + float(dx), at[1] + float(dy), self._spec.noise
        return People(stamp, found, self._looks(tuple(found), stamp))

    def _hidden(self, name: str, eye: tuple[float, float], at: tuple[float, float]) -> bool:
        height = LOW.get(self._world.scene.people[name].pose, HIDES)
        return any(block.top >= height > block.bottom and _crosses(block, eye, at) for block in self._blocks)


class LooksSeen:
    """Who is seen → the labels that the tracker gives them, each with P(it is right) of this tracker."""

    def __init__(self, scene: Scene, chance: np.random.Generator, spec: TrackerSpec) -> None:
        self._scene, self._chance, self._spec = scene, chance, spec
        self._given: dict[str, tuple[float, tuple[PersonLook, ...]]] = {}  # person → since when (s), the labels

    def __call__(self, people: Collection[str], stamp: float) -> tuple[PersonLook, ...]:
        """The labels of these people at this moment (s)."""
        for name in people:
            since, _ = self._given.get(name, (-np.inf, ()))
            if not 0.0 <= stamp - since < self._spec.lasts:
                p = 1.0 - self._spec.mistaken
                labels = tuple(PersonLook(name, self._seen(look), p) for look in self._scene.people[name].looks)
                self._given[name] = stamp, labels
        return tuple(each for name in people for each in self._given[name][1])

    def _seen(self, look: str) -> str:
        """The label, or another of its kind; clothes are taken for another colour."""
        if self._chance.random() >= self._spec.mistaken:
            return look
        colour, garment = garment_of(look)
        if garment:
            return f"{self._chance.choice([each for each in COLOURS if each != colour])}_{garment}"
        return str(self._chance.choice([each for each in group_of(look) if each != look]))


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
