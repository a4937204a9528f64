"""Image + phrase → Grounding: the trained network's attention over the picture, its doubt, and the point in space."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture

from sayso.errors import ModelError
from sayso.grounding.geometry import NOWHERE, point_at
from sayso.grounding.phrase import Vocabulary
from sayso.models import model_path, onnx_session
from sayso.types import FloatArray, Grounding, Image

MODEL = "grounder.onnx"
METADATA = "sayso"  # key of what the network must be told, in the ONNX file itself


@dataclass(frozen=True)
class PresenceCalibration:
    """What turns the network's logit of presence into a probability and a decision; fitted on pictures that training never saw."""

    vocabulary: Vocabulary
    scale: float  # Platt scaling: confidence = 1 / (1 + exp(−(scale · logit + shift)))
    shift: float
    threshold: float  # of the confidence, above which the thing counts as found

    @classmethod
    def from_json(cls, text: str) -> PresenceCalibration:
        """Read what `to_json` wrote."""
        told = json.loads(text)
        return cls(Vocabulary(tuple(told["words"])), float(told["scale"]), float(told["shift"]), float(told["threshold"]))

    def to_json(self) -> str:
        """As it stands in the metadata of the ONNX file."""
        return json.dumps({"words": self.vocabulary.words, "scale": self.scale, "shift": self.shift, "threshold": self.threshold})

    def confidence(self, logit: float) -> float:
        """P(the thing is in the picture, and where the attention is)."""
        return 1.0 / (1.0 + math.exp(-max(min(self.scale * logit + self.shift, 50.0), -50.0)))


class VisualGrounder:
    """Phrase and picture → where the words point, by cross-modal attention (docs/mathematics.md, equation 5).

    Args:
        model: an ONNX file made by `sayso train grounder`; default: the one in models/, checked against the manifest.

    Raises:
        ModelError: the file is missing, altered, or no grounding network.
    """

    def __init__(self, model: Path | None = None) -> None:
        from onnxruntime.capi import onnxruntime_pybind11_state as native

        path = model or model_path(MODEL)
        try:
            self._session = onnx_session(path)
            self.calibration = PresenceCalibration.from_json(self._session.get_modelmeta().custom_metadata_map[METADATA])
        except (native.Fail, native.InvalidProtobuf, native.InvalidGraph, native.NoSuchFile, KeyError, ValueError) as broken:
            raise ModelError(f"{path} is no grounding network: make one with 'sayso train grounder' ({broken})") from None
        _, self._height, self._width, _ = self._session.get_inputs()[0].shape

    def __call__(self, image: Image, phrase: str, object_id: str = "", utterance_id: str = "") -> Grounding:
        """Look for what the phrase means. A phrase without words that tell anything is not found, and attends to everything alike."""
        words = self.calibration.vocabulary.encode(phrase)
        seen = image.rgb.ndim == 3 and min(image.rgb.shape[:2]) > 0
        if seen and words.any():
            attention, logit = self._attend(image.rgb, words)
            confidence = self.calibration.confidence(logit)
        else:
            attention, confidence = self._uniform(), 0.0
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
        )

    def _attend(self, rgb: NDArray[np.uint8], words: NDArray[np.int64]) -> tuple[FloatArray, float]:
        picture = resized(rgb, self._height, self._width)
        attention, logit = self._session.run(["attention", "logit"], {"picture": picture[None], "words": words[None]})
        mean_of_heads = np.asarray(attention[0], dtype=np.float64)
        return mean_of_heads / mean_of_heads.sum(), float(logit[0])

    def _uniform(self) -> FloatArray:
        _, rows, cols = self._session.get_outputs()[0].shape
        return np.full((rows, cols), 1.0 / (rows * cols))


def entropy(attention: FloatArray) -> float:
    """Equation 16: −Σ α ln α, in nats: 0 where it looks at one patch alone, ln n where it looks at all n alike."""
    weights = attention[attention > 0.0]
    return float(max(-(weights * np.log(weights)).sum(), 0.0))


def attended_pixel(attention: FloatArray, height: int, width: int) -> tuple[float, float]:
    """(u, v) in a picture of that size: the centre of mass of the attention around its peak.

    The peak is that of the 3×3 sums, for a thing is seldom one patch; its centre of mass within the 3×3 is finer than a patch.
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
    """(H, W, 3) of any size, or (H, W) grey, or (H, W, 4) → (height, width, 3)."""
    if rgb.shape == (height, width, 3) and rgb.dtype == np.uint8:
        return np.ascontiguousarray(rgb)
    picture = Picture.fromarray(np.ascontiguousarray(rgb[..., :3], dtype=np.uint8))
    return np.asarray(picture.resize((width, height), Picture.Resampling.BILINEAR))


def enlarged(attention: FloatArray, height: int, width: int) -> FloatArray:
    """(rows, cols) → (height, width): each pixel gets the weight of its patch."""
    rows, cols = attention.shape
    of_rows: FloatArray = attention[np.arange(height) * rows // height]
    return of_rows[:, np.arange(width) * cols // width]
