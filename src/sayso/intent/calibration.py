"""Temperature and threshold, from what a head says of sentences whose templates it has not learnt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.intent.linear_head import log_sum_exp
from sayso.intent.regression import logistic
from sayso.types import FloatArray

ACCEPTED = 0.99  # of the commands of held-out templates are in scope: what fixes the threshold


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the heads of the other folds say of each example that the encoder was not tuned on either."""

    logits: FloatArray  # (N, K)
    features: FloatArray  # (N, F)
    outside_features: FloatArray  # (C, F) of what is no command
    labels: NDArray[np.int64]  # (N,)
    weights: FloatArray  # (N,)


def temperature(logits: Callable[[float], FloatArray], labels: NDArray[np.int64], weights: FloatArray) -> float:
    """The temperature under which the labels are likeliest (Guo et al. 2017); `logits` gives (N, K) at one."""
    from scipy.optimize import minimize_scalar

    def loss(log_t: float) -> float:
        cooled = logits(float(np.exp(log_t)))
        return float(weights @ (log_sum_exp(cooled) - cooled[np.arange(len(labels)), labels]))

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 3.0), method="bounded").x))


def scope_scale(inside: FloatArray, outside: FloatArray, weights: FloatArray, accepted: float = ACCEPTED) -> FloatArray:
    """(F + 1,) weights of the features and a threshold, for log-odds of being in scope that accept that share of what is.

    Args:
        inside: (N, F) of commands.
        outside: (C, F) of what is none; without any, only the largest logit is looked at.
        weights: (N,) of the commands.
        accepted: share of them.
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
    """The value below which that share of the weight lies."""
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]) / weights.sum(), share)])
