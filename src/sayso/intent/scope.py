"""Out-of-scope score of a sentence, from raw logits and densities.

The posterior is not such a score: one intent may be by far the most probable although none is meant, and a calibrating temperature makes
out-of-scope sentences look more like the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sayso.intent.linear_head import Float32Array, log_sum_exp
from sayso.types import FloatArray

NEIGHBOURS = 3
FEATURES = ("energy", "largest logit", "log-density", "nearness to examples", "nearness to chatter", "command log-odds")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Scope features of a sentence that do not depend on the head."""

    chatter: Float32Array  # (C, D) mean embeddings of sentences that are not commands, rows of length 1
    u: FloatArray  # (D + 1,) log-odds of being a command, u[:-1]·h + u[-1]

    def __call__(self, h: Float32Array, prototypes: Float32Array) -> FloatArray:
        """(N, D) embeddings, (M, D) examples of the intents → (N, 3): the last three FEATURES, unaffected by temperature."""
        return np.stack([nearness(h, prototypes), nearness(h, self.chatter), h @ self.u[:-1] + self.u[-1]], axis=1).astype(np.float64)


def scope_features(logits: FloatArray, kernel_logits: FloatArray, surroundings: FloatArray) -> FloatArray:
    """(N, F) FEATURES.

    Args:
        logits: (N, K) of the head in use.
        kernel_logits: (N, K) of the kernel head; their sum is the density, equation 11 without its division.
        surroundings: (N, 3) from `Surroundings`.
    """
    columns = (log_sum_exp(logits), logits.max(-1), log_sum_exp(kernel_logits))
    return np.concatenate([np.stack(columns, axis=1), surroundings], axis=1)


def out_of_scope(features: FloatArray, scale: FloatArray) -> FloatArray:
    """(N, F) features and (F + 1,) weights with the threshold last → (N,) nats, above 0 is out of scope."""
    return np.asarray(-(features @ scale[:-1] + scale[-1]), np.float64)


def nearness(h: Float32Array, others: Float32Array) -> FloatArray:
    """(N,) mean cosine to the nearest few of the others; 0 if there are none."""
    cosines = h @ others.T
    count = min(NEIGHBOURS, cosines.shape[1])
    if not count:
        return np.zeros(len(h))
    return np.asarray(np.partition(cosines, -count, axis=1)[:, -count:].mean(1), np.float64)
