"""Boxes of detectors: overlap, the suppression of boxes that say the same, and an attention map made from them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sayso.types import Candidate, FloatArray

SAME = 0.5  # overlap above which two boxes are taken for one thing
GRID = (24, 32)  # rows and columns of the attention


def overlap(box: FloatArray, others: FloatArray) -> FloatArray:
    """(N,) intersection over union of a box (4,) with others (N, 4): left, top, right, bottom."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    common = np.clip(high - low, 0.0, None).prod(axis=1)
    union = (box[2:] - box[:2]).prod() + (others[:, 2:] - others[:, :2]).prod(axis=1) - common
    return np.asarray(common / np.maximum(union, 1e-9))


def distinct(corners: FloatArray, scores: FloatArray, most: int) -> list[int]:
    """Indices of at most so many boxes, the best first, without those that overlap a better one by more than SAME."""
    order, kept = list(np.argsort(-scores, kind="stable")), list[int]()
    while order and len(kept) < most:
        best = order.pop(0)
        kept.append(int(best))
        rest = np.array(order, dtype=int)
        order = list(rest[overlap(corners[best], corners[rest]) <= SAME])
    return kept


def box_attention(candidates: Sequence[Candidate], presence: float, size: tuple[int, int]) -> FloatArray:
    """GRID, sums to 1: a bump in each box, weighted by its candidate's share; what lacks to certainty is spread evenly.

    Args:
        candidates: none, or some with a probability.
        presence: P(at least one of them is meant).
        size: height and width of the picture, pixels.
    """
    rows, cols = GRID
    v, u = (np.arange(rows) + 0.5) * size[0] / rows, (np.arange(cols) + 0.5) * size[1] / cols
    total = np.zeros(GRID)
    for each in candidates:
        left, top, right, bottom = each.box
        # A quarter of the box is one standard deviation; a box smaller than a cell of the grid still fills one.
        wide, high = max((right - left) / 4, size[1] / cols / 2), max((bottom - top) / 4, size[0] / rows / 2)
        bump = np.exp(-0.5 * (((v - each.pixel[1]) / high) ** 2)[:, None] - 0.5 * (((u - each.pixel[0]) / wide) ** 2)[None])
        total += each.probability * bump / max(bump.sum(), 1e-12)
    even = np.full(GRID, 1.0 / (rows * cols))
    return presence * total / total.sum() + (1.0 - presence) * even if total.sum() > 0.0 else even
