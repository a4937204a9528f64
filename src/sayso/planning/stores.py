"""Stores, such as a fridge: open while something is put in or taken out; what was not open before is closed afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from sayso.domain.model import Domain
from sayso.domain.states import OPPOSITE, acts_for
from sayso.domain.vocabulary import parse_literal
from sayso.planning.facts import Facts
from sayso.planning.relevant import goal_of
from sayso.types import Action

OPEN, HELD = "open", "holding"  # facts


def with_doors(domain: Domain, actions: Sequence[Action], facts: Facts) -> tuple[Action, ...]:
    """The actions, with the opening of each store before what is done inside it, and its closing after that.

    A store that is known to be open stays so. A thing that it takes out and keeps leaves it no hand to close the door: `left_open` tells.
    """
    found: list[Action] = []
    known = {arguments[0] for name, arguments in facts if name == OPEN}
    for store, group in groupby(actions, lambda action: store_of(domain, action)):
        inside = tuple(group)
        opening, closing = (next(acts_for(domain, state, store), None) for state in (OPEN, OPPOSITE[OPEN]))
        if not store or store in known or _opened(domain, found, store) or opening is None or closing is None:
            found += inside
            continue
        found += (opening, *inside, *(() if _keeps(domain, inside[-1]) else (closing,)))
    return tuple(found)


def store_of(domain: Domain, action: Action) -> str:
    """The store in which the action puts something, takes it or looks; empty for any other action.

    Without a word about where the thing is, it is taken from where it most probably is.
    """
    things = [value for _, value in action.arguments if value in domain.objects]
    said = next((value for _, value in action.arguments if value in domain.places and domain.places[value].stores), "")
    if said:
        return said if things or _looks(domain, action) else ""
    kept = (max(usual, key=lambda place: usual[place]) for thing in things if (usual := domain.objects[thing].usual))
    return "" if action.argument("source") else next((place for place in kept if domain.places[place].stores), "")


def left_open(domain: Domain, actions: Sequence[Action], facts: Facts) -> str:
    """Say which stores are still open after actions that opened them to take something out; empty for none."""
    opened = [action.argument("theme") for action in actions if _goal(domain, action) == OPEN]
    stores = [store for store in opened if store in {store_of(domain, action) for action in actions} and (OPEN, (store,)) in facts]
    names = [domain.spoken(store) for store in dict.fromkeys(stores)]
    return " ".join(f"I left {name} open: my hand is full." for name in names) if any(name == HELD for name, _ in facts) else ""


def closing_after(domain: Domain, actions: Sequence[Action], facts: Facts) -> int | None:
    """Where, among these actions, the next closing of what is open is; None if there is none."""
    return next((index for index, action in enumerate(actions) if _closes(domain, action, facts)), None)


def _closes(domain: Domain, action: Action, facts: Facts) -> bool:
    return _goal(domain, action) == OPPOSITE[OPEN] and (OPEN, (action.argument("theme"),)) in facts


def _goal(domain: Domain, action: Action) -> str:
    """The predicate of the action's only goal."""
    goal = goal_of(domain, action)
    return next(iter(goal))[0] if len(goal) == 1 else ""


def _opened(domain: Domain, before: Sequence[Action], store: str) -> bool:
    """Whether the last of the actions before that moves the store's door opens it: the person has said so."""
    moved = [_goal(domain, each) for each in before if each.argument("theme") == store]
    return any(moved) and moved[-1] == OPEN


def _keeps(domain: Domain, action: Action) -> bool:
    """Whether the robot holds something when it is done."""
    return _goal(domain, action) == HELD


def _looks(domain: Domain, action: Action) -> bool:
    """Whether it is a look at a place."""
    senses = (skill for skill in domain.skills.values() if skill.arguments.get(skill.senses) == "place")
    return any(parse_literal(effect)[0] == _goal(domain, action) for skill in senses for effect in skill.effects)
