"""What was fitted on photographs, kept as metadata of the detector's ONNX file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np

from sayso.types import FloatArray

METADATA = "sayso"  # key in the ONNX file
LEAST_RIVAL = 0.02  # score; a weaker rival is none


@dataclass(frozen=True, slots=True)
class Logistic:
    """p = 1 / (1 + exp(−(features · weights + shift))): Platt scaling, of several features."""

    weights: tuple[float, ...]
    shift: float

    def __call__(self, features: FloatArray) -> FloatArray:
        """(N, len(weights)) → (N,) probabilities."""
        z = np.clip(features @ np.asarray(self.weights) + self.shift, -30.0, 30.0)
        return np.asarray(1.0 / (1.0 + np.exp(-z)))


@dataclass(frozen=True, slots=True)
class DetectorCalibration:
    """All numbers that the backend needs besides the network."""

    classes: tuple[str, ...]  # (C,) names, in the order of the network's scores
    views: tuple[tuple[int, bool], ...]  # the picture is looked at so often: (longer side in pixels, mirrored)
    floor: float  # boxes with a lower score are no candidates
    kind: Logistic  # kind_features → P(a thing of this kind is in this box)
    color: Logistic  # color_features → P(people call it this colour)
    presence: Logistic  # logit of the best candidate → P(there is one)
    threshold: float  # probability above which a candidate counts as found

    @classmethod
    def from_json(cls, text: str) -> DetectorCalibration:
        """Parse the output of `to_json`."""
        fields = json.loads(text)
        fitted = {name: Logistic(tuple(fields[name]["weights"]), float(fields[name]["shift"])) for name in ("kind", "color", "presence")}
        views = tuple((int(side), bool(mirrored)) for side, mirrored in fields["views"])
        return cls(tuple(fields["classes"]), views, float(fields["floor"]), **fitted, threshold=float(fields["threshold"]))

    def to_json(self) -> str:
        """JSON for the metadata of the ONNX file."""
        return json.dumps(asdict(self))


def logit(p: FloatArray) -> FloatArray:
    """ln(p / (1 − p)), finite for all p in [0, 1]."""
    inside = np.clip(p, 1e-6, 1.0 - 1e-6)
    return np.asarray(np.log(inside / (1.0 - inside)))


def kind_features(scores: FloatArray, rivals: FloatArray) -> FloatArray:
    """(N, 3): the score of the wanted kind, that of the best other kind at the same place, as logits, and whether the box is the first.

    The best of many boxes is right more often than another box of the same score.
    """
    first = np.arange(len(scores)) == 0
    return np.stack([logit(scores), logit(np.maximum(rivals, LEAST_RIVAL)), first.astype(np.float64)], axis=1)
