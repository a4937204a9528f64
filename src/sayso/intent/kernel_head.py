"""The Gaussian-kernel head, equation 11: P(v|h) ∝ exp(−‖h − e_v‖² / 2σ_v²), with e_v the intent's prototypes nearest to h.

An intent has one prototype per example template. Its score is the mean kernel of the nearest few. So neither the number of examples
nor distant ones matter, and an intent with five examples can compete with one of fifty.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from sayso.intent.linear_head import Float32Array, log_sum_exp, softmax
from sayso.types import FloatArray

NEAREST = 3  # prototypes per intent; 1, 2 and 5 were no better on held-out templates
FARTHEST = 4.0  # ‖h − e‖² of opposite unit vectors, used for an intent without prototypes
ROWS = 512  # sentences per block, to bound memory
ALIKE = 0.02  # regularisation of each ln 1/2σ² towards their mean, for intents with few examples


@dataclass(frozen=True, slots=True)
class KernelHead:
    """Prototypes with their intents, and a width per intent."""

    prototypes: Float32Array  # (M, D) rows of length 1
    owners: NDArray[np.int64]  # (M,) intent of each prototype, in [0, K)
    precision: FloatArray  # (K,) 1 / 2σ_v²
    _places: NDArray[np.int64] = field(init=False, repr=False, compare=False)  # (K, most) prototypes of each intent, padded with M

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", _places(self.owners, len(self.precision)))

    def logits(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N, K): ln of the mean kernel over each intent's nearest prototypes."""
        return kernel_logits(self.nearest(h), self.precision)

    def nearest(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N, K, NEAREST): ‖h − e‖² of each intent's nearest prototypes, unordered; infinite if it has fewer."""
        kept = min(NEAREST, self._places.shape[1])
        nearest = np.full((len(h), len(self.precision), NEAREST), np.inf)
        for at in range(0, len(h), ROWS):
            squared = np.full((len(h[at : at + ROWS]), len(self.prototypes) + 1), np.inf, np.float32)
            squared[:, :-1] = np.maximum(2.0 - 2.0 * (h[at : at + ROWS] @ self.prototypes.T), 0.0)
            nearest[at : at + ROWS, :, :kept] = np.partition(squared[:, self._places], kept - 1, axis=2)[:, :, :kept]
        return nearest

    def widened(self, factor: float) -> KernelHead:
        """The head with every σ² multiplied by the factor, which acts as a temperature."""
        return replace(self, precision=self.precision / factor)

    def with_only(self, intents: NDArray[np.int64]) -> KernelHead:
        """The head of these intents, in this order."""
        order = np.full(len(self.precision), -1)
        order[intents] = np.arange(len(intents))
        rows = order[self.owners] >= 0
        return KernelHead(self.prototypes[rows], order[self.owners][rows], self.precision[intents])


def kernel_logits(nearest: FloatArray, precision: FloatArray) -> FloatArray:
    """(N, K, n) squared distances and (K,) 1/2σ² → (N, K) ln mean_j exp(−d_j² / 2σ²)."""
    exponents = _exponents(nearest, precision)
    return np.asarray(log_sum_exp(exponents) - np.log(np.isfinite(exponents).sum(2)), np.float64)


def _exponents(nearest: FloatArray, precision: FloatArray) -> FloatArray:
    """(N, K, n) −d²/2σ²; an intent without prototypes gets n opposite ones."""
    some = np.isfinite(nearest).any(2, keepdims=True)
    return np.asarray(-np.where(some, nearest, FARTHEST) * precision[:, None], np.float64)


def fitted_precision(nearest: FloatArray, labels: NDArray[np.int64], weights: FloatArray) -> FloatArray:
    """(K,) 1/2σ_v² that maximises the likelihood of the labels of held-out sentences.

    Args:
        nearest: (N, K, n) squared distances to prototypes, without the sentence's own template.
        labels: (N,) the intents.
        weights: (N,) of the sentences.
    """
    from scipy.optimize import minimize

    share, rows = weights / weights.sum(), np.arange(len(labels))
    squared = np.where(np.isfinite(nearest), nearest, FARTHEST)

    def loss(log_precision: FloatArray) -> tuple[float, FloatArray]:
        precision = np.exp(log_precision)
        logits = kernel_logits(nearest, precision)
        pull = log_precision - log_precision.mean()
        value = float(share @ (log_sum_exp(logits) - logits[rows, labels])) + ALIKE / 2 * float(pull @ pull) / len(pull)
        slope = -(softmax(_exponents(nearest, precision)) * squared).sum(2) * precision
        wrong = softmax(logits)
        wrong[rows, labels] -= 1
        return value, (wrong * slope * share[:, None]).sum(0) + ALIKE * pull / len(pull)

    start = np.full(nearest.shape[1], np.log(10.0))
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(-3.0, 7.0)] * len(start))
    return np.asarray(np.exp(found.x), np.float64)


def _places(owners: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """(count, most) the prototypes of each owner, padded with the number of prototypes."""
    numbers = [np.flatnonzero(owners == owner) for owner in range(count)]
    places = np.full((count, max(1, *map(len, numbers)) if numbers else 1), len(owners), np.int64)
    for row, found in zip(places, numbers, strict=True):
        row[: len(found)] = found
    return places
