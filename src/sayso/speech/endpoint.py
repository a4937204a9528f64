"""Streamed sound → utterances: detects where speech starts and ends.

Two detectors share one interface: silero-vad's network (https://github.com/snakers4/silero-vad, MIT), which lies beside this
module, and the energy above an adaptive noise floor, which needs no model.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sayso.errors import AudioError
from sayso.speech.activity import WINDOW, EnergyActivity, SileroActivity
from sayso.types import SAMPLE_RATE, AudioChunk

Samples = NDArray[np.int16]
_BATCH = 1000  # windows, 32 s: an hour at once would take the detector gigabytes


@dataclass(frozen=True, slots=True)
class EndpointOptions:
    """Parameters of endpointing."""

    detector: Literal["silero", "energy"] = "silero"
    threshold: float = 0.5  # P(speech) at which speech begins; it lasts while P stays above threshold − 0.15
    attack: float = 0.064  # s of speech needed to begin an utterance
    hangover: float = 0.45  # s of silence that end an utterance
    pre_roll: float = 0.25  # s kept before the speech, since detectors miss soft initial consonants
    post_roll: float = 0.15  # s kept after the speech
    shortest: float = 0.15  # s; less speech is a click
    longest: float = 15.0  # s; longer utterances are cut


@dataclass(frozen=True, slots=True)
class Utterance:
    """A stretch of sound that contains speech."""

    samples: Samples  # (N,) int16 mono at 16 kHz, with some silence before and after
    started: float  # s, start of the speech
    ended: float  # s, end of the speech, not the time of its detection
    cut: bool = False  # longer than EndpointOptions.longest


class Activity(Protocol):
    """P(speech) of consecutive windows of sound."""

    def __call__(self, windows: Samples) -> NDArray[np.float64]:
        """(n, WINDOW) int16 → (n,) probabilities; keeps state between calls."""
        ...

    def reset(self) -> None:
        """Forget the sound so far."""
        ...


class Endpointer:
    """AudioChunks → finished utterances. The result does not depend on the chunk boundaries."""

    def __init__(self, options: EndpointOptions | None = None) -> None:
        """Raises ModelError where the silero detector is asked for and its network is missing or altered."""
        self.options = options or EndpointOptions()
        self._activity: Activity = SileroActivity() if self.options.detector == "silero" else EnergyActivity()
        self._kept = max(_windows(self.options.pre_roll) + _windows(self.options.attack), 1)
        self.reset()

    @property
    def speaking(self) -> bool:
        """Whether an utterance is in progress."""
        return bool(self._utterance)

    @property
    def silence(self) -> float:
        """How long the utterance in progress has been silent at its end, s."""
        return self._run * WINDOW / SAMPLE_RATE if self._utterance else 0.0

    def reset(self) -> None:
        """Forget the sound so far."""
        self._activity.reset()
        self._rest: Samples = np.empty(0, np.int16)
        self._before: deque[Samples] = deque(maxlen=self._kept)
        self._utterance: list[Samples] = []
        self._run = 0  # consecutive windows of speech while waiting, of silence during an utterance
        self._onset = 0  # index in _utterance of the first window of speech
        self._speech = 0  # windows of speech in _utterance
        self._origin: float | None = None  # time of the first sample
        self._seen = 0  # windows so far

    def feed(self, chunk: AudioChunk) -> list[Utterance]:
        """The utterances that end within this chunk, usually none. A gap between the stamps of two chunks ends an utterance.

        Raises:
            AudioError: the chunk is not 16 kHz mono int16.
        """
        if chunk.sample_rate != SAMPLE_RATE or chunk.samples.ndim != 1 or chunk.samples.dtype != np.int16:
            kind = f"{chunk.sample_rate} Hz {chunk.samples.dtype}"
            raise AudioError(f"the endpointer needs {SAMPLE_RATE} Hz mono int16, not {kind}; to_16k_mono() converts it")
        finished: list[Utterance] = []
        if self._origin is not None and abs(chunk.stamp - self._now()) > 0.2:
            finished += self.flush()
        if not self._utterance:  # follow the clock of the stamps, which drifts relative to the sound card's
            self._origin = chunk.stamp - (self._seen * WINDOW + len(self._rest)) / SAMPLE_RATE
        sound = np.concatenate([self._rest, chunk.samples])
        count = len(sound) // WINDOW
        windows, self._rest = sound[: count * WINDOW].reshape(count, WINDOW), sound[count * WINDOW :]
        for first in range(0, count, _BATCH):
            batch = windows[first : first + _BATCH]
            for window, p_speech in zip(batch, self._activity(batch), strict=True):
                finished += self._advance(window, float(p_speech))
        return finished

    def flush(self) -> list[Utterance]:
        """End the stream: finishes the current utterance and resets."""
        finished = self._finish(cut=False) if self._utterance else []
        self.reset()
        return finished

    def _now(self) -> float:
        """Time of the next sample."""
        return (self._origin or 0.0) + (self._seen * WINDOW + len(self._rest)) / SAMPLE_RATE

    def _advance(self, window: Samples, p_speech: float) -> list[Utterance]:
        self._seen += 1
        if not self._utterance:
            self._before.append(window)
            self._run = self._run + 1 if p_speech >= self.options.threshold else 0
            if self._run >= _windows(self.options.attack):
                self._utterance = list(self._before)
                self._onset = len(self._utterance) - self._run
                self._speech, self._run = self._run, 0
            return []
        self._utterance.append(window)
        if p_speech >= self.options.threshold - 0.15:
            self._run = 0
            self._speech += 1
        else:
            self._run += 1
        if self._run >= _windows(self.options.hangover):
            return self._finish(cut=False)
        if len(self._utterance) >= _windows(self.options.longest):
            return self._finish(cut=True)
        return []

    def _finish(self, cut: bool) -> list[Utterance]:
        windows, silence, speech = self._utterance, self._run, self._speech
        last = len(windows) - silence  # one past the last window of speech
        first_window = self._seen - len(windows)
        self._utterance, self._run = [], 0
        self._before.clear()
        self._before.extend(windows[last + _windows(self.options.post_roll) :])
        if speech * WINDOW < self.options.shortest * SAMPLE_RATE:
            return []
        kept = np.concatenate(windows[: last + _windows(self.options.post_roll)])
        origin = self._origin or 0.0
        started = origin + (first_window + self._onset) * WINDOW / SAMPLE_RATE
        ended = origin + (first_window + last) * WINDOW / SAMPLE_RATE
        return [Utterance(kept, started, ended, cut)]


def _windows(seconds: float) -> int:
    return max(round(seconds * SAMPLE_RATE / WINDOW), 1)
