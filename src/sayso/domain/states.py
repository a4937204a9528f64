"""Lasting states of doors and appliances: the predicates of which one excludes the other, and how people say them."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.domain.model import Domain
from sayso.types import Action

DOOR, POWER = ("open", "closed"), ("powered", "unpowered")
OPPOSITE = {one: other for pair in (DOOR, POWER) for one, other in (pair, pair[::-1])}
IN_WORDS = {"open": "open", "closed": "closed", "powered": "on", "unpowered": "off"}


def acts_for(domain: Domain, state: str, thing: str) -> Iterator[Action]:
    """The actions that bring the thing into that state: to open the fridge, for "open"."""
    return (Action(name, (("theme", thing),)) for name, spec in domain.actions.items() if spec.goal == (f"{state}(theme)",))
