"""Where to stand to reach something, and going there."""

from __future__ import annotations

import math

import numpy as np

from sayso.robot.body import Body
from sayso.robot.geometry import Point2, Point3
from sayso.robot.skill import Skill, SkillFailed, part

REACH = 0.80  # m from the robot's centre, in the plane
NEAREST = 0.45  # m: closer than this the camera no longer sees the thing


def stand_near(body: Body, point: Point2, nearest: float = NEAREST, farthest: float = REACH - 0.03) -> Point2:
    """The spot that is cheapest to reach from which the point is between `nearest` and `farthest` away, on its side of the walls.

    Raises:
        SkillFailed: there is none.
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


def come_near(body: Body, point: Point2 | Point3, status: str, farthest: float = REACH - 0.03) -> Skill:
    """Drive to where the point is within `farthest` metres and look at it."""
    target = point[0], point[1]
    spot = stand_near(body, target, farthest=farthest)
    if body.pose.distance(spot) > body.limits.reached:
        yaw = math.atan2(target[1] - spot[1], target[0] - spot[0])
        yield from part(body.follow(spot, yaw, status), 0.0, 0.9)
    yield from part(body.face(target, status), 0.9, 1.0)
