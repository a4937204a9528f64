"""The calibrated probability that a candidate is what a phrase means; fitted on pictures held out from training."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass

import numpy as np

from sayso.types import FloatArray

LEAST = 10.0


@dataclass(frozen=True)
class CandidateCalibration:
    """Logistic regression on the network's two opinions of a region (Platt 1999)."""

    verdict: float  # weight of the log-odds of the verdicts
    patches: float  # weight of the log-odds of its best patch
    shift: float
    threshold: float  # probability above which a candidate counts as found
    words: tuple[str, ...] = ()  # that the network was trained on
    # Of a colour that it was not trained on: weights of ln P(the other units) and of `color_evidence`, and the shift.
    pixels: tuple[float, ...] = ()

    @classmethod
    def from_json(cls, text: str) -> CandidateCalibration:
        """Parse the output of `to_json`."""
        fields = json.loads(text)
        verdict, patches, shift, threshold = (float(fields[name]) for name in ("verdict", "patches", "shift", "threshold"))
        return cls(verdict, patches, shift, threshold, tuple(fields["words"]), tuple(float(each) for each in fields.get("pixels", ())))

    def to_json(self) -> str:
        """JSON for the metadata of the ONNX file."""
        return json.dumps(asdict(self))

    def probability(self, verdict: float, patches: float) -> float:
        """P(the region shows what the phrase means)."""
        return _logistic(self.verdict * verdict + self.patches * patches + self.shift)

    def by_pixels(self, others: float, evidence: FloatArray) -> float:
        """P(the region shows what the phrase means), if its colour is one that the network was not trained on.

        Args:
            others: log-odds that the region shows the other units of the phrase.
            evidence: (2,) `color_evidence`.
        """
        *weights, shift = self.pixels
        return _logistic(float(np.dot(weights, [log_p(others), *evidence])) + shift)


def log_p(odds: float) -> float:
    """The logarithm of P for log-odds, not below −LEAST: surer verdicts count as much."""
    return -math.log1p(math.exp(min(-odds, LEAST)))


def _logistic(z: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(min(z, 50.0), -50.0)))
