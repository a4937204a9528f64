"""What is in a picture: the things that any of many plain phrases finds, each with what it may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sayso.grounding.backend import Backend, Look
from sayso.grounding.things import NEGLIGIBLE, overlap
from sayso.types import Candidate, Image

SAME = 0.4  # share of two boxes' union that they have in common, from which they are of one thing
LEAST = 0.2  # P of the likeliest phrase: what is less is not told


@dataclass(frozen=True, slots=True)
class Inventoried:
    """A thing in a picture, with what it may be."""

    candidate: Candidate
    names: tuple[tuple[str, float], ...]  # (phrase, P(it describes the thing)), the likeliest first


def inventory(backend: Backend, image: Image, phrases: Sequence[str]) -> tuple[Inventoried, ...]:
    """The things of a picture, the surest first."""
    return distinct(backend.look(image, phrases))


def distinct(looks: Sequence[Look]) -> tuple[Inventoried, ...]:
    """Each thing once, though several phrases find it: its names are the phrases."""
    found: list[tuple[Candidate, dict[str, float]]] = []
    pairs = [(candidate, look.phrase) for look in looks for candidate in look.candidates if candidate.probability >= NEGLIGIBLE]
    for candidate, phrase in sorted(pairs, key=lambda pair: -pair[0].probability):
        same = next((names for other, names in found if overlap(candidate.box, other.box) >= SAME), None)
        if same is not None:
            same.setdefault(phrase, candidate.probability)
        elif candidate.probability >= LEAST:
            found.append((candidate, {phrase: candidate.probability}))
    return tuple(Inventoried(candidate, tuple(names.items())) for candidate, names in found)
