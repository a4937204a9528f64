"""The colour of things that the phrase itself does not tell: what the backend finds with the name of a colour before the noun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.grounding.backend import Backend
from sayso.grounding.phrase import units_of
from sayso.grounding.things import SAME, overlap
from sayso.types import Candidate, Image

# What people call things by; finer names, such as teal, would often be a matter of taste.
COLORS = ("red", "orange", "yellow", "green", "cyan", "blue", "purple", "pink", "brown", "black", "white", "gray")


def colored(backend: Backend, image: Image, noun: str, things: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """The things with the colour of which the backend is surest, if it takes them as found with it. A noun with a colour tells no other.

    Args:
        backend: finds plain things.
        image: that shows them.
        noun: what all of them are: "cup".
        things: in that image.
    """
    if any(unit.color for unit in units_of(noun)) or all(thing.color for thing in things):
        return tuple(things)
    looks = backend.look(image, [f"{color} {noun}" for color in COLORS])
    found = []
    for thing in things:
        p = [max((each.probability for each in look.candidates if overlap(each.box, thing.box) >= SAME), default=0.0) for look in looks]
        best = max(range(len(COLORS)), key=lambda at: p[at])
        found.append(replace(thing, color=COLORS[best]) if not thing.color and p[best] > backend.threshold else thing)
    return tuple(found)
