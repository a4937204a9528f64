"""Samples as a WAV file in memory."""

from __future__ import annotations

import io
import wave

import numpy as np
from numpy.typing import NDArray

from sayso.types import SAMPLE_RATE


def wav_of(samples: NDArray[np.int16]) -> bytes:
    """The file of (N,) mono samples at 16 kHz."""
    file = io.BytesIO()
    with wave.open(file, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(2)
        written.setframerate(SAMPLE_RATE)
        written.writeframes(samples.astype("<i2").tobytes())
    return file.getvalue()
