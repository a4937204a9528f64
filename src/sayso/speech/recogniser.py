"""The interface of speech recognisers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sayso.types import TranscriptAlternative

BEHIND = 0.9  # of the best text's probability: the most that another recogniser's text can have
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


def pooled(alternatives: Sequence[TranscriptAlternative], text: str, share: float, limit: int) -> tuple[TranscriptAlternative, ...]:
    """The alternatives, of which another recogniser's text takes that share of the probability: a linear opinion pool (Stone 1961).

    It stays in the list of at most `limit` texts, however unlikely the first recogniser finds it: that is what a second opinion is for.
    But it does not come before the best text if the first recogniser did not hear it at all.
    """
    if share <= 0.0 or limit < 2:
        return tuple(alternatives)
    p = {each.text: math.exp(each.log_p) for each in alternatives}
    top = max(p.values(), default=0.0)
    if text not in p:
        share = min(share, BEHIND * top / (1.0 + BEHIND * top))
    p = {each: (1.0 - share) * mass for each, mass in p.items()}
    p[text] = p.get(text, 0.0) + share
    kept = [*[other for other in sorted(p, key=lambda other: -p[other]) if other != text][: limit - 1], text]
    total = math.fsum(p[each] for each in kept)
    return tuple(TranscriptAlternative(each, math.log(p[each] / total)) for each in sorted(kept, key=lambda each: -p[each]))


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
