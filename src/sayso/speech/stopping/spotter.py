"""Spots "stop" in the sound itself, without waiting for the end of the utterance or for its text.

A small causal network looks at the last 2.8 s, every 40 ms. It fires about 0.2 s after the word, unless words before it change its
meaning ("don't stop", "the bus stop") or the sentence goes on ("stop by the kitchen"). A larger network (`verifier`) checks its
detections, and a recogniser (`recogniser`) those that remain doubtful; all decide together. `sayso train stop` trains them.
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
METADATA = "sayso"  # metadata key in the file; its value is JSON with the fitted parameters
STRIDE = 4  # frames per decision in newly trained models
_SMOOTHED = 3  # decisions to average: a single high one is rarely a stop
_GAP = 0.1  # s missing between two chunks after which the sound counts as new
_ONCE = 0.6  # s within which a word is reported once
_KEPT = SEEN + SAMPLE_RATE  # samples; part of the last second may still be undecided


@dataclass(frozen=True, slots=True)
class StopHeard:
    """A detected "stop"."""

    stamp: float  # s, ROS time, estimated end of the word
    score: float  # P(stop), at least `StopSpotter.threshold`


def decided_at(decision: int, stride: int = STRIDE) -> float:
    """End of the sound on which a decision is based, in s from the beginning; decisions count from 0."""
    return (((decision + 1) * stride - 1) * HOP + WINDOW) / SAMPLE_RATE


class StopSpotter:
    """Streamed sound → detections of "stop". The result does not depend on the chunk boundaries."""

    def __init__(
        self,
        threshold: float | None = None,
        path: Path | None = None,
        verifier: StopVerifier | None = None,
        recogniser: StopRecogniser | None = None,
    ) -> None:
        """Load the shipped models, or other files written by `sayso train stop`.

        Args:
            threshold: in (0, 1); lower values miss fewer stops but cause more false ones. None: the fitted one.
            path: of another spotter, which decides alone unless a verifier is given.
            verifier: None: the shipped one, if the spotter is the shipped one.
            recogniser: None: the installed one, if spotter and verifier are the shipped ones; without it, they decide alone.

        Raises:
            ModelError: the file is missing, altered, or no such model.
            ValueError: the threshold is not between 0 and 1.
        """
        own_models = path is None and verifier is None and recogniser is None
        self.missing = moonshine.missing() if own_models else ""  # why there is no recogniser, empty if that is intended
        self._recogniser = StopRecogniser() if own_models and not self.missing else recogniser
        self._verifier = verifier or (StopVerifier() if path is None else None)
        path = path or model_path(MODEL)
        try:
            self._session = onnx_session(path)
            fitted = json.loads(self._session.get_modelmeta().custom_metadata_map[METADATA])
            own, self._delay, self._stride = float(fitted["threshold"]), float(fitted["delay"]), int(fitted["stride"])
            self._blank = {each.name: np.zeros(each.shape, np.float32) for each in self._session.get_inputs()[1:]}
        except Exception as unreadable:  # onnxruntime's errors have no common base class
            raise ModelError(f"{path} is not a stop spotter: make one with 'sayso train stop'") from unreadable
        if self._verifier is not None:
            own, self._delay = self._verifier.threshold, self._verifier.delay
        if self._recogniser is not None:
            own, self._delay = self._recogniser.settings.threshold, self._recogniser.settings.delay
        self.threshold = own if threshold is None else threshold
        if not 0.0 < self.threshold < 1.0:
            raise ValueError(f"threshold {self.threshold:g}: it must be between 0 and 1")
        self._features = LogMel()
        self.reset()

    def reset(self) -> None:
        """Forget the sound so far."""
        self._features.reset()
        self._frames: NDArray[np.float32] = np.empty((0, BANDS), np.float32)  # not yet decided on
        self._state = dict(self._blank)
        self._last = np.zeros(_SMOOTHED - 1, np.float32)  # the network's latest outputs
        self._sound: NDArray[np.int16] = np.empty(0, np.int16)  # latest samples, for the verifier
        self._fed = 0  # samples since the reset
        self._decided = 0  # decisions since the reset
        self._expected: float | None = None  # stamp of the next chunk if no sound is lost
        self._quiet_until = 0.0  # s since the reset

    def feed(self, chunk: AudioChunk) -> tuple[StopHeard, ...]:
        """The stops detected by the end of this chunk, usually none.

        Raises:
            AudioError: the sound is not 16 kHz mono int16.
        """
        samples = chunk.samples
        if chunk.sample_rate != SAMPLE_RATE or samples.ndim != 1 or samples.dtype != np.int16:
            kind = f"{chunk.sample_rate} Hz, {samples.dtype}, {samples.ndim} dimensions"
            raise AudioError(f"the stop spotter needs 16000 Hz mono int16, not {kind}: convert it with sayso.speech.files.to_16k_mono")
        if self._expected is not None and abs(chunk.stamp - self._expected) > _GAP:
            self.reset()
        began = chunk.stamp - self._fed / SAMPLE_RATE  # time of the first sample since the reset, by the current stamp
        self._expected = chunk.stamp + len(samples) / SAMPLE_RATE
        first, found = self._decided, []
        for decision, score in enumerate(self.scores(samples), first):
            at = decided_at(decision, self._stride)
            if score >= self.threshold and at >= self._quiet_until:
                found.append(StopHeard(began + at - self._delay, float(score)))
                self._quiet_until = at + _ONCE
        return tuple(found)

    def scores(self, samples: NDArray[np.int16]) -> NDArray[np.float32]:
        """(N,) further samples → (n,) P(stop), one per completed 40 ms; n may be 0.

        Shortly after `feed` has reported a stop, the scores are the spotter's own, unverified.
        """
        self._sound = np.concatenate([self._sound, samples])
        self._fed += len(samples)
        p_stop = self._spotted(samples)
        if self._verifier is not None:
            first = self._decided - len(p_stop)
            for index in np.flatnonzero(p_stop >= self._verifier.asked_from):
                at = decided_at(first + int(index), self._stride)
                if at < self._quiet_until:
                    continue  # would not be reported anyway
                until = len(self._sound) - self._fed + round(at * SAMPLE_RATE)
                recent = self._sound[max(until - SEEN, 0) : until]
                p_stop[index] = p = self._verifier(float(p_stop[index]), recent)
                if self._recogniser is not None and self._recogniser.in_doubt(p):
                    p_stop[index] = self._recogniser(p, recent)
        self._sound = self._sound[-_KEPT:]
        return p_stop

    def _spotted(self, samples: NDArray[np.int16]) -> NDArray[np.float32]:
        """(n,) smoothed P(stop) of the small network alone."""
        self._frames = np.concatenate([self._frames, self._features(samples)])
        usable = len(self._frames) - len(self._frames) % self._stride
        if not usable:
            return np.empty(0, np.float32)
        frames, self._frames = self._frames[:usable], self._frames[usable:]
        p_stop, *states = self._session.run(None, {"frames": frames[None], **self._state})
        self._state = dict(zip(self._state, states, strict=True))
        self._decided += usable // self._stride
        outputs = np.concatenate([self._last, p_stop[0]])
        self._last = outputs[len(outputs) - len(self._last) :]
        return np.convolve(outputs, np.full(_SMOOTHED, 1 / _SMOOTHED, np.float32), "valid")
