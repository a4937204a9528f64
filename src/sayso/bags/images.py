"""Converts raw or compressed pictures in bags to arrays, without ROS."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.bags.messages import seconds
from sayso.errors import SaysoError
from sayso.pictures import read_picture
from sayso.types import FloatArray, Image

_COLOURS = {"rgb8": (3, (0, 1, 2)), "bgr8": (3, (2, 1, 0)), "rgba8": (4, (0, 1, 2)), "bgra8": (4, (2, 1, 0)), "mono8": (1, (0, 0, 0)),
            "8UC1": (1, (0, 0, 0)), "8UC3": (3, (2, 1, 0))}  # fmt: skip
_DEPTHS = {"32FC1": ("f4", 1.0), "16UC1": ("u2", 1e-3), "mono16": ("u2", 1e-3)}  # REP 118: metres, or millimetres with 0 for unknown
_PNG = b"\x89PNG\r\n\x1a\n"


def image_of(image: Any, depth: Any = None, info: Any = None, pose: Any = None) -> Image:
    """The messages of one picture as an Image, with depth, intrinsics and pose if they were recorded.

    Raises:
        SaysoError: the picture has an unsupported encoding.
    """
    rgb = colours(image)
    metres = None
    if depth is not None:
        metres = depths(depth)
        if metres.shape != rgb.shape[:2]:
            metres = None  # from another camera, or not registered to this one
    return Image(
        rgb=rgb,
        stamp=seconds(image.header.stamp),
        depth=metres,
        intrinsics=(float(info.k[0]), float(info.k[4]), float(info.k[2]), float(info.k[5])) if info is not None else (0.0, 0.0, 0.0, 0.0),
        pose=_matrix(pose.pose) if pose is not None else np.eye(4),
    )


def colours(message: Any) -> NDArray[np.uint8]:
    """(H, W, 3) red, green, blue of a sensor_msgs Image or CompressedImage.

    Raises:
        SaysoError: the encoding is unsupported, or the data does not fit it.
    """
    if not hasattr(message, "encoding"):
        return np.asarray(_unpacked(bytes(message.data), message.format).convert("RGB"), dtype=np.uint8)
    if message.encoding not in _COLOURS:
        raise SaysoError(f"pictures of encoding {message.encoding} cannot be read; {', '.join(_COLOURS)} can")
    channels, order = _COLOURS[message.encoding]
    pixels = _pixels(message, np.dtype("u1"), channels)
    return np.ascontiguousarray(pixels[:, :, list(order)])


def depths(message: Any) -> NDArray[np.float32]:
    """(H, W) metres, NaN where unknown, of an Image or a CompressedImage (compressedDepth included).

    Raises:
        SaysoError: the encoding is unsupported, or the data does not fit it.
    """
    if hasattr(message, "encoding"):
        if message.encoding not in _DEPTHS:
            raise SaysoError(f"depth of encoding {message.encoding} cannot be read; {', '.join(_DEPTHS)} can")
        kind, scale = _DEPTHS[message.encoding]
        metres = _pixels(message, np.dtype(kind), 1)[:, :, 0].astype(np.float32) * np.float32(scale)
    else:
        data = bytes(message.data)
        start = data.find(_PNG)  # compressedDepth has 12 bytes before the PNG
        if start < 0 or not message.format.startswith("16UC1"):
            raise SaysoError(f"depth of format {message.format!r} cannot be read; 16UC1 as PNG can")
        metres = np.asarray(_unpacked(data[start:], message.format), dtype=np.float32) * np.float32(1e-3)
        scale = 1e-3
    if scale != 1.0:
        metres[metres == 0.0] = np.nan
    return metres


def stamp_of(raw: bytes) -> int:
    """The stamp (ns) of the header at the start of a message, without decoding the rest. 4 bytes before it give the byte order."""
    order = "little" if raw[1] & 1 else "big"
    return int.from_bytes(raw[4:8], order, signed=True) * 1_000_000_000 + int.from_bytes(raw[8:12], order)  # type: ignore[arg-type]


def _pixels(message: Any, kind: np.dtype[Any], channels: int) -> NDArray[Any]:
    """(H, W, channels), without the padding at the ends of the rows."""
    kind = kind.newbyteorder(">" if message.is_bigendian else "<")
    used = message.width * channels * kind.itemsize
    data = np.asarray(message.data, dtype=np.uint8)
    if message.step < used or data.size < message.height * message.step or not used:
        raise SaysoError(f"a picture of {message.width} × {message.height} {message.encoding} has {data.size} bytes, too few for it")
    rows = data[: message.height * message.step].reshape(message.height, message.step)
    return np.ascontiguousarray(rows[:, :used]).view(kind).reshape(message.height, message.width, channels)


def _unpacked(data: bytes, kind: str) -> Any:
    try:
        return read_picture(io.BytesIO(data))
    except SaysoError as broken:
        raise SaysoError(f"a compressed picture ({kind}) cannot be read ({broken})") from None


def _matrix(pose: Any) -> FloatArray:
    """geometry_msgs/Pose → (4, 4)."""
    x, y, z, w = (float(getattr(pose.orientation, axis)) for axis in "xyzw")
    result = np.eye(4)
    result[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    result[:3, 3] = float(pose.position.x), float(pose.position.y), float(pose.position.z)
    return result
