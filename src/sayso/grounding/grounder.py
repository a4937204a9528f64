"""Image + phrase → Grounding: the trained network's attention over the image, its candidates, and the point in space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sayso.errors import ModelError
from sayso.grounding.attention import AttentionNetwork, Patches, attention
from sayso.grounding.backend import Look
from sayso.grounding.calibration import CandidateCalibration
from sayso.grounding.candidates import Region, candidate, regions
from sayso.grounding.colors import named
from sayso.grounding.geometry import NOWHERE
from sayso.grounding.parting import parted
from sayso.grounding.phrase import PhraseUnit, units_of
from sayso.grounding.pieces import together
from sayso.grounding.untrained_colors import color_evidence, region_pixels
from sayso.grounding.views import View, fused
from sayso.grounding.words import UnitReader
from sayso.models import model_path
from sayso.types import FloatArray, Grounding, Image, WordAttention

MODEL, UNITS = "grounder.onnx", "grounder_units.onnx"
METADATA = "sayso"  # metadata key of the calibration in the ONNX file
LEAST = 0.02  # P(a patch shows it) at the peak of a region that is looked at more closely
BLANK = (60, 80)  # patches of a picture in which nothing can be seen


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the network holds of one phrase in one picture."""

    attention: FloatArray  # (rows, cols) sums to 1
    each: tuple[FloatArray, ...]  # the same of each unit
    shows: FloatArray  # (rows, cols) P(the patch shows it)
    regions: tuple[Region, ...]  # R of them
    odds: FloatArray  # (R, 2) log-odds of the verdict on each region, and of its best patch
    verdicts: FloatArray  # (R, U) logit that each region shows each unit


class VisualGrounder:
    """Image and phrase → grounding, by cross-modal attention (equation 5).

    Args:
        folder: of the two ONNX files made by `sayso train grounder`; default: the shipped ones, checked against the manifest.
        reader: text → word vectors; default: by the shipped sentence encoder.

    Raises:
        ModelError: a file is missing, altered, or not a grounding network.
    """

    def __init__(self, folder: Path | None = None, reader: UnitReader | None = None) -> None:
        paths = [folder / name if folder else model_path(name) for name in (MODEL, UNITS)]
        try:
            self._network = AttentionNetwork(paths[0], paths[1], reader or UnitReader())
            self.calibration = CandidateCalibration.from_json(self._network.metadata[METADATA])
        except Exception as broken:  # noqa: BLE001 - onnxruntime's errors have no common base class
            raise ModelError(f"{paths[0].parent} has no grounding network: make one with 'sayso train grounder' ({broken})") from None

    @property
    def threshold(self) -> float:
        """Probability above which a candidate counts as found."""
        return self.calibration.threshold

    def __call__(self, image: Image, phrase: str, object_id: str = "", utterance_id: str = "", earlier: Sequence[View] = ()) -> Grounding:
        """Ground the phrase in the image. Without content words, nothing is found and the attention is uniform.

        Args:
            image: with depth and pose, if they are known.
            phrase: a noun with colours: "red cup".
            object_id: that the phrase means, for the result.
            utterance_id: for the result.
            earlier: other views of things that have not moved since; they add what they see of the same spots.
        """
        return grounded(self.look(image, (phrase,), earlier)[0], image, self.threshold, object_id, utterance_id)

    def grounding(self, image: Image, seen: Patches | None, phrase: str) -> Grounding:
        """The same, given what the network sees in the image, alone or with other views; None: it shows nothing."""
        return grounded(self._look(image, seen, phrase), image, self.threshold)

    def look(self, image: Image, phrases: Sequence[str], earlier: Sequence[View] = ()) -> tuple[Look, ...]:
        """What each phrase finds. Without content words, that is nothing, and the attention is uniform."""
        seen = fused((*earlier, self.view(image))) if _shows_something(image) else None
        return tuple(self._look(image, seen, phrase) for phrase in phrases)

    def view(self, image: Image) -> View:
        """Encode the picture once, for several phrases or as one of several views."""
        return View(image, self._network.see(image))

    def opinions(self, seen: Patches, units: Sequence[PhraseUnit]) -> Opinions:
        """What the network holds of the regions that may show all the units."""
        scores = self._network.scores(seen, units).astype(np.float64)
        shape = seen.rows, seen.cols
        logs = -np.logaddexp(0.0, -scores.mean(axis=0))  # (U, n) ln P(the patch shows the unit)
        shows = np.exp(logs.sum(axis=0)).reshape(shape)
        middles = seen.middles.reshape(*shape, 2).astype(np.float64)
        found = together(parted(regions(shows, LEAST), shows, middles), shows, middles)
        over = attention(scores.sum(axis=1))[0].reshape(shape)
        each = tuple(attention(scores[:, unit])[0].reshape(shape) for unit in range(len(units)))
        if not found:
            return Opinions(over, each, shows, (), np.zeros((0, 2)), np.zeros((0, len(units))))
        verdicts = self._network.verdicts(seen, units, np.stack([region.mask.ravel() for region in found])).astype(np.float64)
        odds = np.stack([all_odds(verdicts), _log_odds(np.log([region.peak for region in found]))], axis=1)
        return Opinions(over, each, shows, tuple(found), odds, verdicts)

    def _look(self, image: Image, seen: Patches | None, phrase: str) -> Look:
        units = units_of(phrase)
        if seen is None or not units:
            return Look(phrase, np.full(BLANK, 1.0 / (BLANK[0] * BLANK[1])), 0.0, ())
        held = self.opinions(seen, units)
        chances = self._chances(image, held, units)
        found = [candidate(image, held.shows, region, chance) for region, chance in zip(held.regions, chances, strict=True)]
        found.sort(key=lambda each: -each.probability)
        presence = 1.0 - float(np.prod([1.0 - each.probability for each in found]))
        unknown = tuple(word for unit in units for word in unit.text.split() if word not in self.calibration.words)
        words = tuple(WordAttention(unit.text, each) for unit, each in zip(units, held.each, strict=True)) if len(units) > 1 else ()
        return Look(phrase, held.attention, presence, tuple(found), unknown, words)

    def _chances(self, image: Image, held: Opinions, units: Sequence[PhraseUnit]) -> list[float]:
        """P(each region is what the phrase means). A colour that the network was not trained on is judged by the pixels."""
        fitted = self.calibration
        new = [unit.color and unit.text not in fitted.words and bool(fitted.pixels) for unit in units]
        if not any(new):
            return [fitted.probability(verdict, patches) for verdict, patches in held.odds.tolist()]
        others = all_odds(held.verdicts[:, np.logical_not(new)])
        colors = [named()[unit.text] for unit, is_new in zip(units, new, strict=True) if is_new]
        seen = [region_pixels(image, held.shows, region) for region in held.regions]
        return [
            math.prod(fitted.by_pixels(float(odds), color_evidence(*pixels, color)) for color in colors)
            for odds, pixels in zip(others, seen, strict=True)
        ]


