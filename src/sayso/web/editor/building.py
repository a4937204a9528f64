"""Rooms and doors that are moved: walls, the rooms beside, and what stands against a moved wall come along.

A scene has rooms and walls side by side, and does not say which belong together. Here, the edges of rooms and the walls of one line
move together as far as they lie beside each other: the wall between two rooms does, and the same line beyond the next room does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sayso.domain import Domain
from sayso.errors import SaysoError
from sayso.scene import Scene
from sayso.scene.collisions import depth
from sayso.scene.layout import Rectangle, size_of
from sayso.scene.scene import Placed, Wall
from sayso.web.editor.asked import name_of, number_of
from sayso.web.editor.changed import DIGITS, Asked, Changed, drawn, known, metres

EDGES = {"west": (0, 0), "south": (1, 0), "east": (0, 1), "north": (1, 1)}  # axis along which it moves; 0: its lower edge, 1: its upper
SAME = 0.02  # m between lines that are meant to be one, besides half a wall
AGAINST = 0.1  # m between a wall and what stands against it, at most
Span = tuple[float, float]  # m


@dataclass(frozen=True, slots=True)
class Shift:
    """A straight line of walls and edges of rooms, and how far it moves."""

    axis: Literal[0, 1]  # 0: it is upright in the plan and moves along x
    at: float  # m on that axis
    spans: tuple[Span, ...]  # m, its parts on the other axis
    by: float  # m
    near: float  # m from the line that still count as on it

    def beside(self, at: float, span: Span) -> bool:
        """Whether a piece at that place belongs to the line: it lies on it, and beside a part of it."""
        return abs(at - self.at) <= self.near and any(_overlap(span, part) > SAME for part in self.spans)

    def ends(self, at: float, point: float) -> bool:
        """Whether a wall across the line ends on it."""
        return abs(at - self.at) <= self.near and any(low - self.near <= point <= high + self.near for low, high in self.spans)


def room_changes(domain: Domain, scene: Scene | None, asked: Asked) -> Iterator[Changed]:
    """Put edges of a room elsewhere: {"west": 3.5, "north": 4.0} in m, at most one of two opposite ones.

    Raises:
        SaysoError: there is no such room or edge.
    """
    scene = drawn(scene)
    room, edges = known(name_of(asked, "id"), scene.rooms), asked.get("edges")
    if not isinstance(edges, dict) or not edges or not set(edges) <= set(EDGES) or len({EDGES[edge][0] for edge in edges}) < len(edges):
        raise SaysoError(f"edges: one of {', '.join(EDGES)}, or two that meet in a corner, with a number of metres each")
    shifts = [_shift(scene, room, edge, round(number_of(to, edge), DIGITS)) for edge, to in edges.items()]
    yield from _rooms(scene, shifts)
    yield from _walls(scene, shifts)
    yield from _against(domain, scene, shifts)


def door_changes(scene: Scene | None, asked: Asked) -> Iterator[Changed]:
    """Move a doorway along its wall, so that its middle is near x, y (m), or give it another width (m).

    Raises:
        SaysoError: there is no such doorway, or no room for it in the wall.
    """
    scene = drawn(scene)
    index, number = door_of(scene, asked.get("id"))
    wall = scene.walls[index]
    begin, end = wall.openings[number]
    width = end - begin if asked.get("width") is None else number_of(asked["width"], "width")
    middle = (begin + end) / 2
    if asked.get("x") is not None:
        x, y = number_of(asked["x"], "x"), number_of(asked.get("y"), "y")
        middle = ((x - wall.start[0]) * (wall.end[0] - wall.start[0]) + (y - wall.start[1]) * (wall.end[1] - wall.start[1])) / wall.length
    low = wall.openings[number - 1][1] if number else 0.0
    high = wall.openings[number + 1][0] if number + 1 < len(wall.openings) else wall.length
    low, high = low + scene.wall_thickness, high - scene.wall_thickness
    if not 0 < width <= high - low:
        raise SaysoError(f"width: the wall has room for a doorway of at most {max(high - low, 0.0):.2f} m here")
    begin = min(max(middle - width / 2, low), high - width)
    openings = [metres(*opening) for opening in wall.openings]
    openings[number] = metres(begin, begin + width)
    yield Changed("scene", ("walls", index, "openings"), openings)


def door_of(scene: Scene, name: Any) -> tuple[int, int]:
    """The wall and the opening that a name like "4.0" means: their numbers in the file.

    Raises:
        SaysoError: there is none.
    """
    if not isinstance(name, str) or name not in doors(scene):
        raise SaysoError(f"there is no doorway {str(name)[:20]!r}")
    index, number = (int(each) for each in name.split("."))
    return index, number


def doors(scene: Scene) -> dict[str, tuple[Wall, Span]]:
    """The doorways by name, each with its wall and where it begins and ends in m from the wall's start."""
    return {f"{index}.{number}": (wall, opening) for index, wall in enumerate(scene.walls) for number, opening in enumerate(wall.openings)}


