"""The spotter detects stop once per word, independent of chunk boundaries; invalid input gives an error with a remedy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from budget import examples
from recordings import SENTENCES, hiss, silence, sound
from sayso.errors import AudioError, ModelError
from sayso.speech.stopping.features import BANDS, HOP, WINDOW, LogMel, log_mel
from sayso.speech.stopping.spotter import StopHeard, StopSpotter
from sayso.types import AudioChunk

SPOTTER = StopSpotter()
NOISE = hiss(3.0)


def heard(samples: NDArray[np.int16], chunk: int = 1600, began: float = 100.0) -> list[StopHeard]:
    """The reports of a fresh spotter for this sound, fed in chunks of this many samples."""
    SPOTTER.reset()
    chunks = (AudioChunk(samples[at : at + chunk], began + at / 16000) for at in range(0, len(samples), chunk))
    return [each for piece in chunks for each in SPOTTER.feed(piece)]


@examples(30)
@given(st.lists(st.integers(0, 5000), min_size=1, max_size=12))
def test_frames_do_not_depend_on_chunk_boundaries(cuts: list[int]) -> None:
    whole = log_mel(NOISE / np.float32(32768))
    streamed = LogMel()
    parts = [streamed(part) for part in np.split(NOISE, np.cumsum(cuts)[np.cumsum(cuts) < len(NOISE)])]
    assert np.concatenate(parts).shape == whole.shape == (1 + (len(NOISE) - WINDOW) // HOP, BANDS)
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-5)


@examples(15)
@given(st.lists(st.integers(0, 5000), min_size=1, max_size=12))
def test_scores_do_not_depend_on_chunk_boundaries(cuts: list[int]) -> None:
    SPOTTER.reset()
    whole = SPOTTER.scores(NOISE)
    SPOTTER.reset()
    parts = [SPOTTER.scores(part) for part in np.split(NOISE, np.cumsum(cuts)[np.cumsum(cuts) < len(NOISE)])]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-5)


@pytest.mark.parametrize("samples", [silence(4.0), hiss(4.0), np.zeros(64000, np.int16), np.full(64000, 32767, np.int16)])
def test_sound_without_speech_does_not_stop_the_robot(samples: NDArray[np.int16]) -> None:
    assert heard(samples) == []


@pytest.mark.parametrize(
    "chunk",
    [
        AudioChunk(np.zeros(100, np.int16), 0.0, 44100),
        AudioChunk(np.zeros(100, np.float32), 0.0),
        AudioChunk(np.zeros((50, 2), np.int16), 0.0),
    ],
)
def test_other_sound_formats_are_refused_with_the_remedy(chunk: AudioChunk) -> None:
    with pytest.raises(AudioError, match="to_16k_mono"):
        SPOTTER.feed(chunk)


@pytest.mark.parametrize("threshold", [0.0, 1.0, -3.0, float("nan")])
def test_a_threshold_outside_0_to_1_is_refused(threshold: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        StopSpotter(threshold)


def test_an_invalid_file_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "stop.onnx").write_bytes(b"no model")
    for path in (tmp_path / "stop.onnx", tmp_path / "missing.onnx"):
        with pytest.raises(ModelError, match="sayso train stop"):
            StopSpotter(path=path)


def test_empty_chunks_change_nothing() -> None:
    SPOTTER.reset()
    assert SPOTTER.feed(AudioChunk(np.empty(0, np.int16), 0.0)) == ()


@pytest.mark.parametrize("chunk", [320, 800, 1600])
def test_a_spoken_stop_is_reported_once_with_the_end_of_the_word(chunk: int) -> None:
    found = heard(sound("stop"), chunk)
    assert len(found) == 1
    assert found[0].score >= SPOTTER.threshold
    assert found[0].stamp == pytest.approx(101.24, abs=0.15)  # the release of the p is at 1.24 s


@pytest.mark.parametrize("path", [path for path in SENTENCES if path.stem != "stop"], ids=lambda path: path.stem)
def test_other_recorded_commands_do_not_stop_the_robot(path: Path) -> None:
    assert heard(sound(path.stem)) == []


def test_a_word_is_not_joined_across_a_gap() -> None:
    samples = sound("stop")
    SPOTTER.reset()
    assert SPOTTER.feed(AudioChunk(samples[:16000], 0.0)) == ()
    assert SPOTTER.feed(AudioChunk(samples[16000:], 9.0)) == ()


def test_the_threshold_sets_the_required_score() -> None:
    strict = StopSpotter(threshold=0.999)
    chunk = AudioChunk(sound("stop"), 0.0)
    SPOTTER.reset()
    assert SPOTTER.feed(chunk)
    assert strict.feed(chunk) == ()
