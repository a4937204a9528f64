"""Fit of the recogniser's weights, on the moments of the tuning part at which spotter and verifier are in doubt."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from sayso.errors import SaysoError
from sayso.intent.regression import logistic
from sayso.speech.stopping.recogniser import StopRecogniser
from sayso.speech.stopping.spotter import decided_at
from sayso.speech.stopping.verifier import SEEN, log_odds_of
from sayso.training.stop.evaluation import CONDITIONS, OTHERS, STOPS, Scores
from sayso.training.stop.measure import MeasuredSound, Scored
from sayso.types import SAMPLE_RATE, FloatArray

AFTER = 0.05, 0.6  # s after the word: a stop should be detected in this interval
RIDGE = 0.02


@dataclass(frozen=True, slots=True)
class Doubt:
    """A moment at which spotter and verifier are in doubt."""

    evidence: tuple[float, ...]  # log odds of the two, then the recogniser's log ratios
    stop: bool


def doubts(tuning: Scores, recogniser: StopRecogniser, from_: float) -> Iterator[Doubt]:
    """The doubtful moments of all sounds, in quiet and in noise.

    Args:
        tuning: scored by spotter and verifier.
        recogniser: of any weights.
        from_: least P(stop) that the verifier has seen; smaller ones are the spotter's own.
    """
    for condition in CONDITIONS:
        yield from _doubts([*tuning.all_stops(condition, STOPS), *tuning.all_others(condition, OTHERS)], recogniser, from_)


def fitted_weights(moments: Iterable[Doubt]) -> tuple[tuple[float, ...], float]:
    """Weights of the log ratios and bias, relative to the log odds of spotter and verifier, whose weight is 1.

    Stops and other moments have the same total weight.

    Raises:
        SaysoError: there are no doubtful stops, no other doubtful moments, or the log odds of the two say nothing about them.
    """
    every = list(moments)
    x, stop = np.array([each.evidence for each in every]), np.array([each.stop for each in every])
    if not every or stop.all() or not stop.any():
        raise SaysoError("there are too few doubtful moments to fit the recogniser's weights")
    weights = np.where(stop, 1.0 / stop.sum(), 1.0 / (~stop).sum())
    one: FloatArray = np.subtract(*logistic(x, np.stack([stop, ~stop], 1).astype(np.float64), weights, RIDGE))
    if one[0] <= 0.0:
        raise SaysoError("the log odds of spotter and verifier do not tell doubtful stops from other moments: check the verifier")
    scaled = one / one[0]
    return tuple(round(float(each), 3) for each in scaled[1:-1]), round(float(scaled[-1]), 3)


def _doubts(scored: Iterable[Scored], recogniser: StopRecogniser, from_: float) -> Iterator[Doubt]:
    for heard, scores in scored:
        for decision in np.flatnonzero(scores >= from_):
            at, p = decided_at(int(decision)), float(scores[decision])
            if not recogniser.in_doubt(p) or _unclear(heard, at):
                continue
            until = round(at * SAMPLE_RATE)
            ratios = recogniser.log_ratios(heard.samples[max(until - SEEN, 0) : until])
            yield Doubt((log_odds_of(p), *map(float, ratios)), heard.end is not None)


def _unclear(heard: MeasuredSound, at: float) -> bool:
    """Whether this moment of a stop is too early or too late to count as one, and so counts as nothing."""
    return heard.end is not None and not AFTER[0] <= at - heard.end <= AFTER[1]
