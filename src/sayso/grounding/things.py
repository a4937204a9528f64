"""The candidates of several phrases → the things in the picture: one region that fits two phrases is one thing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sayso.grounding.backend import Look
from sayso.types import Candidate

SAME = 0.5  # share of two boxes' union that they have in common, from which they are of one thing
NEGLIGIBLE = 0.02  # P below which a candidate is left out
MOST = 24  # things of one picture


@dataclass(frozen=True, slots=True)
class SeenThing:
    """One thing in a picture."""

    candidate: Candidate  # of the phrase that fits it best
    fits: Mapping[str, float] = field(default_factory=dict)  # plain phrase → P(it describes the thing); absent: 0


def gathered(looks: Sequence[Look]) -> tuple[SeenThing, ...]:
    """The things that the looks of one picture show, the surest first."""
    found: list[tuple[Candidate, dict[str, float]]] = []
    pairs = [(candidate, look.phrase) for look in looks for candidate in look.candidates if candidate.probability >= NEGLIGIBLE]
    for candidate, phrase in sorted(pairs, key=lambda pair: -pair[0].probability):
        # Two candidates of one phrase are two things: the backend has told them apart.
        same = [fits for other, fits in found if phrase not in fits and overlap(candidate.box, other.box) >= SAME]
        if same:
            same[0][phrase] = candidate.probability
        elif len(found) < MOST:
            found.append((candidate, {phrase: candidate.probability}))
    return tuple(SeenThing(candidate, fits) for candidate, fits in found)


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """Intersection over union of two boxes (left, top, right, bottom)."""
    common = _common(one, other)
    union = _area(one) + _area(other) - common
    return common / union if union > 0.0 else 0.0


def contained(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The share of the smaller of two boxes (left, top, right, bottom) that lies in the larger one."""
    smaller = min(_area(one), _area(other))
    return _common(one, other) / smaller if smaller > 0.0 else 0.0


def _common(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0.0) * max(height, 0.0)


def _area(box: tuple[float, ...]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
