"""Phrases about photographs whose answers are known: half of them for things that are not there, half of those for something similar."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from sayso.grounding.detector.nouns import classes, groups
from sayso.training.data.photographs import MarkedThing, Photograph

Box = tuple[float, float, float, float]
Relation = str  # "", "left", "right", "biggest", or "left of NOUN"


@dataclass(frozen=True, slots=True)
class Asked:
    """One phrase about one photograph."""

    phrase: str
    right: tuple[Box, ...]  # any of them is right; none: the thing is not there
    relation: Relation = ""  # what the phrase says beyond kind and colour
    plain: str = ""  # the phrase without the relation
    tags: tuple[str, ...] = field(default=())  # what kind of phrase it is, for tables


def plain_phrases(photograph: Photograph, kinds: Sequence[str], smallest: float, chance: random.Random) -> list[Asked]:
    """Every kind in the picture that has a thing large enough, and as many that are not there.

    Args:
        photograph: with all things of those kinds marked.
        kinds: the kinds that may be asked for; empty: all of the detector.
        smallest: share of the picture.
        chance: the source of randomness.
    """
    known = tuple(kinds) or classes()
    there = dict[str, list[MarkedThing]]()
    for thing in photograph.things:
        there.setdefault(thing.kind, []).append(thing)
    asked = [
        Asked(kind, tuple(thing.box for thing in things), plain=kind, tags=("kind",))
        for kind, things in there.items()
        if kind in known and any(large_enough(photograph, thing, smallest) for thing in things)
    ]
    near = [kind for kind in known if kind not in there and any(_alike(kind, other) for other in there)]
    far = [kind for kind in known if kind not in there and kind not in near]
    for number in range(len(asked)):
        pool = (near, far) if number % 2 else (far, near)
        some = next((each for each in pool if each), [])
        if some:
            kind = some.pop(chance.randrange(len(some)))
            asked.append(Asked(kind, (), plain=kind, tags=("kind", "alike" if some is near else "other")))
    return asked


def large_enough(photograph: Photograph, thing: MarkedThing, smallest: float) -> bool:
    """Whether the thing covers that share of its picture."""
    left, top, right, bottom = thing.box
    height, width = photograph.image.rgb.shape[:2]
    return (right - left) * (bottom - top) >= smallest * height * width


def _alike(kind: str, other: str) -> bool:
    return any(kind in members and other in members for members in groups().values())
