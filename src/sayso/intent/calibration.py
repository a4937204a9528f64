"""Temperature and scope threshold, fitted on sentences whose templates the head was not trained on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.intent.linear_head import log_sum_exp
from sayso.intent.regression import logistic
from sayso.types import FloatArray

ACCEPTED = 0.96  # share of held-out commands that the threshold alone accepts as in scope; see `addressed` for the rest


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Outputs of the heads of the other folds, for examples that the encoder was not tuned on either."""

    logits: FloatArray  # (N, K)
    features: FloatArray  # (N, F)
    outside_features: FloatArray  # (C, F) of sentences that are not commands
    labels: NDArray[np.int64]  # (N,)
    weights: FloatArray  # (N,)


def temperature(logits: Callable[[float], FloatArray], labels: NDArray[np.int64], weights: FloatArray) -> float:
    """The temperature that maximises the likelihood of the labels (Guo et al. 2017); `logits` maps a temperature to (N, K)."""
    from scipy.optimize import minimize_scalar

    def loss(log_t: float) -> float:
        cooled = logits(float(np.exp(log_t)))
        return float(weights @ (log_sum_exp(cooled) - cooled[np.arange(len(labels)), labels]))

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded").x))


def scope_scale(inside: FloatArray, outside: FloatArray, weights: FloatArray, accepted: float = ACCEPTED) -> FloatArray:
    """(F + 1,) feature weights and a threshold for the log-odds of being in scope.

    Args:
        inside: (N, F) features of commands.
        outside: (C, F) features of other sentences; without any, only the largest logit counts.
        weights: (N,) of the commands.
        accepted: share of commands to accept.
    """
    if not len(outside):
        return np.append(np.eye(inside.shape[1])[1], -quantile(inside[:, 1], weights, 1 - accepted))
    both = np.concatenate([inside, outside])
    mean, deviation = both.mean(0), both.std(0) + 1e-9
    targets = np.zeros((len(both), 2))
    targets[: len(inside), 1], targets[len(inside) :, 0] = 1.0, 1.0
    share = np.concatenate([weights / weights.sum(), np.full(len(outside), 1 / len(outside))])
    two = logistic((both - mean) / deviation, targets, share, 1e-3)
    slope = (two[1] - two[0])[:-1] / deviation
    return np.append(slope, -quantile(inside @ slope, weights, 1 - accepted))


def quantile(values: FloatArray, weights: FloatArray, share: float) -> float:
    """The value below which this share of the weight lies."""
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]) / weights.sum(), share)])
