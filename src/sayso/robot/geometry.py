"""Plane geometry: poses, oriented boxes, rooms. Metres and radians in the map frame (REP 103)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sayso.types import FloatArray

Point2 = tuple[float, float]
Point3 = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Pose:
    """Position of the robot's centre and its heading."""

    x: float  # m
    y: float
    yaw: float  # rad
    stamp: float = 0.0  # s, of the odometry

    @property
    def xy(self) -> Point2:
        """The position alone."""
        return self.x, self.y

    def distance(self, point: Point2) -> float:
        """Distance to the point, m."""
        return math.hypot(point[0] - self.x, point[1] - self.y)

    def bearing(self, point: Point2) -> float:
        """Angle to turn to face the point, rad in (−π, π]."""
        return wrap(math.atan2(point[1] - self.y, point[0] - self.x) - self.yaw)


@dataclass(frozen=True, slots=True)
class Box:
    """A wall or piece of furniture on the map: an oriented box that stands on the floor."""

    name: str  # the place's id for furniture
    x: float  # centre
    y: float
    length: float  # m, along its own x axis
    width: float  # m, along its own y axis
    yaw: float = 0.0
    top: float = 1.0  # m above the floor
    wall: bool = False  # blocks sight and reach

    @property
    def corners(self) -> FloatArray:
        """(4, 2), m."""
        return np.array([self.world(i * self.length / 2, j * self.width / 2) for i in (-1, 1) for j in (-1, 1)])

    def local(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Points of the map in the box's own axes, origin in its centre."""
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return cos * (x - self.x) + sin * (y - self.y), -sin * (x - self.x) + cos * (y - self.y)

    def world(self, along: float, across: float) -> Point2:
        """A point in the box's own axes → the map frame."""
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return self.x + cos * along - sin * across, self.y + sin * along + cos * across

    def distance(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Distance of points from the box in the plane, negative inside (the usual signed distance of a box)."""
        along, across = self.local(x, y)
        dx, dy = np.abs(along) - self.length / 2, np.abs(across) - self.width / 2
        outside = np.hypot(np.maximum(dx, 0.0), np.maximum(dy, 0.0))
        return np.asarray(outside + np.minimum(np.maximum(dx, dy), 0.0))


@dataclass(frozen=True, slots=True)
class RoomFloor:
    """The floor of one room, a rectangle along the map's axes."""

    name: str
    x0: float
    y0: float
    x1: float
    y1: float

    def contains(self, point: Point2, margin: float = 0.0) -> bool:
        """Whether the point is in the room, or at most `margin` metres outside."""
        return self.x0 - margin <= point[0] <= self.x1 + margin and self.y0 - margin <= point[1] <= self.y1 + margin


@dataclass(frozen=True, slots=True)
class Standing:
    """A person on the map: position, and the point where the hand takes and gives things."""

    name: str
    x: float
    y: float
    hand: Point3
    tracked: bool = False  # seen there now, and not where the map has the person


def wrap(angle: float) -> float:
    """The same angle in (−π, π]."""
    return math.pi - (math.pi - angle) % (2 * math.pi)
