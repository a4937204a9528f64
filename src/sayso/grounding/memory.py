"""The last pictures that were looked at, from other places: what the robot saw while it came and turned."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from sayso.grounding.backend import Look
from sayso.grounding.seeing_once import SeeingOnce
from sayso.grounding.views import View
from sayso.types import Grounding, Image

MOST = 8  # pictures, with the newest
LASTS = 8.0  # s: what is older may show things that have moved since
STEP, TURN = 0.05, math.radians(3.0)  # m or rad between two pictures: from nearer, they show the same


class ViewMemory:
    """Keeps pictures from different places for a short time.

    Args:
        encode: a picture → what the network sees in it; `SeeingOnce` remembers that.
        most: pictures that are kept.
    """

    def __init__(self, encode: Callable[[Image], View], most: int = MOST - 1) -> None:
        self._encode, self._most = encode, most
        self._images: list[Image] = []  # the oldest first

    def add(self, image: Image) -> None:
        """Keep the picture if it is taken from another place than the last one; else it replaces that one. A jump of time forgets all."""
        if image.depth is None or not np.isfinite(image.pose).all():
            return
        if self._images and image.stamp < self._images[-1].stamp:
            self._images = []
        if self._images and not _moved(self._images[-1], image):
            self._images.pop()
        self._images = [*[kept for kept in self._images if image.stamp - kept.stamp <= LASTS][-self._most :], image]

    def forget(self) -> None:
        """Something was moved."""
        self._images = []

    def before(self, image: Image) -> tuple[View, ...]:
        """The kept pictures that are older than that one and not from the same place."""
        earlier = [kept for kept in self._images if 0.0 < image.stamp - kept.stamp <= LASTS and kept is not image and _moved(kept, image)]
        return tuple(self._encode(kept) for kept in earlier[-self._most :])


class RememberingGrounder:
    """The grounder, with the pictures of the last questions as other views. Call `forget` when things were moved.

    Args:
        grounder: looks at one picture, with others; encodes each once.
        most: pictures at once.
    """

    def __init__(self, grounder: SeeingOnce, most: int = MOST) -> None:
        self._ground, self._memory = grounder, ViewMemory(grounder.view, most - 1)

    @property
    def threshold(self) -> float:
        """Probability above which a candidate counts as found."""
        return self._ground.threshold

    def __call__(self, image: Image, phrase: str, object_id: str = "", utterance_id: str = "") -> Grounding:
        """As `VisualGrounder`."""
        grounding = self._ground(image, phrase, object_id, utterance_id, self._memory.before(image))
        self._memory.add(image)
        return grounding

    def look(self, image: Image, phrases: Sequence[str]) -> tuple[Look, ...]:
        """As `Backend`."""
        looks = self._ground.look(image, phrases, self._memory.before(image))
        self._memory.add(image)
        return looks

    def forget(self) -> None:
        """Something was moved."""
        self._memory.forget()


def _moved(one: Image, other: Image) -> bool:
    away = float(np.linalg.norm(one.pose[:3, 3] - other.pose[:3, 3]))
    turned = math.acos(float(np.clip((np.trace(one.pose[:3, :3].T @ other.pose[:3, :3]) - 1.0) / 2.0, -1.0, 1.0)))
    return away > STEP or turned > TURN
