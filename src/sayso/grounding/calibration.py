"""The calibrated probability that a candidate is what a phrase means; fitted on pictures held out from training."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class CandidateCalibration:
    """Logistic regression on the network's two opinions of a region (Platt 1999)."""

    verdict: float  # weight of the log-odds of the verdicts
    patches: float  # weight of the log-odds of its best patch
    shift: float
    threshold: float  # probability above which a candidate counts as found
    words: tuple[str, ...] = ()  # that the network was trained on

    @classmethod
    def from_json(cls, text: str) -> CandidateCalibration:
        """Parse the output of `to_json`."""
        fields = json.loads(text)
        verdict, patches, shift, threshold = (float(fields[name]) for name in ("verdict", "patches", "shift", "threshold"))
        return cls(verdict, patches, shift, threshold, tuple(fields["words"]))

    def to_json(self) -> str:
        """JSON for the metadata of the ONNX file."""
        return json.dumps(asdict(self))

    def probability(self, verdict: float, patches: float) -> float:
        """P(the region shows what the phrase means)."""
        z = self.verdict * verdict + self.patches * patches + self.shift
        return 1.0 / (1.0 + math.exp(-max(min(z, 50.0), -50.0)))
