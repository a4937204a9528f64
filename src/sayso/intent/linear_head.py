"""The linear head, equation 10: P(k|h) = softmax(W h + b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray

Float32Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LinearHead:
    """W and b for K intents on D-dimensional embeddings."""

    W: FloatArray  # (K, D)
    b: FloatArray  # (K,)

    def logits(self, h: Float32Array) -> FloatArray:
        """(N, D) → (N, K)."""
        return np.asarray(h @ self.W.T + self.b, np.float64)

    def cooled(self, temperature: float) -> LinearHead:
        """The head divided by a temperature (Guo et al. 2017)."""
        return LinearHead(self.W / temperature, self.b / temperature)

    def with_only(self, intents: NDArray[np.int64]) -> LinearHead:
        """The head of these intents, in this order."""
        return LinearHead(self.W[intents], self.b[intents])


def softmax(logits: FloatArray) -> FloatArray:
    """Softmax over the last axis."""
    shifted = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(shifted / shifted.sum(-1, keepdims=True), np.float64)


def log_sum_exp(logits: FloatArray) -> FloatArray:
    """Ln Σ exp over the last axis: the negative energy of Liu et al. 2020."""
    largest = logits.max(-1, keepdims=True)
    return np.asarray(largest[..., 0] + np.log(np.exp(logits - largest).sum(-1)), np.float64)
