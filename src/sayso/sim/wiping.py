"""The pad at the gripper: it wipes a square patch of a surface in strokes, around what stands there, and takes stains away."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from math import dist, hypot
from typing import Any, Protocol

import numpy as np

from sayso.scene.layout import Rectangle
from sayso.scene.scene import Point3
from sayso.scene.stains import STAIN, stains
from sayso.sim.arm import reaching
from sayso.sim.handled import ArmControl, HandledWorld
from sayso.sim.operating import Steps

WIPE = "wipe"
Spot = tuple[float, float]  # m, map frame
PATCH = 0.105  # m from the target to each side
PAD = 0.05  # m, radius of the pad
STROKES = 0.07  # m from one stroke to the next: they overlap
SPEED = 0.35  # m/s of the pad
BESIDE = 0.02  # m between the pad and what stands on the surface
LEVEL = 0.15  # m between the target and the surface's height, at most
ABOVE = 0.02  # m from the surface to the fingers, which hold the pad


class ShownStains(Protocol):
    """Shows and hides stains by their numbers."""

    def show(self, number: int, *, there: bool) -> None:
        """Let a stain be there, or not."""


class StainsInMujoco:
    """The stains of a compiled scene."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def show(self, number: int, *, there: bool) -> None:
        """Paint it, or make it transparent."""
        self._model.geom_rgba[self._model.geom(f"stain/{number}").id, 3] = STAIN[3] if there else 0.0


class Wiper:
    """Wipes, and knows which stains are left. `fails` tells by chance whether a command fails."""

    def __init__(
        self, world: HandledWorld, arm: ArmControl, shown: ShownStains, fails: Callable[[str], bool], period: Callable[[], float]
    ) -> None:
        """`period` tells the seconds between two steps."""
        self._world, self._arm, self._shown, self._fails, self._period = world, arm, shown, fails, period
        self._stains = stains(world.scene)
        self.left = set(range(len(self._stains)))  # numbers of the stains that are not wiped away

    def reset(self) -> None:
        """Every stain is back."""
        for number in range(len(self._stains)):
            self._show(number, there=True)

    def wipe(self, target: Point3, holding: str) -> Steps:
        """Wipe the surface around that point (m, map frame). Where something stands, it is wiped around."""
        if holding:
            return False, f"the gripper holds {holding}"
        if not np.isfinite(target).all():
            return False, "the target is not a point"
        surface = self._surface(target)
        if surface is None:
            return False, "there is no surface at the target"
        x, y, _ = self._world.at
        reach = self._world.scene.gripper.reach
        if hypot(target[0] - x, target[1] - y) > reach:
            return False, f"the target is {hypot(target[0] - x, target[1] - y):.2f} m away, the arm reaches {reach:g} m"
        if self._fails(WIPE):
            return False, f"the pad caught on {surface.name}"
        standing = [(*self._world.middle(name)[:2], self._world.scene.hull(name).radius) for name in self._on(surface)]
        spots = [spot for spot in strokes(surface, target[:2], standing) if dist(spot, (x, y)) <= reach]
        for start, end in zip([*spots[:1], *spots], spots, strict=False):
            yield from self._moved(start, end, surface)
        self._arm.fold()
        return True, f"wiped {surface.name}"

    def facts(self) -> tuple[str, ...]:
        """Which furniture is clean and which is dirty, of what has stains: "clean(desk)". The surface under a thing does not count."""
        found = []
        for name in dict.fromkeys(stain.furniture for stain in self._stains):
            seen = [number for number in self.left if self._stains[number].furniture == name and not self._covered(number)]
            found.append(f"dirty({name})" if seen else f"clean({name})")
        return tuple(found)

    def _moved(self, start: Spot, end: Spot, surface: Rectangle) -> Generator[None, None, None]:
        """Move the pad from one spot to the next at its speed, and rub there."""
        way = rest = dist(start, end) / SPEED
        while True:
            share = 1.0 - max(rest, 0.0) / way if way else 1.0
            now = start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])
            self._arm.snap(reaching(self._world.at, (*now, surface.top + ABOVE), short_of=0.0))
            yield
            if rest <= 0.0 and self._arm.there:
                break
            rest -= self._period()
        for number in tuple(self.left):
            stain = self._stains[number]
            if stain.furniture == surface.name and dist(stain.at[:2], end) <= PAD:
                self._show(number, there=False)

    def _surface(self, target: Point3) -> Rectangle | None:
        near = [each for each in self._world.surfaces if each.distance(*target[:2]) == 0.0 and abs(each.top - target[2]) <= LEVEL]
        return min(near, key=lambda each: abs(each.top - target[2]), default=None)

    def _on(self, surface: Rectangle) -> Iterator[str]:
        """What stands on it."""
        for name in self._world.scene.objects:
            x, y, z = self._world.foot(name)[0]
            if surface.distance(x, y) == 0.0 and abs(z - surface.top) <= LEVEL:
                yield name

    def _covered(self, number: int) -> bool:
        """Whether a thing stands so near that the pad cannot get there."""
        at = self._stains[number].at
        near = [name for name in self._world.scene.objects if abs(self._world.foot(name)[0][2] - at[2]) <= LEVEL]
        return any(dist(self._world.middle(name)[:2], at[:2]) < self._world.scene.hull(name).radius + 2 * PAD + BESIDE for name in near)

    def _show(self, number: int, *, there: bool) -> None:
        (self.left.add if there else self.left.discard)(number)
        self._shown.show(number, there=there)


def strokes(surface: Rectangle, target: Spot, standing: list[tuple[float, float, float]]) -> Iterator[Spot]:
    """The way of the pad's middle over a patch, to and fro, in steps of a stroke's width.

    `standing` is x, y, radius (m) of what stands there.
    """
    own_x, own_y = surface.local(*target)
    lines = np.linspace(-PATCH, PATCH, 1 + round(2 * PATCH / STROKES))
    for row, across in enumerate(lines):
        for along in lines if row % 2 == 0 else lines[::-1]:
            x, y = own_x + float(across), own_y + float(along)
            spot = surface.point(x, y)
            on_it = abs(x) <= surface.half[0] and abs(y) <= surface.half[1]
            if on_it and all(dist(spot, other[:2]) >= other[2] + PAD + BESIDE for other in standing):
                yield spot
