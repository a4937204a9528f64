"""Bad sound through the whole hearing: no crash, no invented command, and what can be understood is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from recordings import hiss, recogniser, silence, sound
from sayso.domain import load_domain
from sayso.speech.files import read_sound
from sayso.speech.stopping.spotter import StopSpotter
from sayso.speech.stopping.words import is_stop
from sayso.speech.utterances import transcripts
from sayso.types import SAMPLE_RATE, AudioChunk, FloatArray

WAVE = np.sin(np.arange(3 * SAMPLE_RATE) * 2 * np.pi * 440 / SAMPLE_RATE)


@lru_cache(maxsize=1)
def spotter() -> StopSpotter:
    return StopSpotter()


def accepted(samples: np.ndarray) -> list[str]:
    """The texts that a robot would act on."""
    whole = np.clip(np.round(samples), -32768, 32767).astype(np.int16)
    return [each.text for each in transcripts(AudioChunk(whole, 0.0), recogniser()) if not each.rejected]


@pytest.mark.parametrize("offset", [3_000, -15_000])
def test_a_command_with_an_offset_is_recognised(offset: int) -> None:
    assert accepted(sound("go to the kitchen") + offset) == ["go to the kitchen"]


@pytest.mark.parametrize("gain", [0.02, 3.0, 10.0])
def test_a_quiet_or_a_clipped_command_is_recognised(gain: float) -> None:
    assert accepted(sound("turn left") * gain) == ["turn left"]


@pytest.mark.parametrize("sentence", ["go to the kitchen", "bring me the red cup", "turn left"])
def test_speech_that_is_hopelessly_clipped_is_rejected(sentence: str) -> None:
    samples = np.clip(sound(sentence).astype(np.float64) * 300.0, -32768, 32767).astype(np.int16)
    for each in transcripts(AudioChunk(samples, 0.0), recogniser()):
        assert each.rejected


def test_a_shouted_stop_stops_however_clipped_it_is() -> None:
    samples = np.clip(sound("stop").astype(np.float64) * 30.0, -32768, 32767).astype(np.int16)
    [heard] = transcripts(AudioChunk(samples, 0.0), recogniser())
    assert is_stop(heard, load_domain())


@pytest.mark.parametrize("rate", [8_000, 44_100, 192_000])
def test_a_file_of_any_rate_with_eight_channels_is_recognised(tmp_path: Path, rate: int) -> None:
    mono = soxr.resample(sound("turn left") / 32768.0, SAMPLE_RATE, rate)
    soundfile.write(tmp_path / "array.wav", np.stack([mono * gain for gain in (1, 0.9, 0.8, 1, 0.7, 1, 0, 0.5)], axis=1), rate, "PCM_24")
    assert accepted(read_sound(tmp_path / "array.wav").samples) == ["turn left"]


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(2 * SAMPLE_RATE),
        np.full(2 * SAMPLE_RATE, 10_000.0),
        np.repeat([0.0, 20_000.0], SAMPLE_RATE),
        20_000 * np.sign(WAVE),
        hiss(3.0, level=1e6),
        np.where(np.random.default_rng(0).random(2 * SAMPLE_RATE) < 0.001, 30_000.0, 0.0),
        silence(0.005),
        np.empty(0),
    ],
    ids=["zeros", "offset", "step", "square wave", "clipped noise", "clicks", "5 ms", "nothing"],
)
def test_what_is_no_speech_is_no_command_and_no_stop(samples: FloatArray) -> None:
    whole = np.clip(samples, -32768, 32767).astype(np.int16)
    assert accepted(samples) == []
    spotter().reset()
    assert spotter().feed(AudioChunk(whole, 0.0)) == ()