def point_on(wall: Wall, way: float) -> tuple[float, float]:
    """The point of a wall that is so many metres from its start."""
    share = way / wall.length
    return wall.start[0] + share * (wall.end[0] - wall.start[0]), wall.start[1] + share * (wall.end[1] - wall.start[1])


def _shift(scene: Scene, room: str, edge: str, to: float) -> Shift:
    """What belongs to the line of that edge: it grows until no wall and no edge lies beside it any more."""
    axis, side = EDGES[edge]
    area = scene.rooms[room].area
    at, near = area[axis + 2 * side], scene.wall_thickness / 2 + SAME
    line = Shift(axis, at, ((area[1 - axis], area[3 - axis]),), to - at, near)  # type: ignore[arg-type]
    pieces = [(each.area[axis + 2 * end], (each.area[1 - axis], each.area[3 - axis])) for each in scene.rooms.values() for end in (0, 1)]
    pieces += [(wall.start[axis], _span(wall, 1 - axis)) for wall in scene.walls if _across(wall, axis)]
    while True:
        spans = tuple(dict.fromkeys((*line.spans, *(span for place, span in pieces if line.beside(place, span)))))
        if spans == line.spans:
            return line
        line = Shift(line.axis, at, spans, line.by, near)


def _rooms(scene: Scene, shifts: list[Shift]) -> Iterator[Changed]:
    for name, room in scene.rooms.items():
        area = list(room.area)
        for line in shifts:
            for side in (line.axis, line.axis + 2):
                if line.beside(room.area[side], (room.area[1 - line.axis], room.area[3 - line.axis])):
                    area[side] += line.by
        if area != list(room.area):
            yield Changed("scene", ("rooms", name, "area"), metres(*area))


def _walls(scene: Scene, shifts: list[Shift]) -> Iterator[Changed]:
    for index, wall in enumerate(scene.walls):
        start, end = list(wall.start), list(wall.end)
        for line in shifts:
            if _across(wall, line.axis):  # it lies in the direction of the line
                if line.beside(wall.start[line.axis], _span(wall, 1 - line.axis)):
                    start[line.axis] += line.by
                    end[line.axis] += line.by
                continue
            for moved, before in ((start, wall.start), (end, wall.end)):
                if line.ends(before[line.axis], before[1 - line.axis]):
                    moved[line.axis] += line.by
        yield from _moved(wall, index, start, end)


def _moved(wall: Wall, index: int, start: list[float], end: list[float]) -> Iterator[Changed]:
    """A wall with other ends; its doorways stay where they are in the map."""
    for name, before, after in (("start", wall.start, start), ("end", wall.end, end)):
        if list(before) != after:
            yield Changed("scene", ("walls", index, name), metres(*after))
    way = sum((after - before) * (far - before) for before, after, far in zip(wall.start, start, wall.end, strict=True)) / wall.length
    if abs(way) > 10**-DIGITS and wall.openings:
        yield Changed("scene", ("walls", index, "openings"), [metres(begin - way, close - way) for begin, close in wall.openings])


def _against(domain: Domain, scene: Scene, shifts: list[Shift]) -> Iterator[Changed]:
    """What stands against a moved wall, or hangs at it, with the robot's place in front of it."""
    for section, standing in (("furniture", scene.furniture), ("decor", scene.decor)):
        for name, placed in standing.items():
            by = [0.0, 0.0]
            for line in shifts:
                if any(depth(_footprint(scene, placed), wall) > -AGAINST for wall in _whole_walls(scene, line)):
                    by[line.axis] += line.by
            if by == [0.0, 0.0]:
                continue
            yield Changed("scene", (section, name, "at"), metres(placed.at[0] + by[0], placed.at[1] + by[1]))
            if section == "furniture" and name in domain.places:
                x, y, yaw = domain.places[name].pose
                yield Changed("domain", ("places", name, "pose"), metres(x + by[0], y + by[1], yaw))


def _whole_walls(scene: Scene, line: Shift) -> Iterator[Rectangle]:
    """The walls of the line, doorways closed."""
    for wall in scene.walls:
        if _across(wall, line.axis) and line.beside(wall.start[line.axis], _span(wall, 1 - line.axis)):
            half = [scene.wall_thickness / 2] * 2
            half[1 - line.axis] = wall.length / 2
            yield Rectangle("wall", *point_on(wall, wall.length / 2), 0.0, (half[0], half[1]), 0.0, scene.wall_height)


def _footprint(scene: Scene, placed: Placed) -> Rectangle:
    long, across, height = size_of(scene, placed)
    return Rectangle("", *placed.at, math.radians(placed.yaw), (long / 2, across / 2), placed.z, placed.z + height)


def _across(wall: Wall, axis: int) -> bool:
    """Whether the wall lies in a line that moves along that axis."""
    return wall.start[axis] == wall.end[axis]


def _span(wall: Wall, axis: int) -> Span:
    return min(wall.start[axis], wall.end[axis]), max(wall.start[axis], wall.end[axis])


def _overlap(one: Span, other: Span) -> float:
    return min(one[1], other[1]) - max(one[0], other[0])
