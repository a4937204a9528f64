"""tf and tf_static for a bag whose robot could not publish them.

ROS from wheels has no tf2_msgs; odometry and the camera's pose say the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from rosbags.typesys.store import Typestore

from sayso.types import FloatArray
from sayso_nodes.camera import matrix
from sayso_nodes.conversions import from_time
from sayso_nodes.views.frames import BASE, fixed_frames, mounting, moving_frames

TYPE = "tf2_msgs/msg/TFMessage"
STILL = 0.005  # m/s and rad/s: below that, odometry and a picture a moment later agree on the camera's pose
MOVED = 0.01  # m, or of a rotation's elements: a camera that moves on the robot gets another tf_static


class DerivedFrames:
    """Serialised odometry and camera poses → the tf and tf_static of the robot."""

    def __init__(self, typestore: Typestore) -> None:
        self._types = typestore
        self._standing: Any = None  # the last odometry, if the robot did not move
        self._mounted: FloatArray | None = None  # (4, 4) the camera on the robot, last written

    def take(self, topic: str, data: bytes) -> list[tuple[str, bytes]]:
        """(topic, message) to write beside this one; only `odom` and `camera/pose` give any."""
        if topic == "odom":
            return self._odometry(deserialize_message(data, Odometry))
        if topic == "camera/pose" and self._standing is not None:
            return self._camera(deserialize_message(data, PoseStamped))
        return []

    def _odometry(self, message: Any) -> list[tuple[str, bytes]]:
        if not message.header.frame_id:
            return []
        speed, turning = message.twist.twist.linear.x, message.twist.twist.angular.z
        self._standing = message if abs(speed) < STILL and abs(turning) < STILL else None
        return [("tf", self._message(moving_frames(from_time(message.header.stamp), message)))]

    def _camera(self, message: Any) -> list[tuple[str, bytes]]:
        mounted = mounting(self._standing, matrix(message.pose))
        if self._mounted is not None and np.abs(mounted - self._mounted).max() < MOVED:
            return []
        self._mounted = mounted
        frames = fixed_frames(from_time(message.header.stamp), mounted, self._standing.child_frame_id or BASE)
        return [("tf_static", self._message(frames))]

    def _message(self, transforms: list[Any]) -> bytes:
        known = self._types.types
        each: Any = [self._types.deserialize_cdr(serialize_message(one), "geometry_msgs/msg/TransformStamped") for one in transforms]
        return bytes(self._types.serialize_cdr(known[TYPE](transforms=each), TYPE))
