"""Which things a superlative or a part of a surface leaves, by the truth: the heaviest, those on the left of the desk."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sayso.domain import Domain
from sayso.scene.scene import Scene

_BY_SIZE = {"biggest": -1, "largest": -1, "tallest": -1, "smallest": 1}
_BY_MASS = {"heaviest": -1, "lightest": 1}
_BY_THICKNESS = {"thinnest": 1}
ORDERS = frozenset((*_BY_SIZE, *_BY_MASS, *_BY_THICKNESS))
SIDES = {"left": 1.0, "right": -1.0}  # sign of the way to the left
_CENTRE = 0.25  # share of a surface's width on either side of its middle that is its centre


def measure(domain: Domain, scene: Scene, theme: str, order: str) -> float:
    """What the order compares, smallest first: the home's size (m), the scene's mass (kg) or thickness (m)."""
    if order in _BY_SIZE:
        return _BY_SIZE[order] * domain.objects[theme].size
    thing = scene.objects[theme]
    if order in _BY_MASS:
        return _BY_MASS[order] * (scene.shapes[thing.shape].mass or 0.0) * thing.scale**3
    return _BY_THICKNESS[order] * min(scene.hull(theme).half)


def firsts(domain: Domain, scene: Scene, themes: Sequence[str], order: str) -> list[str]:
    """The first of that order, with all that are equal to it."""
    least = min((measure(domain, scene, theme, order) for theme in themes), default=0.0)
    return [theme for theme in themes if math.isclose(measure(domain, scene, theme, order), least)]


def is_in_part(part: str, aside: float, width: float) -> bool:
    """Whether something that far (m) to the left of the middle of a surface that wide (m) is in its left, right or centre."""
    return SIDES[part] * aside > 0.0 if part in SIDES else abs(aside) <= _CENTRE * width
