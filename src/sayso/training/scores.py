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


def ndcg(relevance: FloatArray, scores: FloatArray) -> float:
    """Σ_r relevance of rank r / log₂(1 + r) over that of the best order, mean over the rows (equation 12; Järvelin & Kekäläinen 2002).

    Args:
        relevance: (N, K) not negative: here 1 / ‖h − e‖ to each intent's nearest prototype.
        scores: (N, K) the ranking, here P(k|h). Equal scores share the mean of their discounts.
    """
    discounts = np.concatenate([[0.0], np.cumsum(1.0 / np.log2(np.arange(relevance.shape[1]) + 2.0))])
    gains = np.zeros(len(relevance))
    for row, (values, ranking) in enumerate(zip(relevance, scores, strict=True)):
        _, group, counts = np.unique(-ranking, return_inverse=True, return_counts=True)
        ends = np.cumsum(counts)
        shared = (discounts[ends] - discounts[ends - counts]) / counts
        best = np.sort(values)[::-1] @ np.diff(discounts)
        gains[row] = values @ shared[group] / best if best else 0.0
    return float(gains.mean())


def false_positives_at(inside: FloatArray, outside: FloatArray, accepted: float = 0.95) -> float:
    """FPR95: the share of `outside` that scores as high as the threshold which accepts that share of `inside`."""
    if not len(inside) or not len(outside):
        return float("nan")
    return float((outside >= np.quantile(inside, 1 - accepted, method="lower")).mean())
