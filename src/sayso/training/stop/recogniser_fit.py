"""Fit of the weights of all three, on the moments of the tuning part at which spotter and verifier are in doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.errors import SaysoError
from sayso.intent.regression import logistic
from sayso.speech.stopping.recogniser import StopRecogniser
from sayso.speech.stopping.spotter import decided_at
from sayso.speech.stopping.verifier import SEEN, Verified, log_odds_of
from sayso.training.stop.evaluation import CONDITIONS, OTHERS, STOPS, Scores
from sayso.training.stop.measure import MeasuredSound
from sayso.types import SAMPLE_RATE, FloatArray

AFTER = 0.05, 0.6  # s after the word: a stop should be detected in this interval
RIDGE = 1e-3


@dataclass(frozen=True, slots=True)
class DoubtfulMoment:
    """A moment at which spotter and verifier are in doubt."""

    evidence: tuple[float, float, float]  # of spotter, verifier and recogniser
    stop: bool


def doubts(alone: Scores, two: Scores, recogniser: StopRecogniser, asked_from: float) -> Iterator[DoubtfulMoment]:
    """The doubtful moments of all sounds, in quiet and in noise.

    Args:
        alone: by the spotter.
        two: by spotter and verifier, of the same sounds.
        recogniser: of any weights.
        asked_from: least P(stop) of the spotter that is verified.
    """
    for condition in CONDITIONS:
        of_spotter = alone.all_stops(condition, STOPS) + alone.all_others(condition, OTHERS)
        of_both = two.all_stops(condition, STOPS) + two.all_others(condition, OTHERS)
        for (heard, spotted), (_, verified) in zip(of_spotter, of_both, strict=True):
            yield from _doubts_in(heard, spotted, verified, recogniser, asked_from)


def fitted_weights(moments: Iterable[DoubtfulMoment]) -> tuple[tuple[float, float, float], float]:
    """Weights of the three and bias, where stops and other moments have the same total weight.

    Raises:
        SaysoError: there are no doubtful stops, or no other doubtful moments.
    """
    every = list(moments)
    evidence, stop = np.array([each.evidence for each in every]), np.array([each.stop for each in every], bool)
    if not every or stop.all() or not stop.any():
        raise SaysoError("there are too few doubtful moments to fit the weights of spotter, verifier and recogniser")
    share = np.where(stop, 1.0 / stop.sum(), 1.0 / (~stop).sum())
    fitted: FloatArray = np.subtract(*logistic(evidence, np.stack([stop, ~stop], 1).astype(np.float64), share, RIDGE))
    of_spotter, of_verifier, of_recogniser, bias = (round(float(each), 3) for each in fitted)
    return (of_spotter, of_verifier, of_recogniser), bias


def _doubts_in(
    heard: MeasuredSound, spotted: NDArray[np.float32], both: NDArray[np.float32], recogniser: StopRecogniser, asked_from: float
) -> Iterator[DoubtfulMoment]:
    verified = Verified()
    for decision in map(int, np.flatnonzero(spotted >= asked_from)):
        own, at = log_odds_of(float(spotted[decision])), decided_at(decision)
        added = verified.mean(decision, log_odds_of(float(both[decision])) - own)
        if not recogniser.in_doubt(float(both[decision])) or _unclear(heard, at):
            continue
        until = round(at * SAMPLE_RATE)
        yield DoubtfulMoment((own, added, recogniser.evidence(heard.samples[max(until - SEEN, 0) : until])), heard.end is not None)


def _unclear(heard: MeasuredSound, at: float) -> bool:
    """Whether this moment of a stop is too early or too late to count as one, and so counts as nothing."""
    return heard.end is not None and not AFTER[0] <= at - heard.end <= AFTER[1]
