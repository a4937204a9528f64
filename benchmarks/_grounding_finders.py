"""What is compared on photographs: the detector backend, and the same network taken at its word.

Both answer with one box and a probability, or with nothing. Relations are resolved by the same plain geometry for both, and not
by Sayso's resolver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from _grounding_phrases import area, middle
from sayso.grounding.boxes import distinct
from sayso.grounding.colors import lab
from sayso.grounding.detector import Detector
from sayso.grounding.detector.boxes import propose
from sayso.grounding.detector.colors import palette
from sayso.grounding.detector.nouns import sought
from sayso.training.detector.phrases import Asked, Box
from sayso.types import Image

USUAL = 0.35  # score from which NanoDet's own demonstration draws a box


@dataclass(frozen=True, slots=True)
class FoundBox:
    """A box that may be meant."""

    probability: float
    box: Box


@dataclass(frozen=True, slots=True)
class Answer:
    """What a finder says to one phrase."""

    best: FoundBox | None  # the most probable one, found or not
    chosen: FoundBox | None  # what it takes for the thing; None: it says that it is not there
    presence: float
    unknown: tuple[str, ...] = ()


Finder = Callable[[Image, Sequence[Asked]], list[Answer]]


def with_detector(backend: Detector) -> Finder:
    """The backend as users have it."""

    def answers(image: Image, asked: Sequence[Asked]) -> list[Answer]:
        phrases = list(dict.fromkeys(phrase for each in asked for phrase in (each.plain, _other(each)) if phrase))
        looks = {look.phrase: look for look in backend.look(image, phrases)}
        found = {phrase: [FoundBox(each.probability, each.box) for each in look.candidates] for phrase, look in looks.items()}
        return [
            _answer(each, found, backend.threshold, looks[each.plain].presence, looks[each.plain].unknown) for each in asked
        ]  # fmt: skip

    return answers


def at_its_word(backend: Detector) -> Finder:
    """The same network without calibration: one look, each box is of its best kind, and of the colour that its mean is nearest to."""

    def answers(image: Image, asked: Sequence[Asked]) -> list[Answer]:
        boxes = propose(backend.session, image.rgb, ((416, False),), backend.calibration.floor)
        best = boxes.scores.argmax(axis=1) if len(boxes.scores) else np.empty(0, int)

        def of(phrase: str) -> list[FoundBox]:
            want = sought(phrase)
            fits = np.flatnonzero(np.isin(best, [backend.calibration.classes.index(name) for name in want.classes]))
            kept = fits[distinct(boxes.corners[fits], boxes.scores[fits].max(axis=1, initial=0.0), 20)] if len(fits) else fits
            found = [FoundBox(float(boxes.scores[at].max()), tuple(float(n) for n in boxes.corners[at])) for at in kept]
            return [each for each in found if all(_mean_color(image, each.box) == color for color in want.colors)]

        found = {phrase: of(phrase) for each in asked for phrase in (each.plain, _other(each)) if phrase}
        return [_answer(each, found, USUAL, max((one.probability for one in found[each.plain]), default=0.0)) for each in asked]

    return answers


def _answer(asked: Asked, found: dict[str, list[FoundBox]], threshold: float, presence: float, unknown: tuple[str, ...] = ()) -> Answer:
    candidates = found[asked.plain]
    likely = [each for each in candidates if each.probability > threshold]
    if asked.relation == "left":
        likely.sort(key=lambda each: middle(each.box))
    elif asked.relation == "right":
        likely.sort(key=lambda each: -middle(each.box))
    elif asked.relation == "biggest":
        likely.sort(key=lambda each: -area(each.box))
    elif asked.relation:
        beside = [each for each in found[_other(asked)] if each.probability > threshold]
        likely = [each for each in likely if beside and middle(each.box) < middle(beside[0].box)]
    return Answer(candidates[0] if candidates else None, likely[0] if likely else None, presence, unknown)


def _other(asked: Asked) -> str:
    """The thing that a relation is to."""
    return asked.relation.removeprefix("left of ") if asked.relation.startswith("left of ") else ""


def _mean_color(image: Image, box: Box) -> str:
    left, top, right, bottom = (round(n) for n in box)
    mean = image.rgb[top : max(bottom, top + 1), left : max(right, left + 1)].reshape(-1, 3).mean(axis=0)
    names, _, looks, of = palette()
    return names[int(of[((looks - lab(mean[None].astype(np.uint8))) ** 2).sum(axis=1).argmin()])]
