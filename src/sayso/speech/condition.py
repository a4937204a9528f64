"""What is wrong with the sound of a microphone, in words: it is missing, silent to the last bit, clipped or offset."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from sayso.types import SAMPLE_RATE

MISSING = 1.5  # s without a sample after which a device counts as lost
ZEROS = 5.0  # s of zeros after which it counts as muted; noise gates give zeros too, between words
MEMORY = 3.0  # s over which clipping and offset are measured
LIMIT = 32_700  # |sample| from which it may be clipped
CLIPPED = 0.005  # share of clipped samples that is worth a word; loud vowels reach several per cent
OFFSET = 0.05  # mean, relative to full scale


class SoundCondition:
    """Watches the samples of one source. Times are seconds of any clock that does not jump."""

    def __init__(self) -> None:
        self._heard_at: float | None = None  # last sample
        self._alive_at: float | None = None  # last sample that was not 0, or the first one
        self._lately: deque[tuple[int, int, float]] = deque()  # of each piece: samples, clipped ones, sum
        self._kept = 0  # samples in `_lately`

    def feed(self, samples: NDArray[np.int16], now: float) -> None:
        """Take (N,) samples that ended `now`."""
        if not len(samples):
            return
        self._heard_at = now
        if self._alive_at is None or samples.any():
            self._alive_at = now
        wide = samples.astype(np.int32)
        self._lately.append((len(wide), int((np.abs(wide) >= LIMIT).sum()), float(wide.sum())))
        self._kept += len(wide)
        while self._kept - self._lately[0][0] > MEMORY * SAMPLE_RATE:
            self._kept -= self._lately.popleft()[0]

    def deaf(self, now: float, missing: float = MISSING) -> str:
        """Why nothing can be heard: no sample for `missing` s, or zeros. Empty if something can be, or if no sound has come yet."""
        if self._heard_at is None or self._alive_at is None:
            return ""
        if now - self._heard_at > missing:
            return f"no sound for more than {missing:g} s"
        if self._heard_at - self._alive_at > ZEROS:
            return f"nothing but zeros for more than {ZEROS:g} s: is the microphone muted or unplugged?"
        return ""

    def poor(self) -> str:
        """Why speech may not be recognised although sound comes; empty if the sound is good."""
        if not self._kept:
            return ""
        clipped = sum(piece[1] for piece in self._lately) / self._kept
        offset = sum(piece[2] for piece in self._lately) / self._kept / 32768.0
        if clipped > CLIPPED:
            return f"{clipped:.0%} of the sound is clipped: lower the gain of the microphone"
        if abs(offset) > OFFSET:
            return f"the sound has an offset of {offset:+.0%} of full scale: look for a defect of the microphone or its cable"
        return ""