def grounded(look: Look, image: Image, threshold: float, object_id: str = "", utterance_id: str = "") -> Grounding:
    """The grounding at the likeliest candidate of a look at that image; found above the threshold."""
    best = look.candidates[0] if look.candidates else None
    height, width = image.rgb.shape[:2] if _shows_something(image) else (1, 1)
    return Grounding(
        utterance_id=utterance_id,
        stamp=image.stamp,
        object_id=object_id,
        phrase=look.phrase,
        attention=look.attention,
        entropy=entropy(look.attention),
        confidence=best.probability if best else 0.0,
        found=best is not None and best.probability > threshold,
        pixel=best.pixel if best else (0.5 * width - 0.5, 0.5 * height - 0.5),
        point=best.point if best else NOWHERE,
        candidates=look.candidates,
        words=look.words,
    )


def all_odds(verdicts: FloatArray) -> FloatArray:
    """(R,) log-odds that a region shows all of the units, for the logit of each (R, U)."""
    return _log_odds(-np.logaddexp(0.0, -verdicts).sum(axis=1))


def _log_odds(logs: FloatArray) -> FloatArray:
    """The log-odds ln(p / (1 − p)) for ln p, kept finite."""
    logs = np.clip(logs, -40.0, -1e-9)
    odds: FloatArray = logs - np.log(-np.expm1(logs))
    return odds


def _shows_something(image: Image) -> bool:
    return image.rgb.ndim == 3 and min(image.rgb.shape[:2]) > 0


def entropy(attention: FloatArray) -> float:
    """Equation 16: −Σ α ln α, in nats: 0 if all attention is on one patch, ln n if it is uniform over n patches."""
    weights = attention[attention > 0.0]
    return float(max(-(weights * np.log(weights)).sum(), 0.0))
