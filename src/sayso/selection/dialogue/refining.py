"""An answer that describes the thing instead of naming it as the robot did: "the one next to the bread" → "the cup next to the bread"."""

from __future__ import annotations

import math
import re

from sayso.domain.model import Domain
from sayso.representation import Description
from sayso.selection.dialogue.described import Describe
from sayso.types import ActionBelief, Choice

NOWHERE = (math.nan,) * 3


def refined(domain: Domain, belief: ActionBelief, reply: str, describe: Describe) -> Choice | None:
    """A choice by words alone, to be looked for in the next picture; None if the reply describes no such thing as is in question.

    Args:
        domain: of the home.
        belief: has the question.
        reply: plain.
        describe: parses noun phrases.
    """
    things = [domain.objects[value] for _, value in belief.options[0].arguments if value in domain.objects]
    found = describe(reply)
    if found is None or not things or not _tells(found, belief) or not _is_visible(domain, found):
        return None
    noun = things[0].names[0].lower()
    if found.head:
        fits = any(found.head in (*(name.lower() for name in thing.names), thing.category) for thing in things)
        return Choice(reply, NOWHERE) if fits else None
    if found.pronoun != "one":
        return None
    named, count = re.subn(r"\bones?\b", noun, reply, count=1)
    return Choice(named if count else f"{reply} {noun}", NOWHERE)


def _tells(found: Description, belief: ActionBelief) -> bool:
    """Whether it may tell the things apart. The robot has named their colours, if it sees them."""
    told = not any(each.color for each in belief.choices) and bool(found.attributes)
    return not found.unknown and not found.parts and bool(found.relations or found.order or told)


def _is_visible(domain: Domain, found: Description) -> bool:
    """Whether the things that it is described by are of the home: "the one in front" is in no "front"."""
    known = {name.lower() for thing in domain.objects.values() for name in (*thing.names, thing.category)}
    return all(landmark.head in known for relation in found.relations for landmark in relation.landmarks)
