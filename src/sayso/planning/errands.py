"""Errands: actions that take one thing to a person or a place. Those of one sentence can be carried together, if the robot has a basket."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sayso.domain.model import Domain
from sayso.domain.vocabulary import parse_literal
from sayso.planning.basket import HOLDING, STOWED, held, room, stowed
from sayso.planning.belief import WorldBelief
from sayso.planning.facts import Fact, Facts, ground
from sayso.types import Action

MOST = 4  # errands in one plan: all their orders are compared, 336 for four


@dataclass(frozen=True, slots=True)
class Errand:
    """An action that takes a thing somewhere."""

    action: Action
    thing: str  # object id
    target: str  # person or place
    goal: Fact


def errand_of(domain: Domain, action: Action) -> Errand | None:
    """The action as an errand; None if it is none: its one goal must relate a thing to a person or place, by a skill that lets go of it."""
    spec = domain.actions.get(action.name)
    if spec is None or len(spec.goal) != 1:
        return None
    goal = ground(spec.goal[0], dict(action.arguments))
    things = [argument for argument in goal[1] if argument in domain.objects]
    targets = [argument for argument in goal[1] if argument in domain.people or argument in domain.places]
    if len(things) != 1 or len(targets) != 1 or not _carried(domain, goal[0]):
        return None
    return Errand(action, things[0], targets[0], goal)


def can_stow(domain: Domain) -> bool:
    """Whether the robot has a basket, and skills to use it."""
    effects = {parse_literal(effect)[0] for skill in domain.skills.values() for effect in skill.effects}
    requires = {parse_literal(required)[0] for skill in domain.skills.values() for required in skill.requires}
    return domain.basket > 0 and STOWED in effects and STOWED in requires


def together(domain: Domain, actions: Sequence[Action], belief: WorldBelief) -> tuple[Action, ...]:
    """The first of the actions, with those after it that are done together: errands with different things, as many as can be carried.

    All of them fit into the hand and the basket at once, so no order of theirs can overfill it.
    """
    if not can_stow(domain):
        return tuple(actions[:1])
    places = room(domain, belief.facts) + (0 if held(belief.facts) else 1)
    chosen: list[Errand] = []
    for action in actions[:MOST]:
        errand = errand_of(domain, action)
        if errand is None or errand.thing in {other.thing for other in chosen}:
            break
        if len(_loads([*chosen, errand], belief.facts)) > places:
            break
        chosen.append(errand)
    return tuple(errand.action for errand in chosen) or tuple(actions[:1])


def _loads(errands: Sequence[Errand], facts: Facts) -> set[str]:
    """The things of the errands that are neither done nor carried yet."""
    carried = stowed(facts) | {held(facts)}
    return {errand.thing for errand in errands if errand.goal not in facts and errand.thing not in carried}


def _carried(domain: Domain, predicate: str) -> bool:
    """Whether a skill brings such a fact about with a thing that must be in the hand."""
    return any(
        predicate in {parse_literal(effect)[0] for effect in skill.effects}
        and HOLDING in {parse_literal(required)[0] for required in skill.requires}
        for skill in domain.skills.values()
        if not any(parse_literal(effect)[0] == STOWED for effect in skill.effects)
    )
