"""Doors, drawers and switches of the furniture in the map frame: where their handles are, and which floor they sweep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, radians

import numpy as np

from sayso.scene.layout import Rectangle, stretch, turned
from sayso.scene.scene import Part, Placed, Point2, Point3, Scene
from sayso.scene.shapes import Door
from sayso.types import FloatArray

STEP = 0.05  # m between the points that stand for a moving part
TURNS = 9  # positions of a moving part from closed to open


@dataclass(frozen=True, slots=True)
class Fitting:
    """The door or the drawer of a piece of furniture. How far it is open is a share in [0, 1]."""

    name: str  # id of the furniture
    closed: Rectangle  # the moving part over the floor while it is closed
    closed_handle: Point3  # m
    travel: float  # of a door: rad to the left, of a drawer: m
    hinge: Point2 | None = None  # m; None: a drawer, which moves along `closed.yaw`

    def moved(self, point: Point2, share: float) -> Point2:
        """Where a point of the closed part is when it is open by that share, m."""
        way = share * self.travel
        if self.hinge is None:
            return turned(way, 0.0, self.closed.yaw, point)
        return turned(point[0] - self.hinge[0], point[1] - self.hinge[1], way, self.hinge)

    def handle(self, share: float) -> Point3:
        """The handle when it is open by that share, m."""
        return (*self.moved(self.closed_handle[:2], share), self.closed_handle[2])

    @property
    def open(self) -> Rectangle:
        """The moving part over the floor when it is open: an obstacle then."""
        x, y = self.moved((self.closed.x, self.closed.y), 1.0)
        yaw = self.closed.yaw + (self.travel if self.hinge else 0.0)
        return Rectangle(self.name, x, y, yaw, self.closed.half, self.closed.bottom, self.closed.top)

    @property
    def swept(self) -> FloatArray:
        """(N, 2) m, points over the floor through which the part passes: whoever opens it must stand aside."""
        along, across = (np.linspace(-half, half, 1 + ceil(2 * half / STEP)) for half in self.closed.half)
        points = [self.closed.point(float(a), float(b)) for a in along for b in across]
        return np.array([self.moved(point, share) for share in np.linspace(0.0, 1.0, TURNS) for point in points])


def fittings(scene: Scene) -> tuple[Fitting, ...]:
    """The doors and drawers of the scene's furniture."""
    return tuple(_fittings(scene))


def switches(scene: Scene) -> dict[str, Point3]:
    """Furniture → the button of its switch, m."""
    found = {}
    for name, placed in scene.furniture.items():
        switch = scene.shapes[placed.shape].switch
        if switch is not None:
            found[name] = _mapped(scene, placed, switch.at)
    return found


def _fittings(scene: Scene) -> Iterator[Fitting]:
    for name, placed in scene.furniture.items():
        moving = scene.shapes[placed.shape].moving
        if moving is None:
            continue
        handle = _mapped(scene, placed, moving.handle)
        if isinstance(moving, Door):
            hinge = _mapped(scene, placed, (*moving.hinge, 0.0))[:2]
            yield Fitting(name, _extent(scene, name, placed, moving.parts), handle, radians(moving.opens), hinge)
        else:
            yield Fitting(name, _extent(scene, name, placed, moving.parts), handle, moving.slides * stretch(scene, placed)[0])


def _mapped(scene: Scene, placed: Placed, point: Point3) -> Point3:
    """A point of the shape in the map."""
    sx, sy, sz = stretch(scene, placed)
    return (*turned(sx * point[0], sy * point[1], radians(placed.yaw), placed.at), placed.z + sz * point[2])


def _extent(scene: Scene, name: str, placed: Placed, parts: tuple[Part, ...]) -> Rectangle:
    """The rectangle around the parts over the floor; of a part that is no box, only its middle counts."""
    at = np.array([part.at for part in parts])
    half = np.array([part.box or (0.0, 0.0, 0.0) for part in parts]) / 2
    low, high = (at - half).min(axis=0), (at + half).max(axis=0)
    sx, sy, _ = stretch(scene, placed)
    x, y, bottom = _mapped(scene, placed, (float(low[0] + high[0]) / 2, float(low[1] + high[1]) / 2, float(low[2])))
    top = _mapped(scene, placed, (0.0, 0.0, float(high[2])))[2]
    wide, across = sx * float(high[0] - low[0]) / 2, sy * float(high[1] - low[1]) / 2
    return Rectangle(name, x, y, radians(placed.yaw), (wide, across), bottom, top)
