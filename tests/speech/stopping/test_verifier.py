"""The verifier is asked about the spotter's detections and nothing else; tests/training/test_stop_verifier.py makes networks for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from budget import examples
from recordings import hiss, sound
from sayso.errors import ModelError
from sayso.models import model_path
from sayso.speech.stopping.spotter import StopSpotter, decided_at
from sayso.speech.stopping.verifier import PEAK, SEEN, StopVerifier, at_speed, prepared
from sayso.types import SAMPLE_RATE

SPOTTER = model_path("stop.onnx")
SAID = np.concatenate([hiss(0.7), sound("stop"), hiss(0.4)])


class RecordingVerifier(StopVerifier):
    """Always gives the same answer, and records its inputs."""

    def __init__(self, answer: float) -> None:
        self.asked_from, self.threshold, self.delay = 0.1, 0.4, 0.0
        self.answer, self.asked = answer, list[tuple[float, NDArray[np.int16]]]()

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        self.asked.append((p_stop, samples))
        return self.answer


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


@cache
def shipped() -> tuple[StopSpotter, NDArray[np.float64]]:
    """The shipped spotter, and its scores for what is said, heard in one piece."""
    spotter = StopSpotter()
    return spotter, spotter.scores(SAID)


@examples(10)
@given(st.lists(st.integers(1, 9000), min_size=1, max_size=12))
def test_scores_do_not_depend_on_chunk_boundaries(cuts: list[int]) -> None:
    spotter, whole = shipped()
    assert whole.max() >= spotter.threshold
    spotter.reset()
    parts = [spotter.scores(part) for part in np.split(SAID, np.cumsum(cuts)[np.cumsum(cuts) < len(SAID)])]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-4)


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
