"""Reading sound files: common formats become 16 kHz mono, unusable ones give a clear error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from sayso.errors import AudioError
from sayso.speech.files import chunks, read_sound, to_16k_mono
from sayso.types import SAMPLE_RATE


def tone(rate: int, seconds: float = 1.0, frequency: float = 440.0) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)


def loudest_frequency(samples: np.ndarray) -> float:
    return float(np.argmax(np.abs(np.fft.rfft(samples.astype(float)))) * SAMPLE_RATE / len(samples))


@pytest.mark.parametrize(
    ("name", "rate", "channels", "subtype"),
    [
        ("cd.wav", 44_100, 2, "PCM_16"),
        ("telephone.wav", 8_000, 1, "ULAW"),
        ("studio.wav", 48_000, 2, "PCM_24"),
        ("float.wav", 16_000, 1, "FLOAT"),
        ("double.wav", 96_000, 6, "DOUBLE"),
        ("bytes.wav", 22_050, 1, "PCM_U8"),
        ("packed.flac", 44_100, 2, "PCM_16"),
        ("packed.ogg", 48_000, 1, "VORBIS"),
    ],
)
def test_common_formats_become_16_khz_mono(tmp_path: Path, name: str, rate: int, channels: int, subtype: str) -> None:
    soundfile.write(tmp_path / name, np.tile(tone(rate)[:, None], (1, channels)), rate, subtype=subtype)
    sound = read_sound(tmp_path / name)
    assert (sound.samples.dtype, sound.samples.ndim, sound.sample_rate, sound.stamp) == (np.int16, 1, SAMPLE_RATE, 0.0)
    assert abs(len(sound.samples) - SAMPLE_RATE) <= 2
    assert loudest_frequency(sound.samples) == pytest.approx(440.0, abs=2.0)
    assert np.abs(sound.samples[2000:-2000]).max() == pytest.approx(0.5 * 32768, rel=0.05)


def test_a_16_khz_file_is_read_unchanged(tmp_path: Path) -> None:
    samples = np.random.default_rng(0).integers(-32768, 32768, 5000).astype(np.int16)
    soundfile.write(tmp_path / "a.wav", samples, SAMPLE_RATE, subtype="PCM_16")
    assert np.array_equal(read_sound(tmp_path / "a.wav").samples, samples)


def test_channels_that_cancel_out_are_still_audible() -> None:
    wave = tone(SAMPLE_RATE)
    assert np.abs(to_16k_mono(np.stack([wave, -wave], axis=1), SAMPLE_RATE)).max() > 10_000


@given(st.lists(st.floats(-4.0, 4.0), min_size=1, max_size=200))
def test_loud_samples_are_clipped_and_never_wrap_around(values: list[float]) -> None:
    heard = to_16k_mono(np.array(values), SAMPLE_RATE)
    assert np.array_equal(np.sign(heard), np.sign(np.round(np.array(values) * 32768)))


def _nothing(path: Path) -> None:
    pass


def _text(path: Path) -> None:
    path.write_text("bring me the red cup from the kitchen\n" * 50)


def _empty(path: Path) -> None:
    path.touch()


def _header(path: Path) -> None:
    soundfile.write(path, np.zeros(0), SAMPLE_RATE)


def _truncated(path: Path) -> None:
    soundfile.write(path, tone(SAMPLE_RATE), SAMPLE_RATE)
    path.write_bytes(path.read_bytes()[:20])


def _endless(path: Path) -> None:
    soundfile.write(path, np.zeros(3601 * 100), 100, subtype="PCM_U8")


def _not_a_number(path: Path) -> None:
    soundfile.write(path, np.array([0.0, np.nan, np.inf]), SAMPLE_RATE, subtype="FLOAT")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_nothing, "no such file"),
        (Path.mkdir, "is a folder"),
        (_text, "not a sound file"),
        (_empty, "not a sound file"),
        (_header, "holds no sound"),
        (_truncated, "sound"),
        (_endless, "60 minutes"),
        (_not_a_number, "not numbers"),
    ],
)
def test_an_unusable_file_gives_one_line_with_its_name(tmp_path: Path, make, words: str) -> None:
    path = tmp_path / "speech.wav"
    make(path)
    with pytest.raises(AudioError) as raised:
        read_sound(path)
    message = str(raised.value)
    assert words in message
    assert message.startswith(str(path))
    assert "\n" not in message


@given(st.integers(0, 500), st.integers(1, 100), st.floats(0, 0.01))
def test_chunks_hold_all_samples_and_the_silence_after_them(count: int, size: int, silence: float) -> None:
    samples = np.arange(1, count + 1, dtype=np.int16)
    pieces = chunks(samples, size, silence)
    whole = np.concatenate(pieces)
    assert all(len(piece) == size for piece in pieces[:-1])
    assert (whole[:count] == samples).all()
    assert not whole[count:].any()
    assert len(whole) == count + round(silence * SAMPLE_RATE)
