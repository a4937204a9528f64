"""Pictures for a browser: a serialised sensor_msgs/Image as JPEG, also with the attention over it."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image as Picture
from rclpy.serialization import deserialize_message

from sayso.bags.images import colours
from sayso.grounding.draw import draw_grounding
from sayso.types import Grounding, Image
from sayso_nodes.conversions import from_time
from sayso_nodes.graph import interface

WIDTH, QUALITY = 640, 75


def camera_jpeg(data: bytes) -> bytes:
    """The picture, at most 640 wide.

    Raises:
        SaysoError: the encoding cannot be converted.
    """
    return _jpeg(np.asarray(colours(_message(data))))


def attention_jpeg(data: bytes, grounding: Grounding) -> bytes:
    """The same with the attention, the phrase and the confidence."""
    message = _message(data)
    return _jpeg(draw_grounding(Image(colours(message), from_time(message.header.stamp)), grounding))


def _message(data: bytes) -> Any:
    return deserialize_message(data, interface("camera/image"))


def _jpeg(rgb: Any) -> bytes:
    picture = Picture.fromarray(np.ascontiguousarray(rgb))
    if picture.width > WIDTH:
        picture = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), Picture.Resampling.BILINEAR)
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
