"""Streamed sound → utterances: detects where speech starts and ends.

Two detectors share one interface: silero-vad's network (https://github.com/snakers4/silero-vad, MIT), which lies beside this
module, and the energy above an adaptive noise floor, which needs no model.

An utterance ends after a fixed silence. Where an `Ear` listens along, it says in each pause how long this silence must be: "turn left" may
be over at once, "bring me the" is not. If the person goes on soon after an early end, the whole is one more utterance.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sayso.errors import AudioError
from sayso.speech.activity import WINDOW, EnergyActivity, SileroActivity
from sayso.speech.recogniser import Recognition
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
    early: bool = True  # an Ear may end an utterance before `hangover`; needless where nobody waits for the result
    glance: float = 0.032  # s of silence after which an Ear is asked: the sooner, the sooner its answer is there
    glanced: float = 8.0  # s; in the pauses of a longer utterance no Ear is asked: recognising it again and again takes too long


@dataclass(frozen=True, slots=True)
class Pause:
    """What an Ear makes of the silence after the utterance so far."""

    needed: float  # s of silence that end the utterance here
    recognition: Recognition  # of the utterance so far
    took: float  # s of computing


@dataclass(frozen=True, slots=True)
class Utterance:
    """A stretch of sound that contains speech."""

    samples: Samples  # (N,) int16 mono at 16 kHz, with some silence before and after
    started: float  # s, start of the speech
    ended: float  # s, end of the speech, not the time of its detection
    cut: bool = False  # longer than EndpointOptions.longest
    pause: Pause | None = None  # after it; its recognition is that of `samples`
    continues: bool = False  # it begins with the utterance before, after whose early end the person went on


class Ear(Protocol):
    """Listens along while a person speaks."""

    def begin(self) -> None:
        """An utterance begins."""
        ...

    def hear(self, samples: Samples) -> None:
        """(N,) the next samples of the utterance."""
        ...

    def pause(self) -> Pause:
        """The person pauses."""
        ...


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

    def __init__(self, options: EndpointOptions | None = None, ear: Ear | None = None) -> None:
        """Raises ModelError where the silero detector is asked for and its network is missing or altered."""
        self.options, self._ear = options or EndpointOptions(), ear
        self._activity: Activity = SileroActivity() if self.options.detector == "silero" else EnergyActivity()
        self._kept = max(_windows(self.options.pre_roll) + _windows(self.options.attack), 1)
        self.reset()

    @property
    def speaking(self) -> bool:
        """Whether an utterance is in progress."""
        return bool(self._utterance)

    @property
    def unsettled(self) -> bool:
        """Whether the last utterance ended so early that it may go on, or does go on."""
        return bool(self._early) or (self.speaking and self._resumed)

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
        self._heard = 0  # windows of _utterance that the ear has heard
        self._pause: Pause | None = None  # what the ear made of the present pause
        self._resumed = False  # the utterance continues the one before
        self._early: list[Samples] = []  # the utterance that ended early, and all since then; empty once it is certain to be over
        self._gap = 0  # windows since its last speech

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
            self._wait(window, p_speech)
            return []
        self._utterance.append(window)
        if p_speech >= self.options.threshold - 0.15:
            self._run, self._pause = 0, None
            self._speech += 1
        else:
            self._run += 1
        self._let_hear()
        if self._run >= _windows(self._needed()):
            return self._finish(cut=False)
        if len(self._utterance) >= _windows(self.options.longest):
            return self._finish(cut=True)
        return []

    def _wait(self, window: Samples, p_speech: float) -> None:
        """Look for the beginning of an utterance, or for more of the one that ended early."""
        self._before.append(window)
        self._run = self._run + 1 if p_speech >= self.options.threshold else 0
        if self._early:
            self._early.append(window)
            self._gap += 1
            if not self._run and self._gap >= _windows(self.options.hangover):
                self._early = []
        if self._run < _windows(self.options.attack):
            return
        self._resumed = bool(self._early)
        if self._resumed:
            self._utterance, self._early = self._early, []
            self._speech += self._run
        else:
            self._utterance = list(self._before)
            self._onset = len(self._utterance) - self._run
            self._speech = self._run
        self._run = self._heard = 0
        if self._ear is not None:
            self._ear.begin()
            self._let_hear()

    def _let_hear(self) -> None:
        """Give the ear what is new, except a silence that may be the end; ask it once in each pause."""
        glance = _windows(self.options.glance)
        if self._ear is None or self._run > glance:
            return
        self._ear.hear(np.concatenate(self._utterance[self._heard :]))
        self._heard = len(self._utterance)
        if self._run == glance and not self._too_short() and self._heard <= _windows(self.options.glanced):
            self._pause = self._ear.pause()

    def _needed(self) -> float:
        """The silence that ends the utterance, s."""
        if self._pause is None:
            return self.options.hangover
        return self._pause.needed if self.options.early else max(self._pause.needed, self.options.hangover)

    def _too_short(self) -> bool:
        return self._speech * WINDOW < self.options.shortest * SAMPLE_RATE

    def _finish(self, cut: bool) -> list[Utterance]:
        windows, silence, pause = self._utterance, self._run, self._pause
        last = len(windows) - silence  # one past the last window of speech
        first_window = self._seen - len(windows)
        kept = last + _windows(self.options.post_roll if pause is None else self.options.glance)  # what the ear has heard
        early = pause is not None and silence < _windows(self.options.hangover)
        self._early, self._gap = (windows, silence) if early else ([], 0)
        self._utterance, self._run, self._pause = [], 0, None
        self._before.clear()
        self._before.extend(windows[kept:])
        if self._too_short():
            return []
        origin = self._origin or 0.0
        started = origin + (first_window + self._onset) * WINDOW / SAMPLE_RATE
        ended = origin + (first_window + last) * WINDOW / SAMPLE_RATE
        return [Utterance(np.concatenate(windows[:kept]), started, ended, cut, pause, self._resumed)]


def _windows(seconds: float) -> int:
    return max(round(seconds * SAMPLE_RATE / WINDOW), 1)
