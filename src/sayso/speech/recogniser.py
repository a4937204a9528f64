"""The interface of speech recognisers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sayso.types import TranscriptAlternative

LEAST = 1e-6  # probability of a text
HOPELESS = 30.0  # nats below the best text at which an alternative is dropped


@dataclass(frozen=True, slots=True)
class Recognition:
    """The n-best result for one utterance."""

    alternatives: tuple[TranscriptAlternative, ...]  # best first; what their probabilities lack to 1 is that of texts not listed
    confidence: float  # in [0, 1], that it is a sentence of the domain
    rejected: str = ""  # why it must not be acted on


class Recogniser(Protocol):
    """Sound of one utterance → Recognition."""

    def __call__(self, samples: NDArray[np.int16]) -> Recognition:
        """(N,) int16 mono at 16 kHz."""
        ...


def normalised(scores: Sequence[tuple[str, float]], limit: int) -> tuple[TranscriptAlternative, ...]:
    """The best texts, at most `limit`, without hopeless ones; their log scores are shifted so that the probabilities sum to 1."""
    if not scores:
        return ()
    top = max(score for _, score in scores)
    best = sorted((item for item in scores if item[1] > top - HOPELESS), key=lambda item: -item[1])[:limit]
    total = top + math.log(math.fsum(math.exp(score - top) for _, score in best))
    return tuple(TranscriptAlternative(text, score - total) for text, score in best)


def with_best(texts: Sequence[TranscriptAlternative], p_best: float, listed: float) -> tuple[TranscriptAlternative, ...]:
    """The texts with this probability of the best one.

    The others share `listed` of the rest in their proportions, but none is likelier than the best; what is left is for texts not listed.
    """
    if not texts:
        return ()
    best, *others = texts
    log_p = math.log(max(p_best, LEAST))
    rest = math.fsum(math.exp(other.log_p) for other in others)
    factor = math.log(max((1.0 - p_best) * listed, LEAST) / rest) if rest else 0.0
    return (
        TranscriptAlternative(best.text, log_p),
        *(TranscriptAlternative(other.text, min(other.log_p + factor, log_p)) for other in others),
    )
