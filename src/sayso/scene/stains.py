"""Stains on furniture, in the map frame."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

from sayso.scene.layout import size_of, surfaces_of, turned
from sayso.scene.scene import Point3, Scene

RADIUS = 0.05  # m


@dataclass(frozen=True, slots=True)
class Stain:
    """A round stain that lies flat."""

    furniture: str  # its id
    at: Point3  # m, its middle


def stains(scene: Scene) -> tuple[Stain, ...]:
    """All stains of a scene. One beside every surface of its furniture is on the nearest one's height; `off_surface` tells."""
    found = []
    for name, placed in scene.furniture.items():
        front = size_of(scene, placed)[0] / 2
        for right, behind in placed.stains:
            x, y = turned(front - behind, right, radians(placed.yaw), placed.at)
            under = min(surfaces_of(scene, name), key=lambda surface: surface.distance(x, y), default=None)
            if under is not None:
                found.append(Stain(name, (x, y, under.top)))
    return tuple(found)


def off_surface(scene: Scene, furniture_id: str) -> list[int]:
    """The numbers of the stains of that furniture that lie on none of its surfaces."""
    placed = scene.furniture[furniture_id]
    front, wrong = size_of(scene, placed)[0] / 2, []
    for number, (right, behind) in enumerate(placed.stains):
        x, y = turned(front - behind, right, radians(placed.yaw), placed.at)
        if all(surface.distance(x, y) > 0.0 for surface in surfaces_of(scene, furniture_id)):
            wrong.append(number)
    return wrong
