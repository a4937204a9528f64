"""Measures of classifiers with confidences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray

BINS = 15


def expected_calibration_error(confidence: FloatArray, right: NDArray[Any], weights: FloatArray) -> float:
    """Σ_b P(b) |accuracy(b) − confidence(b)| over bins of equal width (Guo et al. 2017)."""
    index = np.minimum((confidence * BINS).astype(int), BINS - 1)
    total = 0.0
    for bin_ in range(BINS):
        share, inside = weights[index == bin_], index == bin_
        total += abs(float(share @ right[inside]) - float(share @ confidence[inside]))
    return total / float(weights.sum())


def auroc(inside: FloatArray, outside: FloatArray) -> float:
    """P(one of `inside` scores higher than one of `outside`), ties half; NaN where either is empty."""
    if not len(inside) or not len(outside):
        return float("nan")
    order = np.sort(outside)
    below = np.searchsorted(order, inside, "left") + np.searchsorted(order, inside, "right")
    return float(below.mean() / 2 / len(outside))


def false_positives_at(inside: FloatArray, outside: FloatArray, accepted: float = 0.95) -> float:
    """FPR95: the share of `outside` that scores as high as the threshold which accepts that share of `inside`."""
    if not len(inside) or not len(outside):
        return float("nan")
    return float((outside >= np.quantile(inside, 1 - accepted, method="lower")).mean())
