"""Where a text lies for the encoder and the head: its way through the layers, and the ranking of the intents against their distances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sayso.encoder import SentenceEncoder
from sayso.encoder.layers import turns
from sayso.errors import ModelError
from sayso.intent.head import Head
from sayso.types import FloatArray


@dataclass(frozen=True, slots=True)
class Geometry:
    """The geometry of one text."""

    turns: FloatArray  # (L − 1,) cosines between successive displacements, see `layers.turns`; empty without encoder_layers.onnx
    agreement: float  # NDCG between the ranking by probability and by inverse distance to the nearest examples (equation 12)
    missing: str = ""  # why there are no turns, and how to get them


def geometry_of(text: str, encode: SentenceEncoder, head: Head) -> Geometry:
    """The geometry of a plain text."""
    h = encode([text])
    agreement = ndcg(relevance(head.distances(h)), head.probabilities(h))
    try:
        return Geometry(turns(encode.layers(text)), agreement)
    except ModelError as missing:
        return Geometry(np.zeros(0), agreement, str(missing))


def relevance(distances: FloatArray) -> FloatArray:
    """(N, K) distances → (N, K) their inverses, at most 10⁶; 0 for an infinite distance."""
    return np.asarray(1.0 / np.maximum(distances, 1e-6), np.float64)


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
