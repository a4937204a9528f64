"""The home from above, drawn from the scene file: rooms, walls, furniture, people and objects."""

from __future__ import annotations

from collections.abc import Mapping
from math import degrees
from typing import TYPE_CHECKING, Any

from sayso.domain.model import Domain
from sayso.scene.layout import Rectangle, hand_of, obstacles, walls
from sayso.scene.scene import Rgb, Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WALL, INK, FAINT, FURNITURE, EDGE = "#33373d", "#22252a", "#7b7f86", "#dedbd4", "#b3aea4"
MARGIN = 0.25  # m around the outer walls


def draw_floor_plan(axes: Axes, scene: Scene, domain: Domain | None, text: float = 9.0) -> None:
    """Draw everything except the robot and loose objects. Axes in metres of the map frame, text in points.

    Without a domain, ids serve as names.
    """
    x0, y0, x1, y1 = scene.area
    axes.set(xlim=(x0 - MARGIN, x1 + MARGIN), ylim=(y0 - MARGIN, y1 + MARGIN), aspect="equal")
    axes.axis("off")
    for name, room in scene.rooms.items():
        left, bottom, right, top = room.area
        half = (right - left) / 2, (top - bottom) / 2
        area = Rectangle(name, left + half[0], bottom + half[1], 0.0, half, 0.0, 0.0)
        axes.add_patch(_patch(area, _mixed(scene.rgb(room.floor.colors[0]), 0.72)))
    for shape in obstacles(scene):
        if shape.name != "wall" and shape.name not in scene.people:
            axes.add_patch(_patch(shape, FURNITURE, EDGE))
    for shape in walls(scene):
        axes.add_patch(_patch(shape, WALL))
    _name_rooms(axes, scene, domain, text)
    for name in scene.people:
        _draw_person(axes, scene, domain, name, text)


def draw_objects(axes: Axes, domain: Domain, positions: Mapping[str, tuple[float, float, float]]) -> None:
    """Draw each object as a dot in its colour."""
    for name, (x, y, _) in positions.items():
        axes.plot(x, y, "o", color=color_of(domain, name), markersize=4, markeredgecolor=FAINT, markeredgewidth=0.5, zorder=4)


def color_of(domain: Domain, object_id: str) -> str:
    """The object's colour; grey if the domain has none or the name is unknown."""
    from matplotlib.colors import is_color_like

    thing = domain.objects.get(object_id)
    color = thing.attributes.get("color", "") if thing else ""
    return color if is_color_like(color) else "gray"


def _name_rooms(axes: Axes, scene: Scene, domain: Domain | None, text: float) -> None:
    for name, room in scene.rooms.items():
        left, _, right, top = room.area
        spoken = domain.places[name].spoken(name) if domain and name in domain.places else name.replace("_", " ")
        axes.text((left + right) / 2, top - 0.18, spoken, ha="center", va="top", fontsize=text, color=FAINT, zorder=3)


def _draw_person(axes: Axes, scene: Scene, domain: Domain | None, name: str, text: float) -> None:
    x, y = scene.people[name].at
    hand_x, hand_y, _ = hand_of(scene, name)
    axes.plot([x, hand_x], [y, hand_y], color="#8a5a44", linewidth=3, solid_capstyle="round", zorder=5)
    axes.plot(x, y, "o", color="#b9805f", markersize=11, markeredgecolor="white", markeredgewidth=1.2, zorder=5)
    offset, va = (9, "bottom") if hand_y <= y else (-9, "top")  # on the side away from the hand
    style: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": va, "fontsize": text - 1, "color": INK, "zorder": 6}
    axes.annotate(who(domain, name) if domain else name, (x, y), (0, offset), **style)


def who(domain: Domain, person_id: str) -> str:
    """A person's name in a picture: "you" would mean the viewer."""
    return "operator" if person_id == domain.speaker else domain.spoken(person_id)


def _patch(shape: Rectangle, color: Any, edge: str = "none") -> Any:
    from matplotlib.patches import Rectangle as Patch

    corner, size = shape.point(-shape.half[0], -shape.half[1]), (2 * shape.half[0], 2 * shape.half[1])
    return Patch(corner, *size, angle=degrees(shape.yaw), facecolor=color, edgecolor=edge, linewidth=0.8, zorder=2 if edge != "none" else 1)


def _mixed(color: Rgb, white: float) -> Rgb:
    red, green, blue = (white + (1 - white) * part for part in color)
    return red, green, blue
