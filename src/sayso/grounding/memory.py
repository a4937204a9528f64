"""The camera's last pictures from other places: what the robot saw while it came and turned."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sayso.grounding.views import View
from sayso.types import Image

MOST = 7  # pictures, besides the newest
LASTS = 8.0  # s: what is older may show things that have moved since
STEP, TURN = 0.05, math.radians(3.0)  # m or rad between two pictures: from nearer, they show the same


class ViewMemory:
    """Keeps pictures from different places for a short time; encodes those that are asked for, once.

    Args:
        encode: a picture → what the network sees in it.
    """

    def __init__(self, encode: Callable[[Image], View]) -> None:
        self._encode = encode
        self._images: list[Image] = []  # the oldest first
        self._views: dict[int, View] = {}  # by the image's identity

    def add(self, image: Image) -> None:
        """Keep the picture if it is taken from another place than the last one; else it replaces that one. A jump of time forgets all."""
        if image.depth is None or not np.isfinite(image.pose).all():
            return
        if self._images and image.stamp < self._images[-1].stamp:
            self._images = []
        if self._images and not _moved(self._images[-1], image):
            self._images.pop()
        self._images = [*[kept for kept in self._images if image.stamp - kept.stamp <= LASTS][-MOST:], image]
        self._views = {id(kept): self._views[id(kept)] for kept in self._images if id(kept) in self._views}

    def forget(self) -> None:
        """Something was moved."""
        self._images, self._views = [], {}

    def before(self, image: Image) -> tuple[View, ...]:
        """The kept pictures that are older than that one and not from the same place."""
        earlier = [kept for kept in self._images if 0.0 < image.stamp - kept.stamp <= LASTS and kept is not image and _moved(kept, image)]
        return tuple(self._viewed(kept) for kept in earlier[-MOST:])

    def _viewed(self, image: Image) -> View:
        if id(image) not in self._views:
            self._views[id(image)] = self._encode(image)
        return self._views[id(image)]


def _moved(one: Image, other: Image) -> bool:
    away = float(np.linalg.norm(one.pose[:3, 3] - other.pose[:3, 3]))
    turned = math.acos(float(np.clip((np.trace(one.pose[:3, :3].T @ other.pose[:3, :3]) - 1.0) / 2.0, -1.0, 1.0)))
    return away > STEP or turned > TURN
