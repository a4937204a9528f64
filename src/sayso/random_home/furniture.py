"""Places the furniture of a random apartment: against walls or in the middle, with free floor in front, clear of doorways."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import cos, pi, radians, sin

import numpy as np

from sayso.random_home.recipe import PieceRecipe
from sayso.random_home.rooms import Area, FloorPlan, NoRoom
from sayso.scene.collisions import depth
from sayso.scene.layout import Rectangle, size_of
from sayso.scene.scene import Scene

BEHIND = 0.07  # m from the middle of a wall to the back of the furniture against it
FRONT = 0.95  # m of free floor before a piece, where the robot can stand
AISLE = 0.62  # m of free floor around a piece in the middle
STAND = 0.45  # m from a piece's front edge to the robot's centre
WIDTH = 0.7  # m of the free floor before a piece
ATTEMPTS = 120

Pose = tuple[float, float, float]  # x, y (m), yaw (degrees)


@dataclass
class Furnished:
    """The furniture placed so far."""

    plan: FloorPlan
    home: Scene  # the source of the furniture
    poses: dict[str, Pose] = field(default_factory=dict)  # of furniture, by its id
    chairs: list[Pose] = field(default_factory=list)
    footprints: list[Rectangle] = field(default_factory=list)
    fronts: list[Rectangle] = field(default_factory=list)

    def stand(self, name: str) -> Pose:
        """The pose of the robot at a piece, facing it."""
        x, y, yaw = self.poses[name]
        away = size_of(self.home, self.home.furniture[name])[0] / 2 + STAND
        return round(x + cos(radians(yaw)) * away, 3), round(y + sin(radians(yaw)) * away, 3), (yaw + 180) % 360

    def add(self, name: str, room: str, recipe: PieceRecipe, rng: np.random.Generator) -> None:
        """Place one piece somewhere in its room.

        Raises:
            NoRoom: there is no room for it.
        """
        wide, across, height = size_of(self.home, self.home.furniture[name])
        area = self.plan.rooms[room]
        for _ in range(ATTEMPTS):
            x, y, yaw = _in_the_middle(area, wide, across, rng) if recipe.middle else _at_a_wall(area, wide, across, rng)
            footprint = Rectangle(name, x, y, radians(yaw), (wide / 2, across / 2), 0.0, height)
            half = max(min(across, WIDTH), WIDTH) / 2
            front_x, front_y = footprint.point(wide / 2 + FRONT / 2, 0.0)
            front = Rectangle(name, front_x, front_y, radians(yaw), (FRONT / 2, half), 0.0, height)
            if self._fits(area, footprint, front, AISLE if recipe.middle else 0.02):
                self.poses[name] = x, y, yaw
                self.footprints.append(footprint)
                self.fronts.append(front)
                self._seat(footprint, recipe.chairs)
                return
        raise NoRoom(f"no place for {name} in {room}")

    def is_free(self, x: float, y: float, radius: float) -> bool:
        """Whether nothing is within `radius` (m) of that point."""
        return all(block.distance(x, y) > radius for block in self.footprints)

    def _fits(self, area: Area, footprint: Rectangle, front: Rectangle, apart: float) -> bool:
        around = Rectangle("", footprint.x, footprint.y, footprint.yaw, (footprint.half[0] + apart, footprint.half[1] + apart), 0.0, 0.0)
        return (
            _within(area, front)
            and all(depth(around, other) < 0 for other in self.footprints)
            and all(depth(front, other) < 0 for other in self.footprints)
            and all(depth(footprint, other) < 0 for other in (*self.fronts, *self.plan.doorways()))
        )

    def _seat(self, table: Rectangle, chairs: int) -> None:
        """Add chairs at the ends of a table, pushed a little under it; its front stays free."""
        for side in (1.0, -1.0)[:chairs]:
            x, y = table.point(0.0, side * (table.half[1] + 0.12))
            yaw = table.yaw - side * pi / 2
            self.chairs.append((round(x, 3), round(y, 3), round(np.degrees(yaw)) % 360))
            self.footprints.append(Rectangle("chair", x, y, yaw, (0.21, 0.21), 0.0, 0.9))


def _at_a_wall(area: Area, wide: float, across: float, rng: np.random.Generator) -> Pose:
    """A pose with its back to one of the four walls."""
    x0, y0, x1, y1 = area
    yaw = float(rng.choice([0, 90, 180, 270]))
    low, high = (y0, y1) if yaw in {0, 180} else (x0, x1)
    if high - low < across + 2 * BEHIND:
        raise NoRoom("the wall is too short for it")
    along = round(float(rng.uniform(low + BEHIND + across / 2, high - BEHIND - across / 2)), 2)
    away = BEHIND + wide / 2
    x, y = {0: (x0 + away, along), 90: (along, y0 + away), 180: (x1 - away, along), 270: (along, y1 - away)}[int(yaw)]
    return round(x, 3), round(y, 3), yaw


def _in_the_middle(area: Area, wide: float, across: float, rng: np.random.Generator) -> Pose:
    """A pose in the inner part of the room, parallel to the walls."""
    x0, y0, x1, y1 = area
    yaw = float(rng.choice([0, 90, 180, 270]))
    half_x, half_y = (wide / 2, across / 2) if yaw in {0, 180} else (across / 2, wide / 2)
    room_x, room_y = (x1 - x0) / 2 - half_x - AISLE, (y1 - y0) / 2 - half_y - AISLE
    if min(room_x, room_y) < 0:
        raise NoRoom("the room is too small for it")
    x, y = (x0 + x1) / 2 + float(rng.uniform(-room_x, room_x)), (y0 + y1) / 2 + float(rng.uniform(-room_y, room_y))
    return round(x, 2), round(y, 2), yaw


def _within(area: Area, box: Rectangle) -> bool:
    corners = [box.point(a * box.half[0], b * box.half[1]) for a in (-1, 1) for b in (-1, 1)]
    return all(area[0] + BEHIND < x < area[2] - BEHIND and area[1] + BEHIND < y < area[3] - BEHIND for x, y in corners)
