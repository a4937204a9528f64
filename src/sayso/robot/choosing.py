"""Several things that a phrase fits alike: what a person may choose from, and which thing in a later picture is the chosen one."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from sayso.domain.wording import listed
from sayso.robot.geometry import Point2, Point3
from sayso.robot.skill import SkillInterrupted
from sayso.types import Candidate, Choice, FloatArray, Grounding

DRIFT = 0.05  # m: deviation of a point along each axis from where the robot was to where it is now
GATE = 11.34  # squared Mahalanobis distance within which 99 % of the sightings of one spot lie (chi-squared, 3 degrees of freedom)
LIKELY = 0.2  # P from which a thing may be the chosen one, whose place is known
_ARTICLE = re.compile(r"^(?:(?:the|a|an|my|your) )?")


class SkillAmbiguous(SkillInterrupted):
    """The phrase fits several things that it does not tell apart: a person is to choose one of `choices`."""

    def __init__(self, phrase: str, choices: tuple[Choice, ...], here: Point2) -> None:
        placed = [f"{each.words}, {math.dist(each.point[:2], here):.1f} m away" for each in choices]
        super().__init__(f"I see {len(placed)} things that may be {_ARTICLE.sub('the ', phrase, count=1)}: {listed(placed, 'or')}")
        self.choices = choices


def choices_in(grounding: Grounding) -> tuple[Choice, ...]:
    """The things that an ambiguous grounding names, from left to right; none of any other."""
    if not grounding.ambiguous:
        return ()
    things = list(zip(grounding.options, grounding.candidates, strict=False))
    things.sort(key=lambda pair: pair[1].pixel[0])
    colors = [thing.color for _, thing in things]
    distinct = "" not in colors and len(set(colors)) == len(colors)
    return tuple(Choice(words, thing.point, _flat(thing), thing.color if distinct else "", thing.probability) for words, thing in things)


def is_described(choices: Sequence[Choice]) -> bool:
    """Whether a person has described the thing, instead of choosing one that the robot had named: its place is not known."""
    return bool(choices) and not all(map(math.isfinite, choices[0].point))


def phrase_for(phrase: str, choices: Sequence[Choice]) -> str:
    """The phrase to look for, once a person has chosen choices[0]: with its colour, if that tells it from the others; or as they say it."""
    if is_described(choices):
        return choices[0].words
    return _ARTICLE.sub(f"the {choices[0].color} ", phrase, count=1) if choices and choices[0].color else phrase


def chosen_in(grounding: Grounding, choices: Sequence[Choice]) -> Point3 | None:
    """Where the chosen thing is in a later picture; None if it is not seen.

    Without a colour that tells the things apart, it is the thing at the remembered point: within what the covariances of both sightings
    allow, and nearer to it than to any of the things that were not chosen.

    Args:
        grounding: of `phrase_for` these choices.
        choices: the chosen one, then the others.
    """
    picked, *others = choices
    sure = max(len(grounding.options), int(grounding.found))
    seen = [thing for at, thing in enumerate(grounding.candidates) if (at < sure or thing.probability >= LIKELY) and _is_placed(thing)]
    if picked.color:
        near = [thing for at, thing in enumerate(seen) if at < sure]
        return min((thing.point for thing in near), key=lambda point: math.dist(point, picked.point), default=None)
    likely = [thing for thing in seen if _apart(thing, picked) <= GATE and _is_nearest(picked, others, thing.point)]
    best = min(likely, key=lambda thing: _apart(thing, picked), default=None)
    return best.point if best is not None else None


def _is_nearest(picked: Choice, others: Sequence[Choice], point: Point3) -> bool:
    return all(math.dist(point, picked.point) < math.dist(point, other.point) for other in others)


def _is_placed(thing: Candidate) -> bool:
    return all(map(math.isfinite, thing.point))


def _flat(thing: Candidate) -> tuple[float, ...]:
    return tuple(map(float, thing.covariance.ravel())) if thing.covariance is not None else (math.nan,) * 9


def _apart(thing: Candidate, choice: Choice) -> float:
    """The squared Mahalanobis distance of a thing to where the chosen one was seen."""
    remembered = np.array(choice.covariance, dtype=np.float64).reshape(3, 3)
    spread = _known(remembered) + _known(thing.covariance) + DRIFT**2 * np.eye(3)
    offset = np.subtract(thing.point, choice.point)
    return float(offset @ np.linalg.solve(spread, offset))


def _known(covariance: FloatArray | None) -> FloatArray:
    return covariance if covariance is not None and np.isfinite(covariance).all() else np.zeros((3, 3))
