"""The poses of the robot and its camera on the map: by tf2 if that is installed, else by the odometry.

There is no wheel of tf2_ros; nodes that need it say so. Its buffer is filled from the graph's own, relative subscriptions: tf2_ros's
listener hears the absolute /tf, where robots with equal frame names would disturb each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Protocol

from geometry_msgs.msg import Quaternion
from rclpy.time import Time

from sayso.errors import RosError
from sayso.robot import Pose
from sayso_nodes.conversions import MAP, from_time
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter

HALF_TURN = math.pi  # rad
MISSING = "needs tf2_ros, which is not installed: apt install ros-jazzy-tf2-ros (ROS from wheels has none)"
FRAMES = (
    Parameter("map_frame", MAP, "frame of the map and of the domain's places"),
    Parameter("base_frame", "base_link", "frame of the robot's centre"),
)
POSE_FROM = Parameter(
    "pose_from",
    "auto",
    "odom: the odometry is in the map; tf: map → base by tf2; auto: odom if its frame_id is the map's, else tf if tf2_ros is installed",
    choices=("auto", "odom", "tf"),
)


class PoseSource(Protocol):
    """Says where the robot is."""

    def __call__(self) -> Pose | None:
        """The last pose in the map with its time; None while there is none."""
        ...


def pose_source(node: SaysoNode) -> PoseSource:
    """The pose source that the node's parameters choose.

    Raises:
        RosError: tf is chosen and tf2_ros is not installed.
    """
    chosen = node.value("pose_from")
    buffer = transforms(node, needed=chosen == "tf") if chosen != "odom" else None
    by_tf = TransformPose(buffer, node.value("map_frame"), node.value("base_frame")) if buffer is not None else None
    if chosen == "tf" and by_tf is not None:
        return by_tf
    return OdometryPose(node, by_tf)


class OdometryPose:
    """The pose of odometry in the map; for odometry in another frame, that of `otherwise` if given."""

    def __init__(self, node: SaysoNode, otherwise: PoseSource | None) -> None:
        self._node, self._otherwise = node, otherwise
        self._map = node.value("map_frame")
        self._pose: Pose | None = None
        self._frame = ""
        node.subscription("odom", self._on_odometry, sampled=True)

    def __call__(self) -> Pose | None:
        """The last pose."""
        if self._otherwise is None or self._frame == self._map:
            return self._pose
        return self._otherwise()

    def _on_odometry(self, message: Any) -> None:
        frame = message.header.frame_id.lstrip("/")
        guessed = self._otherwise is None and self._node.value("pose_from") == "auto"
        if guessed and frame not in (self._frame, self._map):
            self._node.get_logger().warning(
                f"odom is in the frame '{frame}', not in '{self._map}'; it is used as the map's, and drifts. For tf, this {MISSING}"
            )
        self._frame = frame
        position, yaw = message.pose.pose.position, yaw_of(message.pose.pose.orientation)
        if not all(map(math.isfinite, (position.x, position.y, yaw))):  # the last one stays, and its age ends what moves
            self._node.get_logger().error("a pose of odom is not a number, and is not believed", throttle_duration_sec=60.0)
            return
        self._pose = Pose(position.x, position.y, yaw, from_time(message.header.stamp))


class TransformPose:
    """The pose by a tf2 buffer: the newest transform from the base to the map."""

    def __init__(self, buffer: Any, map_frame: str, base_frame: str) -> None:
        self._buffer, self._map, self._base = buffer, map_frame, base_frame

    def __call__(self) -> Pose | None:
        """The last pose."""
        found = lookup(self._buffer, self._map, self._base, Time())
        if found is None:
            return None
        at = found.transform.translation
        return Pose(at.x, at.y, yaw_of(found.transform.rotation), from_time(found.header.stamp))


def transforms(node: SaysoNode, *, needed: bool = True) -> Any:
    """A tf2 buffer fed by the node's `tf` and `tf_static`; None if tf2_ros is not installed.

    Raises:
        RosError: it is needed and not installed.
    """
    try:
        from tf2_ros import Buffer
    except ImportError:
        if needed:
            raise RosError(f"{node.NAME} {MISSING}") from None
        return None
    buffer = Buffer()
    node.subscription("tf", _into(buffer.set_transform))
    node.subscription("tf_static", _into(buffer.set_transform_static))
    return buffer


def lookup(buffer: Any, target: str, source: str, when: Time) -> Any:
    """The TransformStamped from `source` to `target`; None if it is unknown."""
    from tf2_ros import TransformException

    try:
        return buffer.lookup_transform(target, source, when)
    except TransformException:
        return None


def _into(enter: Callable[[Any, str], None]) -> Callable[[Any], None]:
    def heard(message: Any) -> None:
        for transform in message.transforms:
            enter(transform, "tf")

    return heard


def yaw_of(q: Any) -> float:
    """A quaternion's heading, rad: its rotation about the map's z axis."""
    return math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z))


def quaternion_of(yaw: float) -> Quaternion:
    """The rotation about z by `yaw`, rad."""
    return Quaternion(z=math.sin(yaw / 2), w=math.cos(yaw / 2))
