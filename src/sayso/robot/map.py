"""The robot's static map: free floor, distance to obstacles, and the place at a point."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sayso.domain import Domain
from sayso.robot.geometry import Box, Point2, Point3, Pose, RoomFloor, Standing
from sayso.scene.fittings import Fitting, fittings, switches
from sayso.scene.layout import Rectangle, hand_of, middles, obstacles, stands
from sayso.scene.scene import Scene
from sayso.types import FloatArray

CELL = 0.05  # m
RADIUS = 0.25  # m, the robot's footprint is a disc
MARGIN = 0.05  # m added to the radius: the largest deviation of the follower from its path
AT_PLACE = 0.75  # m: within this distance of a place's pose the robot is at it
HANGING = 1.4  # m: the robot passes under anything higher
CARRIED = 0.38  # m: anything nearer to the robot's centre is in its own hand
REACH_OVER = 0.15  # m: objects on a shelf may stand a little beyond the room's floor

_HALF_DIAGONAL = CELL * math.sqrt(0.5)


@dataclass(frozen=True)
class RobotMap:
    """Occupancy grid of 5 cm with a distance field, and the home's places, furniture, rooms and people.

    Row r, column c of the arrays is the cell whose centre is (x0 + (c + ½)·CELL, y0 + (r + ½)·CELL).
    """

    domain: Domain
    origin: Point2  # m, the lower left corner of the grid
    shape: tuple[int, int]  # rows (y), columns (x)
    boxes: tuple[Box, ...]
    surfaces: tuple[Box, ...] = ()
    rooms: tuple[RoomFloor, ...] = ()
    people: tuple[Standing, ...] = ()
    fittings: tuple[Fitting, ...] = ()  # doors and drawers of the furniture
    switches: Mapping[str, Point3] = field(default_factory=dict)  # appliance → its switch, m
    middles: Mapping[str, Point3] = field(default_factory=dict)  # furniture or room → its middle, m
    opened: frozenset[str] = frozenset()  # furniture whose door or drawer is open
    radius: float = RADIUS

    @classmethod
    def from_scene(cls, scene: Scene, domain: Domain) -> RobotMap:
        """The map that a robot would make of this home, with the domain's names."""
        boxes = [_box(rectangle) for rectangle in obstacles(scene) if rectangle.bottom < HANGING]
        low, high = np.min([box.corners.min(axis=0) for box in boxes], axis=0), np.max([box.corners.max(axis=0) for box in boxes], axis=0)
        columns, rows = (int(n) for n in np.ceil((high - low) / CELL) + 2)
        return cls(
            domain,
            origin=(float(low[0]) - CELL, float(low[1]) - CELL),
            shape=(rows, columns),
            boxes=tuple(boxes),
            surfaces=tuple(_box(rectangle) for rectangle in stands(scene)),
            rooms=tuple(RoomFloor(name, *room.area) for name, room in scene.rooms.items()),
            people=tuple(Standing(name, *figure.at, hand_of(scene, name)) for name, figure in scene.people.items()),
            fittings=fittings(scene),
            switches=switches(scene),
            middles=middles(scene),
        )

    def with_open(self, furniture: Collection[str]) -> RobotMap:
        """This map, of a home in which the doors and drawers of that furniture are open: they are in the robot's way."""
        return replace(self, opened=frozenset(furniture))

    def fitting(self, place_id: str) -> Fitting | None:
        """The door or drawer of that furniture, None if it has none."""
        return next((fitting for fitting in self.fittings if fitting.name == place_id), None)

    @cached_property
    def occupied(self) -> NDArray[np.bool_]:
        """(rows, columns): whether an obstacle is within half a cell diagonal of the cell's centre."""
        x, y = self.centres
        occupied = np.zeros(self.shape, dtype=bool)
        for box in (*self.boxes, *(_box(fitting.open) for fitting in self.fittings if fitting.name in self.opened)):
            occupied |= box.distance(x, y) <= _HALF_DIAGONAL
        return occupied

    def crowded(self, boxes: tuple[Box, ...]) -> RobotMap:
        """The map with more obstacles. The grid of the others is kept: to draw it takes as long as a tick of a skill."""
        more = replace(self, boxes=(*self.boxes, *boxes))
        x, y = self.centres
        occupied = self.occupied.copy()
        for box in boxes:
            occupied |= box.distance(x, y) <= _HALF_DIAGONAL
        more.__dict__.update(occupied=occupied, centres=(x, y))
        return more

    @cached_property
    def clearance(self) -> FloatArray:
        """(rows, columns), m: distance from the cell's centre to the nearest obstacle, at most 7 cm too small and never too large.

        Half a diagonal is subtracted: that is how far an obstacle's point may be from the centre of its occupied cell.
        """
        from scipy.ndimage import distance_transform_edt

        distance = distance_transform_edt(~self.occupied, sampling=CELL)
        return np.asarray(np.maximum(distance - _HALF_DIAGONAL, 0.0), dtype=np.float64)

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """(rows, columns): whether the robot's centre may be there."""
        reachable: NDArray[np.bool_] = self.clearance >= self.radius + MARGIN
        return reachable

    @cached_property
    def centres(self) -> tuple[FloatArray, FloatArray]:
        """The cells' centres, m: x and y, each (rows, columns)."""
        rows, columns = np.indices(self.shape)
        return self.origin[0] + (columns + 0.5) * CELL, self.origin[1] + (rows + 0.5) * CELL

    def cell(self, point: Point2) -> tuple[int, int]:
        """(row, column) of the cell with the point; the nearest cell for a point off the map."""
        row, column = int((point[1] - self.origin[1]) // CELL), int((point[0] - self.origin[0]) // CELL)
        return min(max(row, 0), self.shape[0] - 1), min(max(column, 0), self.shape[1] - 1)

    def centre(self, cell: tuple[int, int]) -> Point2:
        """The centre of a cell (row, column)."""
        return self.origin[0] + (cell[1] + 0.5) * CELL, self.origin[1] + (cell[0] + 0.5) * CELL

    def contains(self, point: Point2) -> bool:
        """Whether the point is on the map."""
        return 0 <= point[0] - self.origin[0] <= self.shape[1] * CELL and 0 <= point[1] - self.origin[1] <= self.shape[0] * CELL

    def clearances(self, points: FloatArray) -> FloatArray:
        """(N, 2) points → (N,) metres to the nearest obstacle, interpolated between the cells' centres; 0 off the map."""
        x, y = (points[:, 0] - self.origin[0]) / CELL - 0.5, (points[:, 1] - self.origin[1]) / CELL - 0.5
        rows, columns = self.shape
        column, row = np.clip(x, 0, columns - 2).astype(np.intp), np.clip(y, 0, rows - 2).astype(np.intp)
        right, up = x - column, y - row
        # Not scipy's map_coordinates: it takes four times as long for the few points of a path.
        field = self.clearance
        below = field[row, column] * (1 - right) + field[row, column + 1] * right
        above = field[row + 1, column] * (1 - right) + field[row + 1, column + 1] * right
        on_map = (right >= 0) & (right <= 1) & (up >= 0) & (up <= 1)
        return np.asarray(np.where(on_map, below * (1 - up) + above * up, 0.0), dtype=np.float64)

    def nearest_free(self, point: Point2, within: float = math.inf) -> Point2 | None:
        """The point if it is free, else the centre of the nearest free cell; None if that is farther than `within`."""
        if self.contains(point) and self.free[self.cell(point)]:
            return point
        x, y = self.centres
        distance = np.where(self.free, np.hypot(x - point[0], y - point[1]), np.inf)
        best = np.unravel_index(int(np.argmin(distance)), self.shape)
        return self.centre((int(best[0]), int(best[1]))) if distance[best] <= within else None

    def free_length(self, pose: Pose, heading: float, length: float) -> float:
        """How far the robot can drive straight from the pose along `heading` (map frame), at most `length` metres.

        If it is too close to an obstacle already, it may still drive where the clearance grows.
        """
        steps = np.arange(1, max(1, math.ceil(length / (CELL / 2))) + 1) * (CELL / 2)
        steps[-1] = length
        points = np.column_stack([pose.x + np.cos(heading) * steps, pose.y + np.sin(heading) * steps])
        clearance = self.clearances(points)
        here = float(self.clearances(np.array([pose.xy]))[0])
        blocked = (clearance < self.radius) & (np.diff(clearance, prepend=here) <= 0)
        if not blocked.any():
            return length
        first = int(np.argmax(blocked))
        return float(steps[first - 1]) if first else 0.0

    def separated(self, a: Point2, b: Point2) -> bool:
        """Whether a wall stands between the two points."""
        count = max(2, math.ceil(math.dist(a, b) / (CELL / 2)))
        x, y = np.linspace(a, b, count, dtype=np.float64).T
        return any(bool((box.distance(x, y) < 0).any()) for box in self.boxes if box.wall)

    def room_at(self, point: Point2) -> str:
        """The room's id, empty between rooms and outside; objects on a shelf in the wall belong to the room it faces."""
        inside = next((room.name for room in self.rooms if room.contains(point)), "")
        return inside or next((room.name for room in self.rooms if room.contains(point, REACH_OVER)), "")

    def place_at(self, point: Point2) -> str:
        """The innermost place at the point: the nearest pose in the same room if it is near, else the room."""
        room = self.room_at(point)
        near = [
            (math.dist(place.pose[:2], point), place_id)
            for place_id, place in self.domain.places.items()
            if not room or self.domain.room_of(place_id) == room
        ]
        distance, nearest = min(near, default=(math.inf, ""))
        return nearest if distance <= AT_PLACE else room

    def plausible(self, point: Point3, seen_from: Point2) -> bool:
        """Whether an object seen from there can be at the point.

        It must be on the map, in the same room, neither on the floor nor above a shelf, and not carried by the robot itself.
        """
        if not all(math.isfinite(value) for value in point) or not self.contains(point[:2]) or math.dist(point[:2], seen_from) < CARRIED:
            return False
        here = self.room_at(seen_from)
        same_room = not here or any(room.name == here and room.contains(point[:2], REACH_OVER) for room in self.rooms)
        return same_room and 0.05 <= point[2] <= 1.6

    def surfaces_of(self, place_id: str) -> tuple[Box, ...]:
        """The furniture's flat surfaces on which, or behind whose door, things can be put; `top` is their height."""
        return tuple(surface for surface in self.surfaces if surface.name == place_id)

    def person(self, person_id: str) -> Standing | None:
        """The person's position, None if the map does not have it."""
        return next((person for person in self.people if person.name == person_id), None)


def _box(rectangle: Rectangle) -> Box:
    length, width = 2 * rectangle.half[0], 2 * rectangle.half[1]
    return Box(rectangle.name, rectangle.x, rectangle.y, length, width, rectangle.yaw, rectangle.top, wall=rectangle.name == "wall")
