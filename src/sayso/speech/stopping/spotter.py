"""Spots "stop" in the sound itself, while the person is still speaking: no waiting for the end of the utterance or for its text.

A small causal network looks at the last 2.8 s, every 40 ms. It fires some 0.2 s after the word, when nothing that takes it back was
said before it ("don't stop", "the bus stop") and nothing goes on after it ("stop by the kitchen"). What it takes for a stop a larger one
is asked about (`stop_verifier`), and where both are in doubt a recogniser (`stop_recogniser`); they decide together. `sayso train stop`
makes them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.errors import AudioError, ModelError
from sayso.models import model_path, onnx_session
from sayso.speech import moonshine
from sayso.speech.stopping.features import BANDS, HOP, WINDOW, LogMel
from sayso.speech.stopping.recogniser import StopRecogniser
from sayso.speech.stopping.verifier import SEEN, StopVerifier
from sayso.types import SAMPLE_RATE, AudioChunk

MODEL = "stop.onnx"
METADATA = "sayso"  # the fitted numbers, as JSON, are kept in the file under this name
STRIDE = 4  # frames of sound for one decision, of the models that are trained now
_SMOOTHED = 3  # decisions whose mean counts: what one of them alone takes for a stop seldom is one
_GAP = 0.1  # s missing between two chunks: what was said before it is not continued
_ONCE = 0.6  # s in which one word is reported once
_KEPT = SEEN + SAMPLE_RATE  # samples; of the last second some may not be decided on yet


@dataclass(frozen=True, slots=True)
class StopHeard:
    """Somebody said stop."""

    stamp: float  # s, ROS time at which the word ended in the sound, by estimate
    score: float  # P(stop), of what `StopSpotter.threshold` is the least


def decided_at(decision: int, stride: int = STRIDE) -> float:
    """Seconds from the beginning to the end of the sound that this decision, counted from 0, is made on."""
    return (((decision + 1) * stride - 1) * HOP + WINDOW) / SAMPLE_RATE


class StopSpotter:
    """Streamed sound → the moments at which somebody said stop. How the sound is cut into chunks makes no difference."""

    def __init__(
        self,
        threshold: float | None = None,
        path: Path | None = None,
        verifier: StopVerifier | None = None,
        recogniser: StopRecogniser | None = None,
    ) -> None:
        """The models of models/, or other files that `sayso train stop` wrote.

        Args:
            threshold: in (0, 1); lower misses less and stops more often for nothing. None: the one the models were made with.
            path: of another spotter, which decides alone unless a verifier is given as well.
            verifier: None: the one of models/, if the spotter is.
            recogniser: None: the one that is installed, if spotter and verifier are those of models/; without one they decide alone.

        Raises:
            ModelError: the file is missing, altered, or no such model.
            ValueError: the threshold is not between 0 and 1.
        """
        own_models = path is None and verifier is None and recogniser is None
        self.missing = moonshine.missing() if own_models else ""  # why no recogniser is asked, empty where that is as it should be
        self._recogniser = StopRecogniser() if own_models and not self.missing else recogniser
        self._verifier = verifier or (StopVerifier() if path is None else None)
        path = path or model_path(MODEL)
        try:
            self._session = onnx_session(path)
            fitted = json.loads(self._session.get_modelmeta().custom_metadata_map[METADATA])
            own, self._delay, self._stride = float(fitted["threshold"]), float(fitted["delay"]), int(fitted["stride"])
            self._blank = {each.name: np.zeros(each.shape, np.float32) for each in self._session.get_inputs()[1:]}
        except Exception as unreadable:  # onnxruntime's errors share no base of their own
            raise ModelError(f"{path} is no spotter of stop: make one with 'sayso train stop'") from unreadable
        if self._verifier is not None:
            own, self._delay = self._verifier.threshold, self._verifier.delay
        if self._recogniser is not None:
            own, self._delay = self._recogniser.numbers.threshold, self._recogniser.numbers.delay
        self.threshold = own if threshold is None else threshold
        if not 0.0 < self.threshold < 1.0:
            raise ValueError(f"threshold {self.threshold:g}: it has to be between 0 and 1")
        self._features = LogMel()
        self.reset()

    def reset(self) -> None:
        """Forget everything heard so far."""
        self._features.reset()
        self._frames: NDArray[np.float32] = np.empty((0, BANDS), np.float32)  # not decided on yet
        self._state = dict(self._blank)
        self._last = np.zeros(_SMOOTHED - 1, np.float32)  # what the network said of the latest decisions
        self._sound: NDArray[np.int16] = np.empty(0, np.int16)  # the latest, for the verifier
        self._heard = 0  # samples since the beginning
        self._decided = 0  # decisions since the beginning
        self._expected: float | None = None  # stamp of the next chunk, if nothing gets lost
        self._quiet_until = 0.0  # s since the beginning

    def feed(self, chunk: AudioChunk) -> tuple[StopHeard, ...]:
        """The stops that are sure by the end of this chunk, mostly none.

        Raises:
            AudioError: the sound is not 16 kHz mono int16.
        """
        samples = chunk.samples
        if chunk.sample_rate != SAMPLE_RATE or samples.ndim != 1 or samples.dtype != np.int16:
            told = f"{chunk.sample_rate} Hz, {samples.dtype}, {samples.ndim} dimensions"
            raise AudioError(f"the spotter of stop hears 16000 Hz mono int16, not {told}: convert it with sayso.speech.files.as_heard")
        if self._expected is not None and abs(chunk.stamp - self._expected) > _GAP:
            self.reset()
        began = chunk.stamp - self._heard / SAMPLE_RATE  # when the first sample since the last reset was heard, by the latest clock
        self._expected = chunk.stamp + len(samples) / SAMPLE_RATE
        first, found = self._decided, []
        for decision, score in enumerate(self.scores(samples), first):
            at = decided_at(decision, self._stride)
            if score >= self.threshold and at >= self._quiet_until:
                found.append(StopHeard(began + at - self._delay, float(score)))
                self._quiet_until = at + _ONCE
        return tuple(found)

    def scores(self, samples: NDArray[np.int16]) -> NDArray[np.float32]:
        """(N,) more of the sound → (n,) P(stop), one for each 40 ms that these samples complete; n may be 0.

        Just after `feed` has reported a stop they are the spotter's own.
        """
        self._sound = np.concatenate([self._sound, samples])
        self._heard += len(samples)
        p_stop = self._spotted(samples)
        if self._verifier is not None:
            first = self._decided - len(p_stop)
            for index in np.flatnonzero(p_stop >= self._verifier.asked_from):
                at = decided_at(first + int(index), self._stride)
                if at < self._quiet_until:
                    continue  # whatever they say, it would not be reported
                until = len(self._sound) - self._heard + round(at * SAMPLE_RATE)
                heard = self._sound[max(until - SEEN, 0) : until]
                p_stop[index] = p = self._verifier(float(p_stop[index]), heard)
                if self._recogniser is not None and self._recogniser.in_doubt(p):
                    p_stop[index] = self._recogniser(p, heard)
        self._sound = self._sound[-_KEPT:]
        return p_stop

    def _spotted(self, samples: NDArray[np.int16]) -> NDArray[np.float32]:
        """What the small network makes of them."""
        self._frames = np.concatenate([self._frames, self._features(samples)])
        usable = len(self._frames) - len(self._frames) % self._stride
        if not usable:
            return np.empty(0, np.float32)
        frames, self._frames = self._frames[:usable], self._frames[usable:]
        p_stop, *states = self._session.run(None, {"frames": frames[None], **self._state})
        self._state = dict(zip(self._state, states, strict=True))
        self._decided += usable // self._stride
        said = np.concatenate([self._last, p_stop[0]])
        self._last = said[len(said) - len(self._last) :]
        return np.convolve(said, np.full(_SMOOTHED, 1 / _SMOOTHED, np.float32), "valid")
