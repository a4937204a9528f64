"""Stains on furniture, in the map frame."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.scene.layout import from_in_front, surfaces_of
from sayso.scene.scene import Point3, Scene

RADIUS = 0.05  # m
STAIN, STAIN_HEIGHT = (0.33, 0.2, 0.1, 0.9), 0.002  # coffee: red, green, blue, alpha; m


@dataclass(frozen=True, slots=True)
class Stain:
    """A round stain that lies flat."""

    furniture: str  # its id
    at: Point3  # m, its middle


def stains(scene: Scene) -> tuple[Stain, ...]:
    """All stains of a scene, each at the height of the nearest surface of its furniture."""
    found = []
    for name, placed in scene.furniture.items():
        for at in placed.stains:
            x, y = from_in_front(scene, name, at)
            under = min(surfaces_of(scene, name), key=lambda surface: surface.distance(x, y), default=None)
            if under is not None:
                found.append(Stain(name, (x, y, under.top)))
    return tuple(found)


def off_surface(scene: Scene, furniture_id: str) -> list[int]:
    """The numbers of the stains of that furniture that lie on none of its surfaces."""
    spots = [from_in_front(scene, furniture_id, at) for at in scene.furniture[furniture_id].stains]
    areas = surfaces_of(scene, furniture_id)
    return [number for number, spot in enumerate(spots) if all(area.distance(*spot) > 0.0 for area in areas)]
