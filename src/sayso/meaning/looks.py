"""P(a person looks as described | what the robot's tracker told of them)."""

from __future__ import annotations

import math

from sayso.looks import fits, garment_of, group_of, is_look
from sayso.meaning.world_view import WorldView
from sayso.representation import Description

P_UNTOLD = 0.05  # P(a person has a look | nothing is known of it)
P_OTHER = 0.03  # P(a person has a look | the tracker saw another of its kind)
P_MOST = 0.98


def looks_in(description: Description) -> tuple[str, ...]:
    """The labels of sayso.looks in the description of a person."""
    return tuple(each for each in description.attributes if is_look(each)) if description.pronoun == "person" else ()


def p_looks(description: Description, person: str, view: WorldView) -> float:
    """P(the person has all looks of the description); 1 for one that tells none."""
    return math.prod(_p_look(look, person, view) for look in looks_in(description))


def looks_of(person: str, view: WorldView) -> dict[str, float]:
    """The labels that the tracker has given the person in the last seconds, with P of each."""
    told = view.context.looks if view.context is not None else ()
    return {each.look: each.probability for each in told if each.person == person}


def _p_look(wanted: str, person: str, view: WorldView) -> float:
    told = looks_of(person, view)
    alike = [look for look in told if look in group_of(wanted) or (any(garment_of(wanted)) and any(garment_of(look)))]
    if not alike:
        return P_UNTOLD
    return min(P_MOST, max(P_OTHER, sum(told[look] for look in alike if fits(look, wanted))))
