"""A plan on the map: where the objects may be, and the way along the most probable outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING

from sayso.console.floor_plan import INK, color_of, draw_floor_plan
from sayso.domain.model import Domain
from sayso.planning.facts import position
from sayso.scene.scene import Scene
from sayso.types import ObjectBelief, SkillCall

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WAY, LARGEST, LEAST = "#2a9dbb", 0.55, 0.005  # colour; m, radius of the circle for P = 1; P that is still drawn
SAME_PLACE = 0.05  # m
Point = tuple[float, float]


def draw_plan(
    file: Path, scene: Scene, domain: Domain, plans: Sequence[tuple[Mapping[str, ObjectBelief], tuple[SkillCall, ...]]], start: Point
) -> None:
    """Write the picture: for each action P(place) of its objects as circles, and its steps along a way that begins at `start`."""
    from matplotlib.figure import Figure

    x0, y0, x1, y1 = scene.area
    wide = 7.0 * max((x1 - x0) / (y1 - y0), 0.5) ** 0.5
    figure = Figure(figsize=(wide, wide * (y1 - y0) / (x1 - x0) + 0.3), dpi=120, layout="constrained")
    axes = figure.subplots()
    draw_floor_plan(axes, scene, domain)
    for objects, _ in plans:
        for name, belief in objects.items():
            _draw_places(axes, domain, name, belief)
    _draw_way(axes, domain, [call for _, calls in plans for call in calls], start)
    figure.savefig(file)


def _draw_places(axes: Axes, domain: Domain, name: str, belief: ObjectBelief) -> None:
    """Circles whose areas are the probabilities."""
    for place, p in zip(belief.places, belief.probabilities, strict=True):
        at = position(domain, place)
        if at is None or p < LEAST:
            continue
        circle = axes.add_patch(_circle(at, LARGEST * float(p) ** 0.5, color_of(domain, name)))
        circle.set_zorder(7)
        label = f"{domain.spoken(name)} {100 * p:.0f} %"
        axes.annotate(label, at, (0, -12), textcoords="offset points", ha="center", va="top", fontsize=7, color=INK, zorder=9)


def _circle(at: Point, radius: float, color: str):  # type: ignore[no-untyped-def]  # matplotlib's own type needs its import
    from matplotlib.patches import Circle

    return Circle(at, radius, facecolor=color, edgecolor=color, alpha=0.35)


def _draw_way(axes: Axes, domain: Domain, calls: Sequence[SkillCall], start: Point) -> None:
    """Arrows between the places of the steps, which are numbered where they happen."""
    here, steps = start, list[tuple[Point, str]]()
    axes.plot(*start, "o", markersize=12, color=WAY, zorder=8)
    for number, call in enumerate(calls, 1):
        there = next((found for _, value in call.arguments if domain.skills[call.name].speed and (found := position(domain, value))), here)
        if hypot(there[0] - here[0], there[1] - here[1]) > SAME_PLACE:
            arrow = {"arrowstyle": "-|>", "color": WAY, "linewidth": 2.0, "shrinkA": 6, "shrinkB": 6, "connectionstyle": "arc3,rad=0.12"}
            axes.annotate("", there, here, arrowprops=arrow, zorder=8)
        here = there
        steps.append((here, f"{number} {call.name.replace('_', ' ')}"))
    for at in dict.fromkeys(point for point, _ in steps):
        text = "\n".join(label for point, label in steps if point == at)
        box = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": WAY, "alpha": 0.9}
        axes.annotate(text, at, (0, 10), textcoords="offset points", ha="center", va="bottom", fontsize=7, color=INK, bbox=box, zorder=10)
