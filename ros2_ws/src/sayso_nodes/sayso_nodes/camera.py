"""A picture with depth ↔ four messages with the same stamp: colour, depth, intrinsics and the pose of the optical frame."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage

from sayso.bags.images import image_of
from sayso.types import FloatArray, Image
from sayso_nodes.conversions import MAP, header

OPTICAL_FRAME = "camera_optical_frame"  # REP 103: z forward, x right, y down
TOPICS = ("camera/image", "camera/depth", "camera/camera_info", "camera/pose")


class ImageMessages(NamedTuple):
    """The messages of one picture, in the order of TOPICS."""

    image: Any
    depth: Any
    info: Any
    pose: Any


def to_messages(image: Image) -> ImageMessages:
    """A picture as messages. Without depth, the depth image is all NaN."""
    height, width = image.rgb.shape[:2]
    depth = image.depth if image.depth is not None else np.full((height, width), np.nan, np.float32)
    head = header(image.stamp, OPTICAL_FRAME)
    fx, fy, cx, cy = (float(value) for value in image.intrinsics)
    info = CameraInfo(header=head, height=height, width=width, distortion_model="plumb_bob", d=[0.0] * 5)
    info.k = [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0]
    info.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    info.p = [fx, 0.0, cx, 0.0, 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0]
    return ImageMessages(
        image_message(head, "rgb8", np.ascontiguousarray(image.rgb, np.uint8)),
        image_message(head, "32FC1", np.ascontiguousarray(depth, np.float32)),
        info,
        PoseStamped(header=header(image.stamp, MAP), pose=pose(image.pose)),
    )


def from_messages(messages: ImageMessages) -> Image:
    """The picture of four messages, in any common encoding. Depth of another size than the colours is left out.

    Raises:
        SaysoError: an encoding that cannot be converted, or data that does not fit it.
    """
    return image_of(*messages)


def image_message(head: Any, encoding: str, pixels: NDArray[Any]) -> Any:
    """A sensor_msgs/Image of contiguous pixels: (H, W) or (H, W, channels)."""
    height, width = pixels.shape[:2]
    message = ImageMessage(header=head, height=height, width=width, encoding=encoding, step=pixels.strides[0])
    # As bytes: ROS checks each number of an ndarray, which takes 95 ms instead of 0.1.
    message.data.frombytes(pixels.tobytes())
    return message


def pose(transform: FloatArray) -> Pose:
    """(4, 4) → Pose."""
    x, y, z = (float(value) for value in transform[:3, 3])
    qx, qy, qz, qw = quaternion(transform[:3, :3])
    return Pose(position=Point(x=x, y=y, z=z), orientation=Quaternion(x=qx, y=qy, z=qz, w=qw))


def matrix(value: Pose) -> FloatArray:
    """Pose → (4, 4)."""
    x, y, z, w = value.orientation.x, value.orientation.y, value.orientation.z, value.orientation.w
    result = np.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    result[:3, 3] = value.position.x, value.position.y, value.position.z
    return result


def quaternion(rotation: FloatArray) -> tuple[float, float, float, float]:
    """(3, 3) → (x, y, z, w). Computes the largest component first, to avoid dividing by a small one (Shepperd 1978)."""
    diagonal = np.diag(rotation)
    trace = diagonal.sum()
    largest = int(np.argmax([*diagonal, trace]))
    if largest == 3:
        w = np.sqrt(1 + trace) / 2
        x, y, z = (rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]) / (4 * w)
        return float(x), float(y), float(z), float(w)
    i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
    q = np.empty(4)
    q[i] = np.sqrt(1 + rotation[i, i] - rotation[j, j] - rotation[k, k]) / 2
    q[j] = (rotation[j, i] + rotation[i, j]) / (4 * q[i])
    q[k] = (rotation[k, i] + rotation[i, k]) / (4 * q[i])
    q[3] = (rotation[k, j] - rotation[j, k]) / (4 * q[i])
    return float(q[0]), float(q[1]), float(q[2]), float(q[3])
