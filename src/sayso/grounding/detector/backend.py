"""Image + phrases → candidates, by a detector of photographs: the grounding backend for real cameras."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sayso.errors import ModelError
from sayso.grounding.backend import Look
from sayso.grounding.boxes import GRID, box_attention, distinct
from sayso.grounding.detector.boxes import Boxes, propose
from sayso.grounding.detector.calibration import METADATA, DetectorCalibration, kind_features, logit
from sayso.grounding.detector.clothes import upper_body
from sayso.grounding.detector.colors import color_features, palette
from sayso.grounding.detector.nouns import PERSON, Sought, sought
from sayso.grounding.geometry import point_at
from sayso.models import model_path, onnx_session
from sayso.types import Candidate, FloatArray, Image

MODEL = "detector.onnx"
MOST = 20  # candidates of a phrase
LIKELY_COLOR = 0.5  # probability from which a candidate's colour is named


class Detector:
    """Finds things of 80 everyday kinds in photographs. It knows a noun by its own list of words, and says which words it does not know.

    Args:
        model: an ONNX file made by `sayso train detector`; default: the shipped one, checked against the manifest.

    Raises:
        ModelError: the file is missing, altered, or not a detector.
    """

    def __init__(self, model: Path | None = None) -> None:
        path = model or model_path(MODEL)
        try:
            self.session = onnx_session(path)
            self.calibration = DetectorCalibration.from_json(self.session.get_modelmeta().custom_metadata_map[METADATA])
        except Exception as broken:  # noqa: BLE001 - onnxruntime's errors have no common base class
            raise ModelError(f"{path} is not a detector: make one with 'sayso train detector' ({broken})") from None
        self.threshold = self.calibration.threshold
        self._column = {name: number for number, name in enumerate(self.calibration.classes)}

    def look(self, image: Image, phrases: Sequence[str]) -> tuple[Look, ...]:
        """One result for each phrase, in order; the network runs once for all of them.

        Args:
            image: of any size, in colour.
            phrases: plain noun phrases. Their relations and numbers are resolved elsewhere.
        """
        asked = [(phrase, sought(phrase)) for phrase in phrases]
        seen = image.rgb.ndim == 3 and min(image.rgb.shape[:2]) > 0
        if not seen or not any(want.classes for _, want in asked):
            return tuple(_nothing(phrase, want) for phrase, want in asked)
        rgb = np.ascontiguousarray(image.rgb[..., :3], dtype=np.uint8)
        boxes = self.propose(image)
        return tuple(self._found(image, rgb, boxes, phrase, want) if want.classes else _nothing(phrase, want) for phrase, want in asked)

    def propose(self, image: Image) -> Boxes:
        """The network's boxes in the picture, before any phrase is known."""
        rgb = np.ascontiguousarray(image.rgb[..., :3], dtype=np.uint8)
        return propose(self.session, rgb, self.calibration.views, self.calibration.floor)

    def of_kind(self, boxes: Boxes, want: Sought) -> tuple[NDArray[np.int64], FloatArray]:
        """Numbers of the boxes that may be of the wanted kind, (n,), and what their probability is computed from, (n, 3)."""
        columns = self._columns(want)
        scores = boxes.scores[:, columns].max(axis=1)
        rivals = np.delete(boxes.scores, columns, axis=1).max(axis=1, initial=0.0)
        likely = np.flatnonzero(scores > self.calibration.floor)
        chosen = likely[distinct(boxes.corners[likely], scores[likely], MOST)]
        return chosen, kind_features(scores[chosen], rivals[chosen])

    def _columns(self, want: Sought) -> list[int]:
        return [self._column[name] for name in want.classes]

    def _found(self, image: Image, rgb: NDArray[np.uint8], boxes: Boxes, phrase: str, want: Sought) -> Look:
        chosen, features = self.of_kind(boxes, want)
        columns, probabilities = self._columns(want), self.calibration.kind(features)
        candidates = []
        for at, probability in zip(chosen, probabilities, strict=True):
            left, top, right, bottom = (float(n) for n in boxes.corners[at])
            pixel = ((left + right) / 2, (top + bottom) / 2)
            kind = want.classes[int(boxes.scores[at, columns].argmax())]
            shown = upper_body((left, top, right, bottom)) if kind == PERSON else (left, top, right, bottom)
            fits, color = self._colors(rgb, shown, (*want.colors, *want.worn))
            candidates.append(
                Candidate(float(probability) * fits, pixel, (left, top, right, bottom), point_at(image, pixel), kind=kind, color=color)
            )
        candidates.sort(key=lambda each: -each.probability)
        best = np.array([[candidates[0].probability if candidates else 0.0]])
        presence = float(self.calibration.presence(logit(best))[0]) if candidates else 0.0
        return Look(phrase, box_attention(candidates, presence, (rgb.shape[0], rgb.shape[1])), presence, tuple(candidates), want.unknown)

    def _colors(self, rgb: NDArray[np.uint8], box: tuple[float, float, float, float], asked: tuple[str, ...]) -> tuple[float, str]:
        """P(what is in the box has all the colours), and the colour that it most probably has, if one is likely."""
        names = palette()[0]
        fits = self.calibration.color(color_features(rgb, box))
        best = int(fits.argmax())
        return float(np.prod([fits[names.index(name)] for name in asked])), names[best] if fits[best] > LIKELY_COLOR else ""


def _nothing(phrase: str, want: Sought) -> Look:
    return Look(phrase, np.full(GRID, 1.0 / (GRID[0] * GRID[1])), 0.0, (), want.unknown)
