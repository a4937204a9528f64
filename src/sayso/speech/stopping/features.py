"""Log-mel features for keyword spotting, every 10 ms, streaming."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sayso.types import SAMPLE_RATE

Features = NDArray[np.float32]

BANDS = 40
HOP = 160  # samples, 10 ms
WINDOW = 400  # samples, 25 ms
LOWEST, HIGHEST = 60.0, 7600.0  # Hz
_FFT = 512
_FLOOR = 1e-7  # of power, about the last bit of a sound card; anything below is silence
CENTRE, SCALE = -7.0, 3.5  # normalises the logarithms of ordinary speech to about zero mean and unit variance


def log_mel(samples: NDArray[np.floating]) -> Features:
    """(…, N) sound in [-1, 1] → (…, n, BANDS) with n = 1 + (N − WINDOW) // HOP complete windows, without look-ahead."""
    frames = np.lib.stride_tricks.sliding_window_view(samples.astype(np.float32, copy=False), WINDOW, axis=-1)[..., ::HOP, :]
    spectrum = np.fft.rfft(frames * _hann(), _FFT, axis=-1)
    power = spectrum.real**2 + spectrum.imag**2
    features: Features = ((np.log(power.astype(np.float32) @ _mel() + np.float32(_FLOOR)) - CENTRE) / SCALE).astype(np.float32)
    return features


def windows_in(samples: int) -> int:
    """Number of complete windows, and so of frames, in that many samples."""
    return max((samples - WINDOW) // HOP + 1, 0)


class LogMel:
    """Streaming `log_mel`: however the sound is cut, the frames equal those of the whole sound."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the sound so far."""
        self._rest: NDArray[np.int16] = np.empty(0, np.int16)

    def __call__(self, samples: NDArray[np.int16]) -> Features:
        """(N,) int16 → (n, BANDS), the frames completed by these samples."""
        sound = np.concatenate([self._rest, samples])
        frames = windows_in(len(sound))
        self._rest = sound[frames * HOP :]
        if not frames:
            return np.empty((0, BANDS), np.float32)
        return log_mel(sound[: (frames - 1) * HOP + WINDOW] / np.float32(32768.0))


@lru_cache(maxsize=1)
def _hann() -> NDArray[np.float32]:
    return np.hanning(WINDOW + 2)[1:-1].astype(np.float32)


@lru_cache(maxsize=1)
def _mel() -> NDArray[np.float32]:
    """(bins, BANDS) triangular filters, evenly spaced in mel = 2595 log10(1 + f / 700)."""
    edges = np.linspace(_to_mel(LOWEST), _to_mel(HIGHEST), BANDS + 2)
    hertz = 700.0 * (10.0 ** (edges / 2595.0) - 1.0)
    bins = np.fft.rfftfreq(_FFT, 1.0 / SAMPLE_RATE)[:, None]
    rising = (bins - hertz[:-2]) / (hertz[1:-1] - hertz[:-2])
    falling = (hertz[2:] - bins) / (hertz[2:] - hertz[1:-1])
    triangles: NDArray[np.float32] = np.maximum(np.minimum(rising, falling), 0.0).astype(np.float32)
    return triangles


def _to_mel(hertz: float) -> float:
    return 2595.0 * float(np.log10(1.0 + hertz / 700.0))
