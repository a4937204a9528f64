"""The interface of speech recognisers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sayso.types import TranscriptAlternative

HOPELESS = 30.0  # nats below the best text at which an alternative is dropped


@dataclass(frozen=True, slots=True)
class Recognition:
    """The n-best result for one utterance."""

    alternatives: tuple[TranscriptAlternative, ...]  # best first, log-probabilities normalised over them
    confidence: float  # in [0, 1], that it is a sentence of the domain
    rejected: str = ""  # why it must not be acted on


class Recogniser(Protocol):
    """Sound of one utterance → Recognition."""

    def __call__(self, samples: NDArray[np.int16]) -> Recognition:
        """(N,) int16 mono at 16 kHz."""
        ...


@runtime_checkable
class OngoingRecogniser(Recogniser, Protocol):
    """A recogniser that works while the person speaks, so that little is left to do at the end. It gives what the whole sound gives."""

    def begin(self) -> None:
        """An utterance begins."""
        ...

    def hear(self, samples: NDArray[np.int16]) -> None:
        """(N,) its next samples."""
        ...

    def partial(self) -> str:
        """A first text of what it has heard so far, without computing."""
        ...

    def so_far(self) -> Recognition:
        """What it has heard so far. More may follow."""
        ...


def normalised(scores: Sequence[tuple[str, float]], limit: int) -> tuple[TranscriptAlternative, ...]:
    """The best texts, at most `limit`, without hopeless ones; their log scores are shifted so that the probabilities sum to 1."""
    if not scores:
        return ()
    top = max(score for _, score in scores)
    best = sorted((item for item in scores if item[1] > top - HOPELESS), key=lambda item: -item[1])[:limit]
    total = top + math.log(math.fsum(math.exp(score - top) for _, score in best))
    return tuple(TranscriptAlternative(text, score - total) for text, score in best)
