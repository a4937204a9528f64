"""Choosing where to stand to reach something, and driving there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sayso.robot.body import RobotState
from sayso.robot.geometry import Point2, Point3
from sayso.robot.skill import Skill, SkillFailed, part

REACH = 0.80  # m from the robot's centre, in the plane
NEAREST = 0.40  # m


@dataclass(frozen=True, slots=True)
class Eye:
    """The camera's position and downward view: low objects nearby are below its picture."""

    ahead: float = 0.10  # m in front of the robot's centre
    height: float = 1.25  # m
    steepest: float = math.radians(52)  # below the horizon; the picture's edge is at 55.7°

    def nearest(self, height: float) -> float:
        """The smallest distance from the robot's centre, m, at which an object of this height above the floor is in the picture."""
        return self.ahead + max(self.height - height, 0.0) / math.tan(self.steepest)


EYE = Eye()


def stand_near(body: RobotState, point: Point2, nearest: float, farthest: float) -> Point2:
    """The spot cheapest to reach, between `nearest` and `farthest` from the point and with no wall between.

    Raises:
        SkillFailed: there is no such spot.
    """
    if nearest <= body.pose.distance(point) <= farthest and not body.map.separated(body.pose.xy, point):
        return body.pose.xy
    x, y = body.map.centres
    distance = np.hypot(x - point[0], y - point[1])
    ring = (distance >= nearest) & (distance <= farthest)
    costs = np.where(ring, body.planner.costs(body.pose.xy), np.inf)
    for index in np.argsort(costs, axis=None):
        row, column = divmod(int(index), costs.shape[1])
        if not math.isfinite(costs[row, column]):
            break
        spot = body.map.centre((row, column))
        if not body.map.separated(spot, point):
            return spot
    raise SkillFailed(f"there is no free floor within reach of ({point[0]:.1f}, {point[1]:.1f})")


def come_near(body: RobotState, point: Point3, status: str, farthest: float = REACH - 0.03, nearest: float = NEAREST) -> Skill:
    """Drive to within `farthest` metres of the point, no nearer than `nearest`, and turn to it."""
    yield from face_from(body, stand_near(body, point[:2], nearest, farthest), point, status)


def come_in_view(body: RobotState, point: Point3, status: str, farthest: float = REACH - 0.03) -> Skill:
    """The same, but if possible not so near that the point is below the picture."""
    try:
        spot = stand_near(body, point[:2], min(max(EYE.nearest(point[2]), NEAREST), farthest - 0.08), farthest)
    except SkillFailed:
        spot = stand_near(body, point[:2], NEAREST, farthest)
    yield from face_from(body, spot, point, status)


def face_from(body: RobotState, spot: Point2, point: Point3, status: str) -> Skill:
    """Drive to that spot, if the robot is not there, and turn to the point."""
    target = point[:2]
    if body.pose.distance(spot) > body.limits.reached:
        yaw = math.atan2(target[1] - spot[1], target[0] - spot[0])
        yield from part(body.follow(spot, yaw, status), 0.0, 0.9)
    yield from part(body.face(target, status), 0.9, 1.0)
