"""Sound of any rate and number of channels → 16 kHz mono int16, piece by piece, in bounded memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sayso.types import SAMPLE_RATE, FloatArray

CANCELLED = 0.01  # the mean of the channels has less than this share of the loudest one's energy


class Converter:
    """A stream at a fixed rate, converted without clicks where its pieces meet."""

    def __init__(self, rate: float, channel: int | None = None) -> None:
        """Prepare for `rate` Hz; `channel`: the only one to use, counted from 0; None: the mean of all."""
        import soxr

        self._channel = channel
        self._stream: Any = None if rate == SAMPLE_RATE else soxr.ResampleStream(rate, SAMPLE_RATE, 1, dtype="float64")

    def __call__(self, samples: NDArray[Any], last: bool = False) -> NDArray[np.int16]:
        """(N,) or (N, channels) of int16, or of floats in [-1, 1] → (M,) int16; samples that are not numbers become 0.

        Some samples stay in the filter until the next call, or until `last`.
        """
        sound = samples / 32768.0 if samples.dtype == np.int16 else np.asarray(samples, np.float64)
        sound = np.nan_to_num(self._mono(sound), nan=0.0, posinf=0.0, neginf=0.0)
        if self._stream is not None:
            sound = self._stream.resample_chunk(sound, last=last)
        return np.clip(np.round(sound * 32768.0), -32768, 32767).astype(np.int16)

    def _mono(self, sound: FloatArray) -> FloatArray:
        if sound.ndim == 1:
            return sound
        mono: FloatArray = sound.mean(axis=1) if self._channel is None else sound[:, self._channel]
        return mono


class ChannelChoice:
    """Which channel of a recording to use: all, unless they cancel out because one has inverted polarity."""

    def __init__(self, channels: int) -> None:
        self._energies: FloatArray = np.zeros(channels)
        self._of_mean = 0.0

    def see(self, samples: FloatArray) -> None:
        """Take (N, channels) further samples."""
        self._energies += (samples**2).sum(axis=0)
        self._of_mean += float((samples.mean(axis=1) ** 2).sum())

    def channel(self) -> int | None:
        """The loudest channel if the others cancel it out; None: the mean of all."""
        loudest = int(self._energies.argmax())
        return loudest if self._of_mean < CANCELLED * self._energies[loudest] else None
