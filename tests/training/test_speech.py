"""Fitting the recogniser's confidence, and the synthetic speech it is fitted on."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import AudioError
from sayso.speech.confidence import FEATURES, Evidence, RecognisedWord
from sayso.training.speech.train import JudgedTrial, SpeechTrial, edits, fit, measure, noises
from sayso.training.speech.voices import Voice, in_a_room, room_noise, speak
from sayso.types import SAMPLE_RATE

WORDS = st.lists(st.sampled_from("abcd"), max_size=8)


def judged(right: bool, chance: np.random.Generator, spread: float = 1.0) -> JudgedTrial:
    """A well recognised command, or noise; a larger spread means more overlap of their evidence."""
    fit_mean, language_mean = (-3.0, -2.0) if right else (-4.5, -3.5)
    words = tuple(
        RecognisedWord("go", 0, 9, 10 * chance.normal(fit_mean, spread), chance.normal(language_mean, spread), -abs(chance.normal()))
        for _ in range(4)
    )
    return JudgedTrial(SpeechTrial(np.zeros(1, np.int16), "go" if right else "", "command" if right else "noise"), "go", Evidence(words))


def test_the_fit_separates_held_out_commands_from_noise() -> None:
    chance = np.random.default_rng(0)
    calibration = fit([judged(index % 2 == 0, chance) for index in range(300)])
    rows = measure([judged(index % 2 == 0, chance) for index in range(300)], calibration)
    assert rows["command"]["accepted"] == pytest.approx(0.95, abs=0.05)
    assert rows["noise"]["accepted"] < 0.3
    assert rows["command"]["sentences_right"] == 1.0
    assert len(calibration.weights) == len(FEATURES)


def test_confidence_is_a_calibrated_probability() -> None:
    chance = np.random.default_rng(1)
    calibration = fit([judged(index % 2 == 0, chance, spread=4.0) for index in range(2000)])
    held_out = [judged(index % 2 == 0, chance, spread=4.0) for index in range(2000)]
    confidence = np.array([calibration.confidence(item.evidence) for item in held_out])
    right = np.array([item.label for item in held_out], float)
    middling = (confidence > 0.3) & (confidence < 0.7)
    assert right[middling].mean() == pytest.approx(confidence[middling].mean(), abs=0.1)


def test_trials_of_one_kind_cannot_be_fitted() -> None:
    chance = np.random.default_rng(0)
    with pytest.raises(AudioError, match="need both correctly recognised commands and other sounds"):
        fit([judged(True, chance) for _ in range(5)])


@given(WORDS, WORDS, WORDS)
def test_word_edits_are_a_distance(one: list[str], other: list[str], third: list[str]) -> None:
    assert edits(one, one) == 0
    assert edits(one, other) == edits(other, one) >= abs(len(one) - len(other))
    assert edits(one, third) <= edits(one, other) + edits(other, third)
    assert edits(one, []) == len(one)


def test_noises_are_loud_enough_to_be_judged() -> None:
    for samples in noises(8, np.random.default_rng(0)):
        assert samples.dtype == np.int16
        assert len(samples) >= SAMPLE_RATE
        assert np.abs(samples.astype(int)).max() > 1000


def test_the_room_has_the_requested_signal_to_noise_ratio() -> None:
    chance = np.random.default_rng(0)
    speech = np.sin(2 * np.pi * 300 * np.arange(SAMPLE_RATE) / SAMPLE_RATE)
    loud = in_a_room(speech, chance, snr=20.0, silence=1.0).astype(float)
    pause, voice = loud[: SAMPLE_RATE - 10], loud[SAMPLE_RATE : 2 * SAMPLE_RATE]
    assert 10 * np.log10(voice.var() / pause.var()) == pytest.approx(20.0, abs=1.0)
    assert room_noise(10_000, chance).std() == pytest.approx(1.0, abs=0.01)


def test_a_missing_program_is_an_error_with_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda program: None)
    with pytest.raises(AudioError, match="apt install flite espeak-ng"):
        speak("stop", Voice("flite", "rms"))


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_a_missing_voice_is_an_error_with_the_packages() -> None:
    with pytest.raises(AudioError, match=r"with the voice nobody: .*apt install flite espeak-ng"):
        speak("stop", Voice("espeak-ng", "nobody"))


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
def test_speaking_faster_takes_less_time() -> None:
    voice = Voice("espeak-ng", "en-us")
    assert len(speak("go to the kitchen", voice, 1.5)) < 0.8 * len(speak("go to the kitchen", voice, 1.0))
