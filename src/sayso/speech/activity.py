"""Voice activity: P(speech) per 32 ms of sound, from silero-vad's network or from the energy."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.models import onnx_session, sha256_once
from sayso.types import FloatArray

WINDOW = 512  # samples, 32 ms, as in the training of silero-vad
SILERO = Path(__file__).with_name("silero_vad.onnx")  # silero_vad/data/silero_vad_16k_sequence.onnx of silero-vad 6.2.3
SHA256 = "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85"
_CONTEXT = 64  # samples of the previous window that the network also sees


class SileroActivity:
    """silero-vad 6, the 16 kHz network with its state carried from call to call."""

    def __init__(self) -> None:
        """Raises ModelError where the network is missing or altered."""
        self._session = onnx_session(silero_file())
        self.reset()

    def reset(self) -> None:
        """Forget the sound so far."""
        self._h = np.zeros((1, 1, 128), np.float32)
        self._c = np.zeros((1, 1, 128), np.float32)
        self._context: NDArray[np.float32] = np.zeros(_CONTEXT, np.float32)

    def __call__(self, windows: NDArray[np.int16]) -> FloatArray:
        """(n, WINDOW) int16 → (n,) P(speech)."""
        sound = windows.astype(np.float32) / 32768.0
        context = np.vstack([self._context, sound[:-1, -_CONTEXT:]])
        p_speech, self._h, self._c = self._session.run(None, {"input": np.hstack([context, sound]), "h": self._h, "c": self._c})
        self._context = sound[-1, -_CONTEXT:].copy()
        return np.asarray(p_speech, np.float64)


def silero_file() -> Path:
    """silero-vad's network, in a file beside this module.

    Raises:
        ModelError: it is missing or altered.
    """
    try:
        digest = sha256_once(SILERO)
    except OSError:
        raise ModelError(f"{SILERO} is missing: install Sayso again, or choose the detector 'energy'") from None
    if digest != SHA256:
        raise ModelError(f"{SILERO} is not the network of silero-vad 6.2.3: install Sayso again, or choose the detector 'energy'")
    return SILERO


class EnergyActivity:
    """Loudness above an adaptive noise floor, a low quantile of the levels of the last seconds.

    P(speech) is a logistic function of the level above the floor, ½ at 9 dB. It cannot tell voices from other sounds: a slammed door
    counts as speech, and the recogniser has to reject it.
    """

    MARGIN = 9.0  # dB above the floor at which P(speech) is ½
    SLOPE = 0.5  # per dB
    QUIETEST = -66.0  # dBFS, lower limit of the floor, because of digital silence
    MEMORY = 125  # windows, 4 s

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget the sound so far."""
        self._levels: deque[float] = deque(maxlen=self.MEMORY)

    def __call__(self, windows: NDArray[np.int16]) -> FloatArray:
        """(n, WINDOW) int16 → (n,) P(speech)."""
        sound = windows.astype(np.float64) / 32768.0
        power = np.square(sound - sound.mean(axis=1, keepdims=True)).mean(axis=1)
        levels = np.maximum(10.0 * np.log10(power + 1e-12), self.QUIETEST)
        return np.array([self._p_speech(level) for level in levels])

    def _p_speech(self, level: float) -> float:
        self._levels.append(level)
        floor = float(np.quantile(self._levels, 0.15))
        return float(1.0 / (1.0 + np.exp(-self.SLOPE * (level - floor - self.MARGIN))))
