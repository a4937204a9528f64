"""The floor plan of a random apartment: a hallway, rooms on both sides of it, doors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sayso.random_home.recipe import Range, Recipe
from sayso.scene.layout import Rectangle

CORNER = 0.4  # m between a door and the next corner
DOORWAY = 0.95  # m of free floor in front of a door
STRETCH = 1.35  # the largest factor by which rooms of the shorter row are widened
ATTEMPTS = 200
# m between the hallway's wall and the front door's opening: beside its hinge, so that there is floor to stand on beside the open door.
HINGE_ASIDE = 0.13
FRONT_DOOR = 0.9  # m: the opening of the front door

Area = tuple[float, float, float, float]  # x0, y0, x1, y1 (m)


class NoRoom(Exception):  # noqa: N818 — not an error: it starts another draw
    """The draw does not fit."""


@dataclass(frozen=True, slots=True)
class PlannedWall:
    """A wall along x or y."""

    start: tuple[float, float]
    end: tuple[float, float]
    openings: tuple[Range, ...] = ()  # m from start

    @property
    def along_x(self) -> bool:
        """Whether it runs along x."""
        return self.start[1] == self.end[1]


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """Where rooms, walls and doors are."""

    hallway: str
    rooms: dict[str, Area]
    walls: tuple[PlannedWall, ...]

    @property
    def width(self) -> float:
        """m, along x."""
        return max(area[2] for area in self.rooms.values())

    @property
    def depth(self) -> float:
        """m, along y."""
        return max(area[3] for area in self.rooms.values())

    def doorways(self) -> Iterator[Rectangle]:
        """The floor before and behind each opening, kept free."""
        for wall in self.walls:
            for begin, end in wall.openings:
                middle, half = (begin + end) / 2, (end - begin) / 2
                if wall.along_x:
                    yield Rectangle("door", wall.start[0] + middle, wall.start[1], 0.0, (half, DOORWAY), 0.0, 2.0)
                else:
                    yield Rectangle("door", wall.start[0], wall.start[1] + middle, 0.0, (DOORWAY, half), 0.0, 2.0)


def draw_floor_plan(recipe: Recipe, needed: frozenset[str], rng: np.random.Generator) -> FloorPlan:
    """Draw rooms by their probabilities, always those in `needed`, in two rows along the hallway.

    Raises:
        NoRoom: no arrangement has rows of about equal length.
    """
    for _ in range(ATTEMPTS):
        names = [name for name, room in recipe.rooms.items() if name in needed or rng.random() < room.chance]
        order = [names[index] for index in rng.permutation(len(names))]
        split = len(order) // 2 + int(len(order) % 2 and rng.random() < 0.5)
        rows = order[:split], order[split:]
        widths = [[round(float(rng.uniform(*recipe.rooms[name].width)), 1) for name in row] for row in rows]
        longest = round(max(sum(row) for row in widths), 2)
        if all(row and longest / sum(row) <= STRETCH for row in widths):
            return _plan(recipe, rows, widths, longest, rng)
    raise NoRoom("no two rows of rooms are about equally long")


def _plan(
    recipe: Recipe, rows: tuple[list[str], list[str]], widths: list[list[float]], longest: float, rng: np.random.Generator
) -> FloorPlan:
    south, north = (round(float(rng.uniform(*recipe.depth)), 1) for _ in rows)
    hall = round(south + float(rng.uniform(*recipe.hallway.width)), 1)
    top = round(hall + north, 1)
    rooms: dict[str, Area] = {recipe.hallway.name: (0.0, south, longest, hall)}
    walls = [PlannedWall((0.0, 0.0), (longest, 0.0)), PlannedWall((0.0, top), (longest, top)), PlannedWall((0.0, 0.0), (0.0, top))]
    walls.append(PlannedWall((longest, 0.0), (longest, top), (front_door(rooms[recipe.hallway.name]),)))
    for row, lengths, y0, y1, door_y in ((rows[0], widths[0], 0.0, south, south), (rows[1], widths[1], hall, top, hall)):
        stretch = longest / sum(lengths)
        marks = [0.0, *(round(float(mark) * stretch, 2) for mark in np.cumsum(lengths))]
        marks[-1] = longest
        doors = []
        for name, x0, x1 in zip(row, marks, marks[1:], strict=False):
            rooms[name] = (x0, y0, x1, y1)
            doors.append(_opening(recipe.door, x0, x1, rng))
        walls.append(PlannedWall((0.0, door_y), (longest, door_y), tuple(doors)))
        for mark in marks[1:-1]:
            passage = rng.random() < recipe.passage.chance
            openings = (_opening(recipe.passage.width, 0.0, y1 - y0, rng),) if passage else ()
            walls.append(PlannedWall((mark, y0), (mark, y1), openings))
    return FloorPlan(recipe.hallway.name, rooms, tuple(walls))


def front_door(hallway: Area) -> Range:
    """The opening of the front door in the wall at the end of the hallway, m along y."""
    begin = hallway[1] + HINGE_ASIDE
    return round(begin, 2), round(begin + FRONT_DOOR, 2)


def _opening(width: Range, begin: float, end: float, rng: np.random.Generator) -> Range:
    """A gap of some width between two corners."""
    wide = float(rng.uniform(*width))
    at = float(rng.uniform(begin + CORNER, end - CORNER - wide))
    return round(at, 2), round(at + wide, 2)
