"""Fitting the confidence of both recognisers together, and the probabilities of their texts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.speech.confidence import ConfidenceModel, Evidence, RecognisedWord
from sayso.speech.fused import FUSED_FEATURES, FusedEvidence
from sayso.speech.fusion import Fused, FusedText
from sayso.training.speech.fused import FusedTrial, best_text, certain, fit_fused, fused_section, judged
from sayso.training.speech.train import SpeechTrial


def trial(chance: np.random.Generator, scale: float = 1.0) -> FusedTrial:
    """A command whose best text is right with the probability that the scores say, if they are divided by `scale`."""
    lead = chance.exponential(2.0)
    right = chance.random() < 1.0 / (1.0 + np.exp(-lead))
    said, other = ("go to the dock", "go to the desk") if right else ("go to the desk", "go to the dock")
    texts = (FusedText("go to the dock", 0.0, -2.0, -9.0, -1.0), FusedText("go to the desk", -lead * scale, -4.0, -9.0, -2.0))
    free = FusedText("go to the dock", -2.0, -2.0, -9.0, -1.0)
    second = said if chance.random() < 0.9 else other
    path = Evidence((RecognisedWord("go", 0, 9, -30.0, -2.0, -0.1),))
    return judged(SpeechTrial(np.zeros(1, np.int16), said, "command"), FusedEvidence(Fused(texts, free), second, path, 0.0, -9.0))


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_temperature_makes_probabilities_agree_with_how_often_texts_are_right(scale: float) -> None:
    chance = np.random.default_rng(0)
    calibration = fit_fused([trial(chance, scale) for _ in range(1_000)])
    held_out = [trial(chance, scale) for _ in range(1_000)]
    assert calibration.temperature == pytest.approx(scale, rel=0.35)
    right = np.mean([each.errors == 0 for each in held_out])
    assert best_text(held_out, calibration.temperature).mean() == pytest.approx(right, abs=0.04)


def test_agreement_counts_and_the_section_has_the_measures_of_other_voices() -> None:
    chance = np.random.default_rng(1)
    section = fused_section(*([trial(chance) for _ in range(number)] for number in (300, 100, 200)))
    weights = section["fused_confidence"]["weights"]  # type: ignore[index]
    assert set(weights) == set(FUSED_FEATURES)
    assert weights["agreement"] > 1.0
    assert section["fused_held_out"]["command"]["number"] == 100.0  # type: ignore[index]
    assert section["rooms_held_out"]["command"]["number"] == 200.0  # type: ignore[index]
    assert sum(row["number"] for row in section["commands_by_room"].values()) == 200.0  # type: ignore[attr-defined]
    assert section["certainty_held_out"]["calibration_error"] < 0.1  # type: ignore[index]


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_best_text_is_right_as_often_as_its_probability_says(scale: float) -> None:
    chance = np.random.default_rng(4)
    calibration = fit_fused([trial(chance, scale) for _ in range(2_000)])
    held_out = [trial(chance, scale) for _ in range(3_000)]
    accepted = [each for each in held_out if calibration.confidence(each.both) >= calibration.threshold]
    said, right = np.array([certain(each, calibration) for each in accepted]), np.array([each.errors == 0 for each in accepted])
    assert len(accepted) > 1_000
    for low, high in ((0.5, 0.8), (0.8, 1.0)):
        inside = (said >= low) & (said < high)
        assert right[inside].mean() == pytest.approx(said[inside].mean(), abs=0.06)


def test_where_the_right_text_is_never_listed_the_others_get_no_share() -> None:
    chance = np.random.default_rng(5)
    missing = [
        replace(each, trial=replace(each.trial, text="stop")) if each.errors else each for each in (trial(chance) for _ in range(600))
    ]
    certainty = fit_fused(missing).certainty
    assert certainty is not None
    assert certainty.listed < 0.05


def test_one_wrong_word_is_a_wrong_text() -> None:
    chance = np.random.default_rng(2)
    assert {each.label for each in (trial(chance) for _ in range(50)) if each.errors} == {False}


def test_the_second_opinion_is_judged_by_its_own_calibration() -> None:
    each = trial(np.random.default_rng(3))
    sure = ConfidenceModel((0.0,) * 5, 3.0, 0.5, (0.0,) * 5)
    assert each.beside(sure).both.second_log_odds == pytest.approx(3.0)
    assert each.alone.text == each.both.second
