"""The frames of REP 105, map → odom → base_link → camera_optical_frame, from odometry and the camera's pose."""

from __future__ import annotations

from typing import Any

import numpy as np
from geometry_msgs.msg import Quaternion, Transform, TransformStamped, Vector3

from sayso.types import FloatArray
from sayso_nodes.camera import OPTICAL_FRAME, matrix, quaternion
from sayso_nodes.conversions import MAP, header

ODOM, BASE = "odom", "base_link"


def transform(stamp: float, parent: str, child: str, pose: FloatArray) -> Any:
    """The pose (4, 4) of `child` in `parent`."""
    x, y, z, w = quaternion(pose[:3, :3])
    moved = Vector3(x=float(pose[0, 3]), y=float(pose[1, 3]), z=float(pose[2, 3]))
    return TransformStamped(
        header=header(stamp, parent),
        child_frame_id=child,
        transform=Transform(translation=moved, rotation=Quaternion(x=x, y=y, z=z, w=w)),
    )


def moving_frames(stamp: float, odometry: Any) -> list[Any]:
    """Odom → base_link, from a nav_msgs/Odometry in the frame map (of a localised robot) or odom."""
    return [transform(stamp, ODOM, odometry.child_frame_id or BASE, matrix(odometry.pose.pose))]


def mounting(odometry: Any, camera: FloatArray) -> FloatArray:
    """(4, 4) pose of the camera on the robot, from the poses of both in one frame at one moment."""
    return np.asarray(np.linalg.inv(matrix(odometry.pose.pose)) @ camera, dtype=np.float64)


def fixed_frames(stamp: float, mounted: FloatArray, base: str = BASE) -> list[Any]:
    """Map → odom, the identity since odometry is in the map already; and base_link → camera, `mounted` (4, 4)."""
    return [transform(stamp, MAP, ODOM, np.eye(4)), transform(stamp, base, OPTICAL_FRAME, mounted)]
