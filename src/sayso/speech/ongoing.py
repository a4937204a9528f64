"""Recognition while a person speaks: a first text as it goes, the whole one in each pause, and how long a pause must be to end it."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from sayso.speech.ending import SentenceEnd
from sayso.speech.endpoint import EndpointOptions, Pause
from sayso.speech.recogniser import OngoingRecogniser
from sayso.types import SAMPLE_RATE

SHOWN = round(0.32 * SAMPLE_RATE)  # samples from one partial text to the next


class OngoingEar:
    """The `Ear` of an endpointer: keeps a recogniser at work."""

    def __init__(self, recogniser: OngoingRecogniser, end: SentenceEnd, options: EndpointOptions | None = None) -> None:
        self._recogniser, self._end, self._options = recogniser, end, options or EndpointOptions()
        self.begin()

    def begin(self) -> None:
        """An utterance begins."""
        self._recogniser.begin()
        self.text = ""  # what was said so far, as far as it is known
        self._unshown = 0  # samples since the last look at the text

    def hear(self, samples: NDArray[np.int16]) -> None:
        """(N,) its next samples."""
        self._recogniser.hear(samples)
        self._unshown += len(samples)
        if self._unshown >= SHOWN:
            self.text, self._unshown = self._recogniser.partial() or self.text, 0

    def pause(self) -> Pause:
        """What was said so far. Sound that is no command ends as if nobody listened."""
        began = time.perf_counter()
        recognition = self._recogniser.so_far()
        self.text = recognition.alternatives[0].text if recognition.alternatives else ""
        needed = self._end(recognition) if self.text else self._options.hangover
        if recognition.rejected:
            needed = max(needed, self._options.hangover)
        return Pause(needed, recognition, time.perf_counter() - began)
