"""Phrases about photographs, made from the boxes that their publishers marked and from colours that were named by eye.

Kinds: every kind in a picture with a thing of at least 32×32 pixels of 640×480, and as many that are not there, half of them similar ones.
Colours: a kind with a colour that fits one thing of it and no other, and one with a colour that fits none.
Relations: the leftmost, rightmost and biggest of two to five things of a kind, and a thing beside another one, where a person cannot doubt.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from sayso.grounding.detector.colors import palette
from sayso.training.data.photographs import MarkedThing, Photograph
from sayso.training.detector.phrases import Asked, Box, large_enough, plain_phrases

CLEAR = 0.08  # of the picture's width: so far to the side must a thing be to be called left
BIGGER = 1.5  # times the area of the next one
MOST = 5  # things of a kind


def asked_about(photo: Photograph, kinds: tuple[str, ...], smallest: float, colors: Mapping[str, Any], seed: int) -> list[Asked]:
    """All phrases about one photograph, always the same ones."""
    chance = random.Random(f"{seed} {photo.name}")
    plain = plain_phrases(photo, kinds, smallest, chance)
    return [*plain, *_colored(photo, colors.get(photo.name, {}), chance), *_related(photo, smallest)]


def _colored(photo: Photograph, named: Mapping[str, Any], chance: random.Random) -> Iterator[Asked]:
    """A person says "orange orange" no more than "green broccoli": kinds that are named by a colour are left out."""
    names = palette()[0]
    for number, seen in named.items():
        kind, thing = seen["kind"], photo.things[int(number)]
        if sum(each.kind == kind for each in photo.things) > 1 or kind in names:
            continue  # the other things' colours were not all named
        color = seen["colors"][0]
        yield Asked(f"{color} {kind}", (thing.box,), plain=f"{color} {kind}", tags=("color",))
        wrong = chance.choice([name for name in names if name not in seen["colors"] and name not in seen.get("doubtful", ())])
        yield Asked(f"{wrong} {kind}", (), plain=f"{wrong} {kind}", tags=("color", "absent"))


def _related(photo: Photograph, smallest: float) -> Iterator[Asked]:
    width = photo.image.rgb.shape[1]
    counted = Counter(thing.kind for thing in photo.things)
    for kind, count in counted.items():
        things = sorted((thing for thing in photo.things if thing.kind == kind), key=lambda thing: middle(thing.box))
        if not 2 <= count <= MOST or not all(large_enough(photo, thing, smallest) for thing in things):
            continue
        at = [middle(thing.box) for thing in things]
        if at[1] - at[0] > CLEAR * width:
            yield _phrase(f"left {kind}", things[0], "left", kind)
        if at[-1] - at[-2] > CLEAR * width:
            yield _phrase(f"right {kind}", things[-1], "right", kind)
        by_size = sorted(things, key=lambda thing: -area(thing.box))
        if area(by_size[0].box) > BIGGER * area(by_size[1].box):
            yield _phrase(f"biggest {kind}", by_size[0], "biggest", kind)
        for other in (other for other in photo.things if counted[other.kind] == 1 and large_enough(photo, other, smallest)):
            left = [thing for thing in things if middle(thing.box) < middle(other.box) - CLEAR * width]
            right = [thing for thing in things if middle(thing.box) > middle(other.box) + CLEAR * width]
            if len(left) == 1 and len(left) + len(right) == count:
                yield _phrase(f"{kind} left of the {other.kind}", left[0], f"left of {other.kind}", kind)


def _phrase(phrase: str, thing: MarkedThing, relation: str, kind: str) -> Asked:
    return Asked(phrase, (thing.box,), relation, kind, ("relation",))


def middle(box: Box) -> float:
    """The horizontal centre."""
    return (box[0] + box[2]) / 2


def area(box: Box) -> float:
    """In square pixels."""
    return (box[2] - box[0]) * (box[3] - box[1])
