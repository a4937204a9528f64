"""Sound files of any common format → 16 kHz mono int16, the format of all stages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sayso.errors import AudioError
from sayso.speech.resampling import ChannelChoice, Converter
from sayso.types import SAMPLE_RATE, AudioChunk, FloatArray

if TYPE_CHECKING:
    import soundfile

RATES = 1_000, 768_000  # Hz; other rates are mistakes in a file's header
BLOCK = 1_000_000  # samples of all channels together that are in memory as floats
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
            if not RATES[0] <= rate <= RATES[1]:
                raise AudioError(f"{path}: claims {rate} samples per second; {RATES[0]} to {RATES[1]} can be used")
            samples = _converted(sound, path)
    except (soundfile.SoundFileError, OSError, ValueError, MemoryError) as unreadable:
        raise AudioError(f"{path}: not a sound file, or damaged ({_reason(unreadable)}); WAV, FLAC and OGG are supported") from None
    if not len(samples):
        raise AudioError(f"{path}: holds no sound")
    return AudioChunk(samples, stamp=0.0)


def _converted(sound: soundfile.SoundFile, path: Path) -> NDArray[np.int16]:
    """(N,) samples of the whole file. They are read in blocks: an hour of eight channels at 192 kHz would fill 44 GB."""
    choice = ChannelChoice(sound.channels)
    for block in _blocks(sound):
        if not np.isfinite(block).all():
            raise AudioError(f"{path}: holds samples that are not numbers (NaN or infinite)")
        choice.see(block)
    convert = Converter(sound.samplerate, choice.channel())
    pieces = [convert(block) for block in _blocks(sound)]
    return np.concatenate([*pieces, convert(np.empty(0), last=True)])


def _blocks(sound: soundfile.SoundFile) -> Iterator[FloatArray]:
    """(N, channels) samples from the beginning, a BLOCK at a time."""
    sound.seek(0)
    while len(block := sound.read(BLOCK // sound.channels, dtype="float64", always_2d=True)):
        yield block


def chunks(samples: NDArray[np.int16], size: int, silence: float) -> list[NDArray[np.int16]]:
    """The samples and `silence` seconds after them, in pieces of `size`; the last piece may be shorter."""
    whole = np.concatenate([samples, np.zeros(round(silence * SAMPLE_RATE), np.int16)])
    return np.split(whole, range(size, len(whole), size))


def to_16k_mono(samples: FloatArray, rate: int) -> NDArray[np.int16]:
    """(N,) or (N, channels) float samples in [-1, 1] at `rate` Hz → (M,) int16 mono at 16 kHz.

    Channels are averaged, unless they cancel out (one has inverted polarity): then the loudest is used.
    """
    choice = ChannelChoice(samples.shape[1] if samples.ndim == 2 else 1)
    choice.see(samples.reshape(len(samples), -1))
    return Converter(rate, choice.channel())(samples, last=True)


def _reason(error: BaseException) -> str:
    """The library's message without the path at its beginning."""
    return str(error).rstrip(".").rsplit(": ", 1)[-1] or type(error).__name__
