"""The colours of what is in a box: shares of its pixels that look like each named colour, in CIELAB."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.grounding.colors import lab
from sayso.types import FloatArray
from sayso.yaml_source import read_plain

LISTED = Path(__file__).with_name("colors.yaml")
SPREAD = 10.0  # CIELAB units: how far a colour may be from its looks
SAMPLES = 40  # of a box, along each side
MARGIN = 0.1  # of the box, looked at on each side for its background
INNER = 0.35  # half axes of the ellipse that is taken for the thing, in sides of the box
SMALLEST = 0.02  # share; smaller ones are as good as none


@lru_cache(maxsize=1)
def palette() -> tuple[tuple[str, ...], dict[str, str], FloatArray, NDArray[np.int64]]:
    """Names, word → name, and the looks in CIELAB (L, 3) with the number of the name of each (L,)."""
    listed = read_plain(LISTED)
    names = tuple(listed)
    words = {word: name for name, each in listed.items() for word in (name, *each["words"])}
    looks = [
        (number, [int(code[at : at + 2], 16) for at in (0, 2, 4)]) for number, each in enumerate(listed.values()) for code in each["looks"]
    ]
    return names, words, lab(np.array([rgb for _, rgb in looks], np.uint8)), np.array([number for number, _ in looks])


def color_features(rgb: NDArray[np.uint8], box: tuple[float, float, float, float]) -> FloatArray:
    """(colours, 3) of a box: ln of the share of the thing's pixels, of the background's, and of the most frequent other colour's.

    Args:
        rgb: (H, W, 3).
        box: left, top, right, bottom, pixels.
    """
    names, _, looks, of = palette()
    height, width = rgb.shape[:2]
    across, down = (np.linspace(-0.5 - MARGIN, 0.5 + MARGIN, SAMPLES) for _ in range(2))
    left, top, right, bottom = box
    u = np.clip(np.round((left + right) / 2 + across * (right - left)), 0, width - 1).astype(int)
    v = np.clip(np.round((top + bottom) / 2 + down * (bottom - top)), 0, height - 1).astype(int)
    pixels = lab(rgb[np.ix_(v, u)].reshape(-1, 3))
    nearness = np.exp(-((pixels[:, None] - looks[None]) ** 2).sum(axis=-1) / (2 * SPREAD**2))
    likeness = np.stack([nearness[:, of == number].max(axis=1) for number in range(len(names))], axis=1)
    belonging = likeness / (likeness.sum(axis=1, keepdims=True) + 1e-3)  # a pixel that looks like none counts for none
    radius = np.hypot(across[None], down[:, None]).reshape(-1)
    inner, outer = (np.log(belonging[where].mean(axis=0) + SMALLEST) for where in (radius <= INNER, radius > 0.5))
    others = np.array([np.delete(inner, number).max() for number in range(len(names))])
    return np.stack([inner, outer, others], axis=1)
