"""The second look at what the spotter takes for "stop": a larger network that is asked about those moments alone.

What says "stop" to a small network now and then is "the stove" or "rise volume". The verifier knows words: it is the encoder of a
published recogniser, taught to tell whether the last two seconds end with a call to stop. It is asked about them at more than one speed:
of a voice that it does not know its doubt differs from speed to speed, and the mean errs less. `sayso train stop` makes it.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import soxr  # here, not where it is used: the first stop would wait for it
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.models import model_path, onnx_session
from sayso.types import SAMPLE_RATE

MODEL = "stop_verifier.onnx"
METADATA = "sayso"  # the fitted numbers, as JSON, are kept in the file under this name
SEEN = 2 * SAMPLE_RATE  # samples that it judges
PEAK = 0.7
_SURE = 1e-4  # no nearer to 0 or 1 does what was thought before count


class StopVerifier:
    """P(stop) of the spotter and the sound that it was said of → P(stop) of both."""

    def __init__(self, path: Path | None = None) -> None:
        """The model of models/, or another file that `sayso train stop` wrote.

        Raises:
            ModelError: the file is missing, altered, or no such model.
        """
        path = path or model_path(MODEL)
        try:
            self._session = onnx_session(path)
            fitted = json.loads(self._session.get_modelmeta().custom_metadata_map[METADATA])
            self.asked_from = float(fitted["asked_from"])  # P(stop) of the spotter from which it is worth asking
            self.threshold, self.delay = float(fitted["threshold"]), float(fitted["delay"])  # of the spotter with it
            self._weight, self._speeds = float(fitted["weight"]), tuple(map(float, fitted["speeds"]))
        except Exception as unreadable:  # onnxruntime's errors share no base of their own
            raise ModelError(f"{path} is no verifier of stop: make one with 'sayso train stop'") from unreadable

    def __call__(self, p_stop: float, samples: NDArray[np.int16]) -> float:
        """P(stop) of both: their log odds are added, the verifier's the weighted mean of those at its speeds.

        Args:
            p_stop: in [0, 1], of the spotter.
            samples: (N,) up to `SEEN` of them, until the moment that is judged; fewer where the sound had just begun.
        """
        sounds = [prepared(at_speed(samples.astype(np.float32), speed)[-SEEN:]) for speed in self._speeds]
        logit = np.mean([self._session.run(None, {"sound": sound[None]})[0][0] for sound in sounds])
        return added(p_stop, self._weight * float(logit))


def added(p_stop: float, log_odds: float) -> float:
    """P(stop) after another opinion, whose log odds are added to its own."""
    p = min(max(p_stop, _SURE), 1.0 - _SURE)
    return float(1.0 / (1.0 + np.exp(-np.log(p / (1.0 - p)) - log_odds)))


def at_speed(sound: NDArray[np.float32], speed: float) -> NDArray[np.float32]:
    """(N,) → about (N / speed,): as another throat would say it, so many times as fast and as high."""
    if speed == 1.0:
        return sound
    resampled: NDArray[np.float32] = soxr.resample(sound, SAMPLE_RATE * speed, SAMPLE_RATE, quality="MQ")
    return resampled


def prepared(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    """(N,) → (SEEN,), what the network is given: as loud as all it has learnt from, silence before what was heard."""
    return np.pad(sound * np.float32(PEAK / max(float(np.abs(sound).max(initial=0.0)), 1.0)), (SEEN - len(sound), 0))
