"""What holds in the world, as ground literals, and the domain's skills with their arguments filled in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sayso.domain.model import ANY, Domain, Skill, parse_literal
from sayso.types import SkillCall

Fact = tuple[str, tuple[str, ...]]  # ("has", ("operator", "red_cup")); in a pattern "*" stands for any argument
Facts = frozenset[Fact]


@dataclass(frozen=True, slots=True)
class GroundSkill:
    """A skill with its arguments, as an operator on facts."""

    call: SkillCall
    requires: Facts
    adds: Facts
    removes: Facts  # patterns
    failure_removes: Facts  # patterns
    success: float  # where it senses: P(it finds the thing | the thing is there)
    seconds: float  # without the way
    speed: float  # m/s, 0 for a skill that stays where it is
    destination: str = ""  # place or person it drives to
    senses: str = ""  # object it looks for

    def succeed(self, facts: Facts) -> Facts:
        """What holds after it succeeded."""
        return without(facts, self.removes) | self.adds

    def fail(self, facts: Facts) -> Facts:
        """What holds after it failed."""
        return without(facts, self.failure_removes)


def ground(literal: str, binding: Mapping[str, str]) -> Fact:
    """A literal over role names with their values put in; names without a value stand for themselves."""
    name, arguments = parse_literal(literal)
    return name, tuple(binding.get(argument, argument) for argument in arguments)


def matches(pattern: Fact, fact: Fact) -> bool:
    """Is the fact of that pattern?"""
    if pattern[0] != fact[0] or len(pattern[1]) != len(fact[1]):
        return False
    return all(wanted in (ANY, argument) for wanted, argument in zip(pattern[1], fact[1], strict=True))


def without(facts: Facts, patterns: Facts) -> Facts:
    """The facts of none of those patterns."""
    return frozenset(fact for fact in facts if not any(matches(pattern, fact) for pattern in patterns))


def containing(domain: Domain, place: str) -> Iterator[str]:
    """The place itself and every place around it, inside out; nothing for what is no place."""
    while place in domain.places:
        yield place
        place = domain.places[place].inside


def widened(domain: Domain, facts: Iterable[Fact]) -> Facts:
    """With what follows from containment: who is at the counter is in the kitchen."""
    wide: set[Fact] = set()
    for name, arguments in facts:
        wide.add((name, arguments))
        if len(arguments) == 1:
            wide.update((name, (place,)) for place in containing(domain, arguments[0]))
    return frozenset(wide)


def events(domain: Domain) -> frozenset[str]:
    """Predicates that no skill removes: they happen (said, waited, turned …) and are no state that could still hold."""
    removable = {parse_literal(pattern)[0] for skill in domain.skills.values() for pattern in (*skill.removes, *skill.failure_removes)}
    return frozenset(parse_literal(effect)[0] for skill in domain.skills.values() for effect in skill.effects) - removable


def ground_skill(domain: Domain, call: SkillCall) -> GroundSkill:
    """The operator that a call stands for.

    Raises:
        KeyError: the domain has no such skill.
    """
    skill = domain.skills[call.name]
    binding = dict(call.arguments)
    return GroundSkill(
        call=call,
        requires=frozenset(ground(literal, binding) for literal in skill.requires),
        adds=widened(domain, (ground(literal, binding) for literal in skill.effects)),
        removes=frozenset(ground(pattern, binding) for pattern in skill.removes),
        failure_removes=frozenset(ground(pattern, binding) for pattern in skill.failure_removes),
        success=skill.success,
        seconds=skill.seconds,
        speed=skill.speed,
        destination=_destination(skill, binding),
        senses=binding.get(skill.senses, ""),
    )


def _destination(skill: Skill, binding: Mapping[str, str]) -> str:
    if not skill.speed:
        return ""
    return next((binding[role] for role, kind in skill.arguments.items() if kind in ("place", "person") and role in binding), "")


def position(domain: Domain, entity_id: str) -> tuple[float, float] | None:
    """Where the robot stands to be there (m, map frame); of a person, at the place where they mostly are; None if unknown."""
    if entity_id in domain.people:
        usual = domain.people[entity_id].usual
        entity_id = max(usual, key=lambda place: usual[place]) if usual else ""
    place = domain.places.get(entity_id)
    return place.pose[:2] if place else None


def travel_seconds(start: tuple[float, float] | None, end: tuple[float, float] | None, speed: float) -> float:
    """Time of the straight way, s; 0 where an end is unknown. Walls make it longer, but keep the order of near and far."""
    if start is None or end is None or not speed:
        return 0.0
    return math.dist(start, end) / speed
