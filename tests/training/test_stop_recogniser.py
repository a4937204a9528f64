"""The weights of the third opinion on stop: fitted where the other two are in doubt, and from nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from recordings import hiss, sound
from sayso.errors import SaysoError
from sayso.speech.stopping.recogniser import StopRecogniser
from sayso.speech.stopping.spotter import decided_at
from sayso.training.stop.evaluation import CONDITIONS, OTHERS, STOPS, Scores
from sayso.training.stop.measure import MeasuredSound, Scored
from sayso.training.stop.recogniser_fit import DoubtfulMoment, doubts, fitted_weights
from sayso.training.stop.sounds import SpokenPhrase

RECOGNISER = StopRecogniser()


def moments(number: int, seed: int = 0) -> list[DoubtfulMoment]:
    """Stops with the log odds 0.5 x₀ + x₁ + 1; the recogniser says nothing about them."""
    chance = np.random.default_rng(seed)
    evidence = np.stack([*chance.normal(0, 2, (2, number)), -chance.exponential(4, number)], 1)
    p = 1 / (1 + np.exp(-(evidence @ (0.5, 1.0, 0.0) + 1.0)))
    return [
        DoubtfulMoment((float(a), float(b), float(c)), bool(stop))
        for (a, b, c), stop in zip(evidence, chance.random(number) < p, strict=True)
    ]


def test_the_weights_are_those_that_made_the_data() -> None:
    weights, _ = fitted_weights(moments(20_000))
    assert weights == pytest.approx((0.5, 1.0, 0.0), abs=0.06)


def test_too_few_moments_are_refused() -> None:
    for few in ([], [DoubtfulMoment((1.0, 0.0, -1.0), True)], [DoubtfulMoment((1.0, 0.0, -1.0), False)]):
        with pytest.raises(SaysoError, match="too few"):
            fitted_weights(few)


def test_only_doubtful_moments_count_and_of_stops_those_shortly_after_the_word() -> None:
    said = np.concatenate([hiss(1.0, 200.0), sound("stop"), hiss(1.0, 200.0)])
    spotted = np.zeros(len(said) // 640 - 1, np.float32)
    end = 2.3
    early, good, late, sure = (int((end + after) / 0.04) for after in (-0.5, 0.3, 0.9, 0.4))
    both = spotted.copy()
    spotted[[early, good, late, sure]], both[[early, good, late]], both[sure] = 0.5, 0.8, 0.999
    both[good - 10] = 0.5  # not verified
    stop = MeasuredSound(said, end, SpokenPhrase(np.zeros(10, np.float32), "stop", "stop", "somebody", 10))
    other = MeasuredSound(said, None, SpokenPhrase(np.zeros(10, np.float32), "sentence", "go", "somebody"))
    alone, two = (scores_of_two(stop, other, scores) for scores in (spotted, both))
    found = list(doubts(alone, two, RECOGNISER, 0.1))
    assert [each.stop for each in found] == [True, False, False, False]
    until = round(decided_at(good) * 16000)
    assert found[0].evidence == pytest.approx((0.0, np.log(4.0), RECOGNISER.evidence(said[until - 32000 : until])), abs=1e-4)


def scores_of_two(stop: MeasuredSound, other: MeasuredSound, scores: NDArray[np.float32]) -> Scores:
    nothing: dict[tuple[str, str], list[Scored]] = {(kind, condition): [] for kind in (*STOPS, *OTHERS) for condition in CONDITIONS}
    return Scores({**nothing, (STOPS[0], "quiet"): [(stop, scores)]}, {**nothing, (OTHERS[2], "10 dB"): [(other, scores)]})
