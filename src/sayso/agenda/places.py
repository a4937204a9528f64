"""What an action entails: the facts that it needs and brings about, and the places that it leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sayso.domain.model import Domain, Skill
from sayso.domain.vocabulary import parse_literal
from sayso.types import Action

Fact = tuple[str, tuple[str, ...]]  # ("has", ("operator", "red_cup")); an empty argument is one that was not said


def inside(domain: Domain, place: str, area: str) -> bool:
    """Whether the place is that area or lies in it."""
    while place in domain.places:
        if place == area:
            return True
        place = domain.places[place].inside
    return False


def goal_of(domain: Domain, action: Action) -> frozenset[Fact]:
    """The facts that the action is to bring about, of the arguments that it has."""
    spec = domain.actions.get(action.name)
    return frozenset(_ground(domain, literal, dict(action.arguments)) for literal in spec.goal) if spec else frozenset()


def entailed(domain: Domain, action: Action, whereabouts: Mapping[str, str]) -> frozenset[Fact]:
    """The action's goal, and all that must hold on the way there by the requirements of the skills.

    Being where a thing or a person probably is belongs to it: the robot looks for things there.

    Args:
        domain: its skills lead to the goal.
        action: with all of its arguments.
        whereabouts: object → its place, where that is nearly certain; otherwise its usual place counts.
    """
    found: set[Fact] = set()
    waiting = list(goal_of(domain, action))
    while waiting:
        fact = waiting.pop()
        if fact not in found:
            found.add(fact)
            waiting += _needed_for(domain, fact, whereabouts)
    return frozenset(found)


def covers(domain: Domain, pattern: Fact, fact: Fact) -> bool:
    """Whether the fact is one of the pattern's: an argument that was not said fits any, and an area all places in it."""
    if pattern[0] != fact[0] or len(pattern[1]) != len(fact[1]):
        return False
    return all(not wanted or wanted == value or inside(domain, value, wanted) for wanted, value in zip(pattern[1], fact[1], strict=True))


def _needed_for(domain: Domain, fact: Fact, whereabouts: Mapping[str, str]) -> Iterator[Fact]:
    for skill in domain.skills.values():
        for effect in skill.effects:
            binding = _binding(effect, fact, skill)
            if binding is None:
                continue
            yield from (_ground(domain, literal, binding) for literal in skill.requires)
            goes_to = [binding[role] for role, kind in skill.arguments.items() if kind == "person" and skill.speed and role in binding]
            sought = [*goes_to, *([binding[skill.senses]] if binding.get(skill.senses) else [])]
            for entity in sought:
                if place := _likely_place(domain, entity, whereabouts):
                    yield from ((predicate, (place,)) for predicate in _arrivals(domain))


def _binding(effect: str, fact: Fact, skill: Skill) -> dict[str, str] | None:
    """The skill's arguments for which its effect is that fact; None if there are none."""
    name, arguments = parse_literal(effect)
    if name != fact[0] or len(arguments) != len(fact[1]):
        return None
    return {argument: value for argument, value in zip(arguments, fact[1], strict=True) if argument in skill.arguments}


def _arrivals(domain: Domain) -> frozenset[str]:
    """The predicates of being at a place: effects of skills that drive to it."""
    return frozenset(
        parse_literal(effect)[0]
        for skill in domain.skills.values()
        for effect in skill.effects
        if skill.speed and [skill.arguments.get(argument) for argument in parse_literal(effect)[1]] == ["place"]
    )


def _likely_place(domain: Domain, entity: str, whereabouts: Mapping[str, str]) -> str:
    """Where it is, or usually is more than half of the time; empty if neither is known."""
    if entity in whereabouts:
        return whereabouts[entity]
    holder = domain.objects.get(entity) or domain.people.get(entity)
    usual = holder.usual if holder else {}
    best = max(usual, key=lambda place: usual[place], default="")
    return best if best and usual[best] > 0.5 * sum(usual.values()) else ""


def _ground(domain: Domain, literal: str, binding: Mapping[str, str]) -> Fact:
    """The literal with values for its arguments; constants stay, and an argument without a value is empty."""
    name, arguments = parse_literal(literal)
    return name, tuple(binding.get(argument, argument if domain.entity(argument) else "") for argument in arguments)
