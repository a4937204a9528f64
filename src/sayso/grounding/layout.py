"""Where the things of a picture are, as the speaker sees them: in metres if depth and lens are known, else in the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sayso.types import Candidate, FloatArray, Image

NOISE = 0.015  # m: deviation of a point
FLAT_NOISE = 0.1  # of a thing's size in the picture: deviation of its place without depth
SIZE_NOISE = 0.03  # relative deviation of a size; a pixel at each edge comes on top of it
LEVEL = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # optical x, y, z → right, forward, up of a level camera


@dataclass(frozen=True, slots=True)
class Layout:
    """The n things of a picture. Units are metres if `metric`, else pixels; `forward` grows away from the camera in both."""

    boxes: FloatArray  # (n, 4) left, top, right, bottom, pixels
    right: FloatArray  # (n,) of the middle
    forward: FloatArray  # (n,) along the floor; without depth how far up in the picture the foot of the thing is
    up: FloatArray  # (n,) of the middle
    width: FloatArray  # (n,) > 0
    height: FloatArray  # (n,) > 0
    noise: FloatArray  # (n,) deviation of right, forward and up
    distance: FloatArray  # (n,) from the camera; without depth the same as `forward`
    metric: bool

    @property
    def size(self) -> FloatArray:
        """(n,) the side of a square with the area that each shows."""
        return np.sqrt(self.width * self.height)


def layout(image: Image, candidates: Sequence[Candidate]) -> Layout:
    """The layout of a picture's things. It is metric if each of them has a point."""
    boxes = np.array([candidate.box for candidate in candidates], dtype=np.float64).reshape(-1, 4)
    left, top, right, bottom = boxes.T
    width, height = np.maximum(right - left, 1.0), np.maximum(bottom - top, 1.0)
    points = np.array([candidate.point for candidate in candidates], dtype=np.float64).reshape(-1, 3)
    fx, fy = image.intrinsics[:2]
    if fx > 0.0 and fy > 0.0 and len(points) and np.isfinite(points).all():
        optical = (points - image.pose[:3, 3]) @ image.pose[:3, :3]
        x, y, up = (optical @ _levelled(image).T).T
        depth = np.maximum(optical[:, 2], 0.05)
        wide, high = width * depth / fx, height * depth / fy
        noise = np.full(len(points), NOISE)
        return Layout(boxes, x, y, up, wide, high, noise, np.linalg.norm(optical, axis=1), metric=True)
    noise = FLAT_NOISE * np.sqrt(width * height)
    return Layout(boxes, (left + right) / 2.0, -bottom, -(top + bottom) / 2.0, width, height, noise, -bottom, metric=False)


def _levelled(image: Image) -> FloatArray:
    """(3, 3) optical x, y, z → right, forward along the floor, up. A pose that is the identity tells nothing: the camera is level."""
    up = image.pose[2, :3]  # the map's z axis in the optical frame
    ahead = np.array([0.0, 0.0, 1.0]) - up[2] * up
    if np.allclose(image.pose[:3, :3], np.eye(3)) or np.linalg.norm(ahead) < 0.2:  # looks straight down or up
        return LEVEL
    forward = ahead / np.linalg.norm(ahead)
    return np.stack((np.cross(forward, up), forward, up))
