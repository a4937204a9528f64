"""The verifier confirms or rejects the spotter's detections, and runs on nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from recordings import hiss, sound
from sayso.errors import ModelError
from sayso.models import model_path
from sayso.speech import moonshine
from sayso.speech.stopping.spotter import StopSpotter, decided_at
from sayso.speech.stopping.verifier import PEAK, SEEN, StopVerifier, at_speed, prepared
from sayso.training.stop.clips import NEVER, UNSURE, UNTIL, bank
from sayso.training.stop.config import load_stop_config
from sayso.training.stop.sounds import SpokenPhrase
from sayso.training.stop.verifier_fit import FROM, evenly, fit_verifier, moments_of, moments_once, talked_over
from sayso.training.stop.verifier_network import MOMENTS, StopVerifierNetwork, export, published
from sayso.types import SAMPLE_RATE

CONFIG = load_stop_config()
SPOTTER = model_path("stop.onnx")
FITTED = {"asked_from": 0.1, "weight": 0.5, "speeds": (1.0,), "threshold": 0.4, "delay": 0.1}
SAID = np.concatenate([hiss(0.7), sound("stop"), hiss(0.4)])


class RecordingVerifier(StopVerifier):
    """Always gives the same answer, and records its inputs."""

    def __init__(self, answer: float) -> None:
        self.asked_from, self.threshold, self.delay = 0.1, 0.4, 0.0
        self.answer, self.asked = answer, list[tuple[float, NDArray[np.int16]]]()

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        self.asked.append((p_stop, samples))
        return self.answer


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


def test_runs_only_on_suspected_moments_with_the_two_seconds_before() -> None:
    own = StopSpotter(path=SPOTTER).scores(SAID)
    verifier = RecordingVerifier(0.0)
    StopSpotter(path=SPOTTER, verifier=verifier).scores(SAID)
    suspected = np.flatnonzero(own >= verifier.asked_from)
    assert 0 < len(suspected) == len(verifier.asked) < len(own) / 2
    for decision, (p_stop, heard) in zip(suspected, verifier.asked, strict=True):
        until = round(decided_at(int(decision)) * 16000)
        assert p_stop == pytest.approx(own[decision], abs=1e-6)
        np.testing.assert_array_equal(heard, SAID[max(until - SEEN, 0) : until])


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 9000), min_size=1, max_size=12))
def test_scores_do_not_depend_on_chunk_boundaries(cuts: list[int]) -> None:
    spotter = StopSpotter()
    whole = spotter.scores(SAID)
    assert whole.max() >= spotter.threshold
    spotter.reset()
    parts = [spotter.scores(part) for part in np.split(SAID, np.cumsum(cuts)[np.cumsum(cuts) < len(SAID)])]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-4)


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


@pytest.mark.parametrize("speed", [0.8, 1.0, 1.25])
def test_speed_shortens_the_sound_and_raises_its_pitch(speed: float) -> None:
    tone = np.sin(2 * np.pi * 1000 * np.arange(SAMPLE_RATE) / SAMPLE_RATE).astype(np.float32)
    heard = at_speed(tone, speed)
    assert len(heard) == pytest.approx(SAMPLE_RATE / speed, abs=2)
    loudest = np.abs(np.fft.rfft(heard)).argmax() * SAMPLE_RATE / len(heard)
    assert loudest == pytest.approx(1000 * speed, abs=2)


def test_the_threshold_is_the_joint_one() -> None:
    assert StopSpotter(verifier=StopVerifier()).threshold == StopVerifier().threshold
    assert StopSpotter(path=SPOTTER, verifier=RecordingVerifier(0.5)).threshold == 0.4
    assert StopSpotter(0.7, SPOTTER, RecordingVerifier(0.5)).threshold == 0.7


@given(st.integers(0, SEEN), st.integers(1, 32767))
def test_input_is_normalised_in_loudness_and_padded_with_silence(length: int, loudest: int) -> None:
    given_ = prepared(np.full(length, -loudest, np.float32))
    assert given_.shape == (SEEN,)
    assert (given_[: SEEN - length] == 0.0).all()
    np.testing.assert_allclose(given_[SEEN - length :], -PEAK, rtol=1e-5)


def test_silence_and_the_loudest_sample_are_no_problem() -> None:
    verifier = StopVerifier()
    for samples in ([], [7], [0] * 100, [-32768, 5] * 1000):
        assert 0.0 < verifier(0.5, np.array(samples, np.int16)) < 1.0
    assert np.abs(prepared(np.array([-32768, 5], np.float32))).max() == pytest.approx(PEAK)


def test_an_invalid_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "stop_verifier.onnx").write_bytes(b"no model")
    for path in (tmp_path / "stop_verifier.onnx", tmp_path / "missing.onnx", SPOTTER):
        with pytest.raises(ModelError, match="sayso train stop"):
            StopVerifier(path)


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
