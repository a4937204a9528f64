"""A picture with depth ↔ four messages with the same stamp: colour, depth, intrinsics and the pose of the optical frame."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo
from sensor_msgs.msg import Image as ImageMessage

from sayso.types import FloatArray, Image
from sayso_nodes.conversions import MAP, from_time, header

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
    """The picture of four messages.

    Raises:
        ValueError: an encoding that is neither rgb8 nor bgr8, or for depth neither 32FC1 (m) nor 16UC1 (mm).
    """
    colour, depth, info, stamped = messages
    return Image(
        rgb=colours(colour),
        stamp=from_time(colour.header.stamp),
        depth=_metres(depth),
        intrinsics=(info.k[0], info.k[4], info.k[2], info.k[5]),
        pose=matrix(stamped.pose),
    )


def colours(message: Any) -> NDArray[np.uint8]:
    """(H, W, 3) red, green, blue of a sensor_msgs/Image.

    Raises:
        ValueError: an encoding that is neither rgb8 nor bgr8.
    """
    if message.encoding not in ("rgb8", "bgr8"):
        raise ValueError(f"camera/image is {message.encoding}: use rgb8 or bgr8")
    rgb = _pixels(message, np.dtype(np.uint8), 3)
    return rgb if message.encoding == "rgb8" else rgb[:, :, ::-1]


def image_message(head: Any, encoding: str, pixels: NDArray[Any]) -> Any:
    """A sensor_msgs/Image of contiguous pixels: (H, W) or (H, W, channels)."""
    height, width = pixels.shape[:2]
    message = ImageMessage(header=head, height=height, width=width, encoding=encoding, step=pixels.strides[0])
    # As bytes: ROS checks each number of an ndarray, which takes 95 ms instead of 0.1.
    message.data.frombytes(pixels.tobytes())
    return message


def _pixels(message: Any, kind: np.dtype[Any], channels: int) -> NDArray[Any]:
    """(H, W, channels), or (H, W) for one channel, without the padding at the ends of the rows."""
    kind = kind.newbyteorder(">" if message.is_bigendian else "<")
    rows = np.frombuffer(message.data, np.uint8).reshape(message.height, message.step)
    used = np.ascontiguousarray(rows[:, : message.width * channels * kind.itemsize]).view(kind)
    return used.reshape((message.height, message.width, channels) if channels > 1 else (message.height, message.width))


def _metres(message: Any) -> NDArray[np.float32]:
    if message.encoding == "32FC1":
        return _pixels(message, np.dtype(np.float32), 1).astype(np.float32, copy=False)
    if message.encoding == "16UC1":  # millimetres, 0 where unknown: REP 118
        depth = _pixels(message, np.dtype(np.uint16), 1).astype(np.float32) / np.float32(1000)
        depth[depth == 0] = np.nan
        return depth
    raise ValueError(f"camera/depth is {message.encoding}: use 32FC1 or 16UC1")


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
