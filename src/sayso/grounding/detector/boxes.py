"""Picture → boxes with a score for each class: the network, and NanoDet's decoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture

from sayso.types import FloatArray

STRIDES = (8, 16, 32)  # pixels between the places of each level
# Blue, green, red of the pictures that the network was trained on.
MEAN = np.array([103.53, 116.28, 123.675], np.float32)
DEVIATION = np.array([57.375, 57.12, 58.395], np.float32)


@dataclass(frozen=True, slots=True)
class Boxes:
    """What the network proposes in one picture; many boxes are of the same thing."""

    corners: FloatArray  # (N, 4) left, top, right, bottom, pixels
    scores: FloatArray  # (N, C) in [0, 1], not calibrated


def propose(session: Any, rgb: NDArray[np.uint8], views: tuple[tuple[int, bool], ...], floor: float) -> Boxes:
    """All boxes that have a score above the floor.

    Args:
        session: of the detector network.
        rgb: (H, W, 3).
        views: (longer side in pixels, mirrored) of each look at the picture.
        floor: the least score.
    """
    found = [_view(session, rgb, side, mirrored, floor) for side, mirrored in views]
    return Boxes(np.concatenate([each.corners for each in found]), np.concatenate([each.scores for each in found]))


def _view(session: Any, rgb: NDArray[np.uint8], side: int, mirrored: bool, floor: float) -> Boxes:
    height, width = rgb.shape[:2]
    # The network needs sides that are multiples of its largest stride; the proportions change by a few per cent.
    rows, cols = (max(round(n * side / max(height, width) / STRIDES[-1]), 1) * STRIDES[-1] for n in (height, width))
    picture = np.asarray(Picture.fromarray(rgb).resize((cols, rows), Picture.Resampling.BILINEAR), dtype=np.float32)
    if mirrored:
        picture = picture[:, ::-1]
    normal = ((picture[..., ::-1] - MEAN) / DEVIATION).transpose(2, 0, 1)[None]
    outputs = session.run(
        [f"{part}_{stride}" for stride in STRIDES for part in ("scores", "sides")], {"picture": np.ascontiguousarray(normal)}
    )
    corners, scores = list[FloatArray](), list[FloatArray]()
    for stride, level, sides in zip(STRIDES, outputs[0::2], outputs[1::2], strict=True):
        places = np.flatnonzero(level[0].max(axis=1) > floor)
        down, across = np.divmod(places, cols // stride)
        scores.append(level[0][places].astype(np.float64))
        corners.append(_corners((across + 0.5) * stride, (down + 0.5) * stride, sides[0][places], stride))
    found = np.concatenate(corners)
    if mirrored:
        found = np.stack([cols - found[:, 2], found[:, 1], cols - found[:, 0], found[:, 3]], axis=1)
    scale = np.array([width / cols, height / rows] * 2)
    return Boxes(np.clip(found * scale, 0.0, [width, height, width, height]), np.concatenate(scores))


def _corners(u: FloatArray, v: FloatArray, sides: NDArray[np.float32], stride: int) -> FloatArray:
    """(N, 4): the network gives a distribution over the distance to each side; the box is at the means (Li et al., arXiv 2006.04388)."""
    logits = sides.reshape(len(sides), 4, sides.shape[1] // 4).astype(np.float64)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    distances = weights @ np.arange(weights.shape[-1]) / weights.sum(axis=-1) * stride
    return np.stack([u - distances[:, 0], v - distances[:, 1], u + distances[:, 2], v + distances[:, 3]], axis=1)
