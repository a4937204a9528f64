"""Verifies the spotter's detections of "stop" with a larger network, which runs on these moments only.

The small spotter sometimes takes "the stove" or "rise volume" for "stop". The verifier is the encoder of a published recogniser,
fine-tuned to tell whether the last two seconds end with a call to stop. It runs at several playback speeds: for an unknown voice its
estimates vary with speed, and averaging them reduces errors. `sayso train stop` trains it.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import soxr  # at module level, so that the first stop does not wait for the import
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.models import model_path, onnx_session
from sayso.types import SAMPLE_RATE

MODEL = "stop_verifier.onnx"
METADATA = "sayso"  # metadata key in the file; its value is JSON with the fitted parameters
SEEN = 2 * SAMPLE_RATE  # samples that the network sees
PEAK = 0.7
_SURE = 1e-4  # prior probabilities are clipped to [_SURE, 1 − _SURE]


class StopVerifier:
    """P(stop) of the spotter, and the judged sound → P(stop) of both."""

    def __init__(self, path: Path | None = None) -> None:
        """Load the shipped model, or another file written by `sayso train stop`.

        Raises:
            ModelError: the file is missing, altered, or no such model.
        """
        path = path or model_path(MODEL)
        try:
            self._session = onnx_session(path)
            fitted = json.loads(self._session.get_modelmeta().custom_metadata_map[METADATA])
            self.asked_from = float(fitted["asked_from"])  # least P(stop) of the spotter that is verified
            self.threshold, self.delay = float(fitted["threshold"]), float(fitted["delay"])  # of both together
            self._weight, self._speeds = float(fitted["weight"]), tuple(map(float, fitted["speeds"]))
        except Exception as unreadable:  # onnxruntime's errors have no common base class
            raise ModelError(f"{path} is not a stop verifier: make one with 'sayso train stop'") from unreadable

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        """P(stop) of both: adds the verifier's log odds, a weighted mean over its speeds, to the spotter's.

        Args:
            p_stop: in [0, 1], of the spotter.
            samples: (N,) at most `SEEN`, up to the judged moment; fewer if the sound has just begun.
        """
        sounds = [prepared(at_speed(samples.astype(np.float32), speed)[-SEEN:]) for speed in self._speeds]
        logit = np.mean([self._session.run(None, {"sound": sound[None]})[0][0] for sound in sounds])
        return add_log_odds(p_stop, self._weight * float(logit))


def add_log_odds(p_stop: float, log_odds: float) -> float:
    """P(stop) after adding `log_odds` to its own log odds."""
    p = min(max(p_stop, _SURE), 1.0 - _SURE)
    return float(1.0 / (1.0 + np.exp(-np.log(p / (1.0 - p)) - log_odds)))


def at_speed(sound: NDArray[np.float32], speed: float) -> NDArray[np.float32]:
    """(N,) → about (N / speed,): resampled, and so that many times faster and higher."""
    if speed == 1.0:
        return sound
    resampled: NDArray[np.float32] = soxr.resample(sound, SAMPLE_RATE * speed, SAMPLE_RATE, quality="MQ")
    return resampled


def prepared(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N,) → (SEEN,), the network's input: normalised to the loudness of the training data, with leading silence."""
    return np.pad(sound * np.float32(PEAK / max(float(np.abs(sound).max(initial=0.0)), 1.0)), (SEEN - len(sound), 0))
