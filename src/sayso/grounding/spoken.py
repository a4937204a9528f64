"""Picture + the words of a command → the Grounding that the robot acts on: a plain phrase, or a description that is resolved."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from sayso.errors import GroundingError
from sayso.grounding.backend import Look
from sayso.grounding.coloring import colored
from sayso.grounding.describe import Describe, DescriptionGrounder
from sayso.grounding.grounder import VisualGrounder, grounded
from sayso.grounding.memory import RememberingGrounder
from sayso.grounding.picture_checks import blind
from sayso.grounding.resolution import Resolution, resolve
from sayso.grounding.telling import told_apart
from sayso.grounding.wanted import plain_phrases
from sayso.types import Candidate, Grounding, Image

APART = 0.1  # m: what is nearer than this is taken for one thing by the gripper


class SpokenGrounder:
    """Image and phrase → grounding. If the phrase fits several things alike, `options` names them and nothing is chosen at random.

    Args:
        grounder: finds plain things; `SeeingOnce` encodes a picture once, though a question needs it again for the colours.
        describe: parses noun phrases.
    """

    def __init__(self, grounder: VisualGrounder | RememberingGrounder, describe: Describe) -> None:
        self._ground, self._describe = grounder, DescriptionGrounder(grounder, describe)

    def __call__(self, image: Image, phrase: str, object_id: str = "", utterance_id: str = "") -> Grounding:
        """Ground the phrase in the image.

        Raises:
            GroundingError: the picture is black, overexposed or empty, or the phrase is empty or too long; the reason in one line.
        """
        reason = blind(image)
        if reason:
            raise GroundingError(reason)
        description = self._describe.description(phrase)
        plain = plain_phrases(description)
        if description.relations or description.order or len(plain) > 1:
            found = self._describe(image, phrase)
            first = grounded(found.looks[0], image, self._ground.threshold, object_id, utterance_id)  # of plain[0]
            return self._with_options(_placed(found, first, phrase), found, image)
        grounding = self._ground(image, phrase, object_id, utterance_id)
        if not grounding.found:
            return grounding
        look = Look(plain[0], grounding.attention, grounding.confidence, grounding.candidates)
        return self._with_options(grounding, resolve(phrase, description, (look,), image, self._ground.threshold), image)

    def _with_options(self, grounding: Grounding, found: Resolution, image: Image) -> Grounding:
        """The grounding with what to call each of the things that may be meant, if they are surely several."""
        if found.verdict != "ambiguous":
            return grounding
        distinct = _apart([thing for thing in found.things if _chance(found, thing) > self._ground.threshold])
        if len(distinct) < 2:
            return grounding
        others = tuple(thing for thing in found.things if all(thing is not each for each in distinct))
        named = colored(self._ground, image, found.looks[0].phrase, distinct)
        return replace(grounding, candidates=(*named, *others), options=told_apart(named))


def _placed(found: Resolution, plain: Grounding, phrase: str) -> Grounding:
    """The grounding of a description's plain phrase, at the thing that the description means."""
    if found.verdict == "absent":
        return replace(plain, phrase=phrase, confidence=found.p_found, found=False, candidates=found.things)
    best = found.things[0]
    return replace(
        plain, phrase=phrase, candidates=found.things, confidence=best.probability, found=True, pixel=best.pixel, point=best.point
    )


def _chance(found: Resolution, thing: Candidate) -> float:
    """What the backend gave the thing, for the first plain phrase."""
    return max((each.probability for each in found.looks[0].candidates if each.box == thing.box), default=0.0)


def _apart(things: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The things that are not at the place of a likelier one; those whose place is not known are left out."""
    kept: list[Candidate] = []
    for thing in things:
        if not math.isnan(thing.point[0]) and all(math.dist(thing.point, other.point) > APART for other in kept):
            kept.append(thing)
    return tuple(kept)
