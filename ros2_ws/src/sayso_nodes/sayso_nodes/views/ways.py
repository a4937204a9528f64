"""The robot's planned and driven ways, as nav_msgs/Path."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from geometry_msgs.msg import Pose, PoseStamped, Quaternion
from nav_msgs.msg import Path

from sayso.robot.geometry import Point2
from sayso_nodes.conversions import MAP, header, point

SPACING = 0.1  # m between points of the driven way; doubled at MOST
MOST = 400  # points; then every other one is removed


def path(points: Iterable[Point2], stamp: float) -> Any:
    """A path through these points of the map, each heading for the next."""
    corners = [(float(x), float(y)) for x, y in points]
    headings = [math.atan2(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(corners)]
    head = header(stamp, MAP)
    yaws = [*headings, *headings[-1:]] or [0.0] * len(corners)
    return Path(header=head, poses=[_pose(head, corner, yaw) for corner, yaw in zip(corners, yaws, strict=True)])


class Way:
    """The driven way, thinned out evenly to limit the size of the message."""

    def __init__(self) -> None:
        self.points: list[Point2] = []
        self._spacing = SPACING

    def add(self, x: float, y: float) -> bool:
        """Add a point of the map; False if it is too near to the last one."""
        if not (math.isfinite(x) and math.isfinite(y)):
            return False
        if self.points and math.dist(self.points[-1], (x, y)) < self._spacing:
            return False
        self.points.append((x, y))
        if len(self.points) > MOST:
            self.points, self._spacing = self.points[::2], 2 * self._spacing
        return True


def _pose(head: Any, corner: Point2, yaw: float) -> Any:
    orientation = Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))
    return PoseStamped(header=head, pose=Pose(position=point((*corner, 0.0)), orientation=orientation))
