"""The weights of the third opinion on stop: fitted where the other two are in doubt, and from nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from recordings import hiss, sound
from sayso.errors import SaysoError
from sayso.speech.stopping.recogniser import StopRecogniser
from sayso.speech.stopping.spotter import decided_at
from sayso.training.stop.evaluation import CONDITIONS, OTHERS, STOPS, Scores
from sayso.training.stop.measure import MeasuredSound
from sayso.training.stop.recogniser_fit import Doubt, doubts, fitted_weights
from sayso.training.stop.sounds import SpokenPhrase

RECOGNISER = StopRecogniser()


def moments(number: int, seed: int = 0) -> list[Doubt]:
    """Stops with the log odds x₀ + 0.5 x₁ + 2, of which the second ratio says nothing."""
    chance = np.random.default_rng(seed)
    evidence = np.stack([chance.normal(0, 2, number), *-chance.exponential(4, (2, number))], 1)
    p = 1 / (1 + np.exp(-(evidence @ (1.0, 0.5, 0.0) + 2.0)))
    return [Doubt(tuple(map(float, each)), bool(stop)) for each, stop in zip(evidence, chance.random(number) < p, strict=True)]


def test_the_weights_are_those_that_made_the_data_relative_to_the_first() -> None:
    weights, bias = fitted_weights(moments(20_000))
    assert weights == pytest.approx((0.5, 0.0), abs=0.06)
    assert bias == pytest.approx(2.0, abs=0.5)  # with stops and others as frequent as each other


def test_too_few_or_contradictory_moments_are_refused() -> None:
    for few in ([], [Doubt((1.0, -1.0), True)], [Doubt((1.0, -1.0), False)]):
        with pytest.raises(SaysoError, match="too few"):
            fitted_weights(few)
    with pytest.raises(SaysoError, match="check the verifier"):
        fitted_weights([Doubt((-each.evidence[0], *each.evidence[1:]), each.stop) for each in moments(1000)])


def test_only_doubtful_moments_count_and_of_stops_those_shortly_after_the_word() -> None:
    said = np.concatenate([hiss(1.0, 200.0), sound("stop"), hiss(1.0, 200.0)])
    scores = np.zeros(len(said) // 640 - 1, np.float32)
    end = 2.3
    early, good, late, sure = (int((end + after) / 0.04) for after in (-0.5, 0.3, 0.9, 0.4))
    scores[[early, good, late]], scores[sure] = 0.5, 0.999
    heard = MeasuredSound(said, end, SpokenPhrase(np.zeros(10, np.float32), "stop", "stop", "somebody", 10))
    other = MeasuredSound(said, None, SpokenPhrase(np.zeros(10, np.float32), "sentence", "go", "somebody"))
    nothing = {(kind, condition): [] for kind in (*STOPS, *OTHERS) for condition in CONDITIONS}
    tuning = Scores({**nothing, (STOPS[0], "quiet"): [(heard, scores)]}, {**nothing, (OTHERS[2], "10 dB"): [(other, scores)]})
    found = list(doubts(tuning, RECOGNISER, 0.1))
    assert [each.stop for each in found] == [True, False, False, False]
    until = round(decided_at(good) * 16000)
    assert found[0].evidence == pytest.approx((0.0, *RECOGNISER.log_ratios(said[until - 32000 : until])))
