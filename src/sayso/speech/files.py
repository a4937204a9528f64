"""Sound files of any common format → 16 kHz mono int16, the format of all stages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.errors import AudioError
from sayso.types import SAMPLE_RATE, AudioChunk, FloatArray

LONGEST = 3600.0  # s; a longer file is probably a mistake


def sentence_of(recording: Path) -> str:
    """The sentence in a recording's file name, as in config/sentences: "go_to_the_dock.flac"."""
    return recording.stem.replace("_", " ")


def read_sound(path: Path | str) -> AudioChunk:
    """The whole file, of any rate, channels and sample format (WAV, FLAC, OGG, …); the stamp is 0.

    Raises:
        AudioError: it cannot be read as sound, is empty, or lasts more than an hour; one line with the file's name.
    """
    import soundfile

    path = Path(path)
    if not path.exists():
        raise AudioError(f"{path}: no such file")
    if path.is_dir():
        raise AudioError(f"{path}: is a folder, not a sound file")
    try:
        with soundfile.SoundFile(path) as sound:
            rate, frames = sound.samplerate, sound.frames
            if frames > LONGEST * rate:
                raise AudioError(f"{path}: lasts {frames / rate / 60:.0f} minutes; cut it to at most {LONGEST / 60:.0f}")
            samples = sound.read(dtype="float64", always_2d=True)
    except (soundfile.SoundFileError, OSError, ValueError, MemoryError) as unreadable:
        raise AudioError(f"{path}: not a sound file, or damaged ({_reason(unreadable)}); WAV, FLAC and OGG are supported") from None
    if not len(samples):
        raise AudioError(f"{path}: holds no sound")
    if not np.isfinite(samples).all():
        raise AudioError(f"{path}: holds samples that are not numbers (NaN or infinite)")
    return AudioChunk(to_16k_mono(samples, rate), stamp=0.0)


def chunks(samples: NDArray[np.int16], size: int, silence: float) -> list[NDArray[np.int16]]:
    """The samples and `silence` seconds after them, in pieces of `size`; the last piece may be shorter."""
    whole = np.concatenate([samples, np.zeros(round(silence * SAMPLE_RATE), np.int16)])
    return np.split(whole, range(size, len(whole), size))


def to_16k_mono(samples: FloatArray, rate: int) -> NDArray[np.int16]:
    """(N,) or (N, channels) float samples in [-1, 1] at `rate` Hz → (M,) int16 mono at 16 kHz.

    Channels are averaged, unless they cancel out (one has inverted polarity): then the loudest is used.
    """
    import soxr

    mono = samples if samples.ndim == 1 else _mono(samples)
    if rate != SAMPLE_RATE:
        mono = soxr.resample(mono, rate, SAMPLE_RATE)
    return np.clip(np.round(mono * 32768.0), -32768, 32767).astype(np.int16)


def _mono(samples: FloatArray) -> FloatArray:
    mean: FloatArray = samples.mean(axis=1)
    energies = (samples**2).sum(axis=0)
    if (mean**2).sum() < 0.01 * energies.max():
        loudest: FloatArray = samples[:, int(energies.argmax())]
        return loudest
    return mean


def _reason(error: BaseException) -> str:
    """The library's message without the path at its beginning."""
    return str(error).rstrip(".").rsplit(": ", 1)[-1] or type(error).__name__
