"""What is compared on photographs: the detector backend, the same network taken at its word, and another one (_grounding_centernet.py).

All answer with one box and a probability, or with nothing. Relations are resolved by Sayso's resolver; for networks at their word,
by plain geometry on the boxes that it is sure of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from _grounding_phrases import area, middle
from sayso.domain import load_domain
from sayso.grounding.backend import Look
from sayso.grounding.boxes import distinct
from sayso.grounding.colors import lab
from sayso.grounding.describe import DescriptionGrounder
from sayso.grounding.detector import Detector
from sayso.grounding.detector.boxes import Boxes, propose
from sayso.grounding.detector.colors import palette
from sayso.grounding.detector.nouns import classes, sought
from sayso.grounding.resolution import Resolution
from sayso.intent.meaning.answers import AnswerDescriber
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
    asks: bool = False  # it takes the thing after a question only


Finder = Callable[[Image, Sequence[Asked]], list[Answer]]
Proposes = Callable[[NDArray[np.uint8]], Boxes]


def with_detector(backend: Detector) -> Finder:
    """The backend as users have it: `sayso ask --image FILE --backend detector`."""
    described = DescriptionGrounder(backend, AnswerDescriber(load_domain()))

    def answers(image: Image, asked: Sequence[Asked]) -> list[Answer]:
        looks = {look.phrase: look for look in backend.look(image, list(dict.fromkeys(each.plain for each in asked)))}
        return [_resolved(described(image, f"the {each.phrase}")) if each.relation else _plain(looks[each.plain]) for each in asked]

    def _plain(look: Look) -> Answer:
        best = FoundBox(look.candidates[0].probability, look.candidates[0].box) if look.candidates else None
        return Answer(best, best if best and best.probability > backend.threshold else None, look.presence, look.unknown)

    return answers


def _resolved(found: Resolution) -> Answer:
    """The likeliest thing, also where there is a question: "the left one or the right one?"."""
    best = FoundBox(found.things[0].probability, found.things[0].box) if found.things else None
    return Answer(best, None if found.verdict == "absent" else best, found.p_found, found.unknown, asks=found.verdict == "ambiguous")


def one_look(backend: Detector) -> Proposes:
    """The boxes of the backend's network in the picture as it is."""
    return lambda rgb: propose(backend.session, rgb, ((416, False),), backend.calibration.floor)


def at_its_word(proposes: Proposes, threshold: float = USUAL) -> Finder:
    """A network without calibration: each box is of its best kind, and of the colour that its mean is nearest to.

    Args:
        proposes: (H, W, 3) → boxes with a score for each of the detector's kinds.
        threshold: score from which a thing is there.
    """
    kinds = list(classes())

    def answers(image: Image, asked: Sequence[Asked]) -> list[Answer]:
        boxes = proposes(image.rgb)
        best = boxes.scores.argmax(axis=1) if len(boxes.scores) else np.empty(0, int)

        def of(phrase: str) -> list[FoundBox]:
            want = sought(phrase)
            fits = np.flatnonzero(np.isin(best, [kinds.index(name) for name in want.classes]))
            kept = fits[distinct(boxes.corners[fits], boxes.scores[fits].max(axis=1, initial=0.0), 20)] if len(fits) else fits
            found = [FoundBox(float(boxes.scores[at].max()), tuple(float(n) for n in boxes.corners[at])) for at in kept]
            return [each for each in found if all(_mean_color(image, each.box) == color for color in want.colors)]

        found = {phrase: of(phrase) for each in asked for phrase in (each.plain, _other(each)) if phrase}
        return [_answer(each, found, threshold, max((one.probability for one in found[each.plain]), default=0.0)) for each in asked]

    return answers


def _answer(asked: Asked, found: dict[str, list[FoundBox]], threshold: float, presence: float) -> Answer:
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
    return Answer(candidates[0] if candidates else None, likely[0] if likely else None, presence)


def _other(asked: Asked) -> str:
    """The thing that a relation is to."""
    return asked.relation.removeprefix("left of ") if asked.relation.startswith("left of ") else ""


def _mean_color(image: Image, box: Box) -> str:
    left, top, right, bottom = (round(n) for n in box)
    mean = image.rgb[top : max(bottom, top + 1), left : max(right, left + 1)].reshape(-1, 3).mean(axis=0)
    names, _, looks, of = palette()
    return names[int(of[((looks - lab(mean[None].astype(np.uint8))) ** 2).sum(axis=1).argmin()])]
