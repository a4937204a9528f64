"""Image + phrase → Grounding: the trained network's attention over the image, its entropy, and the point in space."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture

from sayso.errors import ModelError
from sayso.grounding.attention_peaks import attention_candidates
from sayso.grounding.backend import Look
from sayso.grounding.geometry import NOWHERE, point_at
from sayso.grounding.phrase import Vocabulary
from sayso.models import model_path, onnx_session
from sayso.types import FloatArray, Grounding, Image

MODEL = "grounder.onnx"
METADATA = "sayso"  # metadata key of the calibration in the ONNX file


@dataclass(frozen=True)
class PresenceCalibration:
    """Calibration of the presence logit, with the vocabulary; fitted on images held out from training."""

    vocabulary: Vocabulary
    scale: float  # Platt scaling: confidence = 1 / (1 + exp(−(scale · logit + shift)))
    shift: float
    threshold: float  # confidence above which the object counts as found

    @classmethod
    def from_json(cls, text: str) -> PresenceCalibration:
        """Parse the output of `to_json`."""
        fields = json.loads(text)
        return cls(Vocabulary(tuple(fields["words"])), float(fields["scale"]), float(fields["shift"]), float(fields["threshold"]))

    def to_json(self) -> str:
        """JSON for the metadata of the ONNX file."""
        return json.dumps({"words": self.vocabulary.words, "scale": self.scale, "shift": self.shift, "threshold": self.threshold})

    def confidence(self, logit: float) -> float:
        """P(the object is in the image, at the attended location)."""
        return 1.0 / (1.0 + math.exp(-max(min(self.scale * logit + self.shift, 50.0), -50.0)))


class VisualGrounder:
    """Image and phrase → grounding, by cross-modal attention (equation 5).

    Args:
        model: an ONNX file made by `sayso train grounder`; default: the shipped one, checked against the manifest.

    Raises:
        ModelError: the file is missing, altered, or not a grounding network.
    """

    def __init__(self, model: Path | None = None) -> None:
        path = model or model_path(MODEL)
        try:
            self._session = onnx_session(path)
            self.calibration = PresenceCalibration.from_json(self._session.get_modelmeta().custom_metadata_map[METADATA])
            _, self._height, self._width, _ = self._session.get_inputs()[0].shape
            self.threshold = self.calibration.threshold
        except Exception as broken:  # noqa: BLE001 - onnxruntime's errors have no common base class
            raise ModelError(f"{path} is not a grounding network: make one with 'sayso train grounder' ({broken})") from None

    def __call__(self, image: Image, phrase: str, object_id: str = "", utterance_id: str = "") -> Grounding:
        """Ground the phrase in the image. Without content words, nothing is found and the attention is uniform."""
        look = self.look(image, (phrase,))[0]
        attention, confidence = look.attention, look.presence
        seen = _shows_something(image)
        height, width = image.rgb.shape[:2] if seen else (1, 1)
        at_pixels = enlarged(attention, height, width) if seen else None
        pixel = attended_pixel(attention, height, width)
        return Grounding(
            utterance_id=utterance_id,
            stamp=image.stamp,
            object_id=object_id,
            phrase=phrase,
            attention=attention,
            entropy=entropy(attention),
            confidence=confidence,
            found=confidence > self.calibration.threshold,
            pixel=pixel,
            point=point_at(image, pixel, at_pixels) if seen else NOWHERE,
            candidates=look.candidates,
        )

    def look(self, image: Image, phrases: Sequence[str]) -> tuple[Look, ...]:
        """What each phrase finds. Without content words, that is nothing, and the attention is uniform."""
        return tuple(self._look(image, phrase) for phrase in phrases)

    def _look(self, image: Image, phrase: str) -> Look:
        vocabulary = self.calibration.vocabulary
        words, unknown = vocabulary.encode(phrase), tuple(vocabulary.unknown(phrase))
        if not (_shows_something(image) and words.any()):
            return Look(phrase, self._uniform(), 0.0, (), unknown)
        attention, logit = self._attend(image.rgb, words)
        presence = self.calibration.confidence(logit)
        return Look(phrase, attention, presence, attention_candidates(image, attention, presence), unknown)

    def _attend(self, rgb: NDArray[np.uint8], words: NDArray[np.int64]) -> tuple[FloatArray, float]:
        picture = resized(rgb, self._height, self._width)
        attention, logit = self._session.run(["attention", "logit"], {"picture": picture[None], "words": words[None]})
        mean_of_heads = np.asarray(attention[0], dtype=np.float64)
        return mean_of_heads / mean_of_heads.sum(), float(logit[0])

    def _uniform(self) -> FloatArray:
        _, rows, cols = self._session.get_outputs()[0].shape
        return np.full((rows, cols), 1.0 / (rows * cols))


def _shows_something(image: Image) -> bool:
    return image.rgb.ndim == 3 and min(image.rgb.shape[:2]) > 0


def entropy(attention: FloatArray) -> float:
    """Equation 16: −Σ α ln α, in nats: 0 if all attention is on one patch, ln n if it is uniform over n patches."""
    weights = attention[attention > 0.0]
    return float(max(-(weights * np.log(weights)).sum(), 0.0))


def attended_pixel(attention: FloatArray, height: int, width: int) -> tuple[float, float]:
    """(u, v) in an image of that size: the centre of mass of the attention around its peak.

    The peak is taken over 3×3 sums, since an object rarely is one patch; the centre of mass within the 3×3 gives sub-patch accuracy.
    """
    rows, cols = attention.shape
    around = np.pad(attention, 1)
    sums = sum(around[i : i + rows, j : j + cols] for i in range(3) for j in range(3))
    row, col = np.unravel_index(int(np.argmax(sums)), attention.shape)
    near = around[row : row + 3, col : col + 3]
    steps = np.arange(-1, 2)
    mass = near.sum()
    down, across = float(near.sum(axis=1) @ steps / mass), float(near.sum(axis=0) @ steps / mass)
    u = (col + across + 0.5) * width / cols - 0.5
    v = (row + down + 0.5) * height / rows - 0.5
    return float(u), float(v)


def resized(rgb: NDArray[np.uint8], height: int, width: int) -> NDArray[np.uint8]:
    """(H, W, 3) or (H, W, 4) of any size → (height, width, 3)."""
    if rgb.shape == (height, width, 3) and rgb.dtype == np.uint8:
        return np.ascontiguousarray(rgb)
    picture = Picture.fromarray(np.ascontiguousarray(rgb[..., :3], dtype=np.uint8))
    return np.asarray(picture.resize((width, height), Picture.Resampling.BILINEAR))


def enlarged(attention: FloatArray, height: int, width: int) -> FloatArray:
    """(rows, cols) → (height, width): each pixel has the weight of its patch."""
    rows, cols = attention.shape
    of_rows: FloatArray = attention[np.arange(height) * rows // height]
    return of_rows[:, np.arange(width) * cols // width]
