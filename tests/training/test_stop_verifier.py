"""The verifier's network is exported as it was trained, confirms or rejects the spotter's detections, and learns from moments and talk."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from recordings import hiss, sound
from sayso.errors import ModelError
from sayso.models import model_path
from sayso.speech import moonshine
from sayso.speech.stopping.spotter import StopSpotter, decided_at
from sayso.speech.stopping.verifier import SEEN, StopVerifier, prepared
from sayso.training.stop.clips import NEVER, UNSURE, UNTIL, bank
from sayso.training.stop.config import load_stop_config
from sayso.training.stop.sounds import SpokenPhrase
from sayso.training.stop.verifier_fit import FROM, evenly, fit_verifier, moments_of, moments_once, talked_over
from sayso.training.stop.verifier_network import MOMENTS, StopVerifierNetwork, export, published
from sayso.types import SAMPLE_RATE

pytestmark = pytest.mark.long("trains or exports a network")
CONFIG = load_stop_config()
SPOTTER = model_path("stop.onnx")
FITTED = {"asked_from": 0.1, "weight": 0.5, "speeds": (1.0,), "threshold": 0.4, "delay": 0.1}
SAID = np.concatenate([hiss(0.7), sound("stop"), hiss(0.4)])


@pytest.fixture(scope="module")
def file_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[StopVerifierNetwork], Path]:
    def written(network: StopVerifierNetwork) -> Path:
        path = tmp_path_factory.mktemp("verifier") / "stop_verifier.onnx"
        export(network, FITTED, path)
        return path

    return written


def network_that_says(logit: float) -> StopVerifierNetwork:
    torch.manual_seed(0)
    network = StopVerifierNetwork(layers=1)
    network.head.judged[-1].weight.data.zero_()
    network.head.judged[-1].bias.data.fill_(logit)
    return network


def test_only_detections_that_the_verifier_confirms_stop_the_robot(
    file_of: Callable[[StopVerifierNetwork], Path],
) -> None:
    verifiers = [StopVerifier(file_of(network_that_says(logit))) for logit in (-40.0, 40.0)]
    highest = [StopSpotter(path=SPOTTER, verifier=each).scores(SAID).max() for each in verifiers]
    assert highest[0] < 0.1
    assert highest[1] > 0.99


def test_the_log_odds_of_both_are_added(file_of: Callable[[StopVerifierNetwork], Path]) -> None:
    verifier = StopVerifier(file_of(network_that_says(2.0)))
    assert verifier(0.5, SAID[:SEEN]) == pytest.approx(1 / (1 + np.exp(-1.0)), abs=1e-3)
    assert verifier(0.9, SAID[:SEEN]) == pytest.approx(1 / (1 + np.exp(-1.0) / 9), abs=1e-3)
    assert verifier(1.0, SAID[:SEEN]) < 1.0


def test_averages_the_log_odds_over_its_speeds(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = StopVerifierNetwork(layers=1)
    network.head.judged[-1].weight.data *= 20.0  # so that the odds differ
    odds = {}
    for speeds in ((1.0,), (1.25,), (0.8,), (0.8, 1.0, 1.25)):
        path = tmp_path / "stop_verifier.onnx"
        export(network, {**FITTED, "speeds": speeds}, path)
        p = StopVerifier(path)(0.5, SAID[:SEEN])
        odds[speeds] = np.log(p / (1 - p))
    alone = [odds[speed,] for speed in (0.8, 1.0, 1.25)]
    assert min(abs(one - other) for one, other in itertools.pairwise(alone)) > 0.01
    assert odds[0.8, 1.0, 1.25] == pytest.approx(np.mean(alone), abs=1e-4)


def test_the_exported_file_matches_the_network_at_a_third_of_its_size(file_of: Callable[[StopVerifierNetwork], Path]) -> None:
    torch.manual_seed(0)
    network = StopVerifierNetwork(layers=1).eval()
    path = file_of(network)
    sounds = [np.random.default_rng(seed).normal(0, 3000, SEEN).astype(np.int16) for seed in range(4)]
    with torch.no_grad():
        expected = network(torch.from_numpy(np.stack([prepared(each.astype(np.float32)) for each in sounds])))
    odds = [np.log(p / (1 - p)) for p in (StopVerifier(path)(0.5, each) for each in sounds)]
    np.testing.assert_allclose(odds, 0.5 * expected.numpy(), atol=0.02)
    assert path.stat().st_size < sum(weight.numel() for weight in network.parameters()) * 4 / 3


def test_missing_published_weights_are_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moonshine, "PACKAGE", "no_such_package")
    with pytest.raises(ModelError, match=r"pip install --no-deps moonshine-voice==0\.1\.0"):
        published(1)


@given(st.integers(0, 10_000), st.one_of(st.just(NEVER), st.floats(2.0, 3.8)))
def test_training_moments_are_just_after_a_stop_or_elsewhere(seed: int, stop: float) -> None:
    chance = np.random.default_rng(seed)
    p_stop = chance.random(110).astype(np.float32)
    picked = moments_of(p_stop, stop, chance)
    assert [yes for _, yes in picked] == [stop != NEVER, False]
    for decision, yes in picked:
        after = decided_at(decision) - stop
        assert decided_at(decision) >= SEEN / 16000
        assert FROM <= after <= UNTIL if yes else after < -UNSURE[0] or after > UNSURE[1]


def test_rare_words_are_sampled_as_often_as_others() -> None:
    texts = ["stop", "please stop", "stop!", "robot, stop", "halt"]
    phrases = [SpokenPhrase(np.zeros(10, np.float32), "stop", text, "somebody", 10) for text in texts]
    drawn = [each.text for each in evenly(phrases, ("stop", "halt"))]
    assert drawn.count("halt") == 4
    assert sum("stop" in text for text in drawn) == 4


def test_half_of_the_training_sounds_have_quieter_background_speech_without_stop() -> None:
    times = np.arange(SEEN) / SAMPLE_RATE
    calling, talking = (np.sin(2 * np.pi * tone * times).astype(np.float32) for tone in (1000, 300))
    wanted = np.array([1.0, 0.0] * 100, np.float32)
    sounds = np.where(wanted[:, None] == 1, calling, talking)
    added = talked_over(sounds, wanted, np.random.default_rng(0)) - sounds
    loud = np.sqrt(np.mean(added**2, axis=1)) / np.sqrt(np.mean(sounds**2, axis=1))
    into = loud > 0
    assert 0.35 < into.mean() < 0.65
    assert np.all((20 * np.log10(loud[into]) > -20.5) & (20 * np.log10(loud[into]) < -4.5))
    spectra = np.abs(np.fft.rfft(added[into]))
    assert np.all(spectra[:, 2000] < 1e-3 * spectra[:, 600])  # 1000 and 300 Hz, of two seconds


def test_without_other_phrases_there_is_no_background_speech() -> None:
    sounds = np.ones((4, SEEN), np.float32)
    assert np.array_equal(talked_over(sounds, np.ones(4, np.float32), np.random.default_rng(0)), sounds)


def test_all_parameters_train_and_an_interrupted_training_resumes(tmp_path: Path) -> None:
    tone = (0.3 * np.sin(np.arange(8000) / 5)).astype(np.float32)
    phrases = [SpokenPhrase(tone, "stop", "stop", "somebody", 8000), SpokenPhrase(tone[:6000], "hard", "top", "somebody")]
    made_of = bank([*phrases, SpokenPhrase(np.tile(tone, 4), "sentence", "go", "somebody")], [])
    runs = tuple(run.model_copy(update={"steps": steps}) for run, steps in zip(CONFIG.verifier.runs, (3, 2), strict=True))
    small = CONFIG.verifier.model_copy(update={"clips": 6, "layers": 1, "runs": runs})
    config = CONFIG.model_copy(update={"verifier": small, "batch": 4})
    spotter = StopSpotter(path=SPOTTER)
    sounds, wanted = moments_once(made_of, spotter, config, tmp_path, lambda done, total: None)
    again = moments_once(made_of, spotter, config, tmp_path, lambda done, total: pytest.fail("made twice"))
    np.testing.assert_array_equal(sounds, again[0])
    assert sounds.shape == (12, SEEN)
    assert 0 < wanted.sum() < 12
    steps: list[int] = []
    weights = []
    for _ in range(2):
        torch.manual_seed(0)
        network = StopVerifierNetwork(1)
        before = network.encoder.conv1.weight.clone()
        fit_verifier(network, sounds, wanted, config, tmp_path, lambda step, loss: steps.append(step))
        assert not torch.equal(before, network.encoder.conv1.weight)
        weights.append(network.head.read.weight.detach().clone())
    assert steps == [1, 2, 3, 4, 5]  # the second run had nothing left to do
    assert torch.equal(*weights)
    assert network.encoder(torch.zeros(1, SEEN)).shape == (1, MOMENTS, 288)
