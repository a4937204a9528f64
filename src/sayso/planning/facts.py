"""Facts about the world as ground literals, and the domain's skills as operators on them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sayso.domain.model import Domain, Skill
from sayso.domain.vocabulary import ANY, parse_literal
from sayso.types import SkillCall

Fact = tuple[str, tuple[str, ...]]  # ("has", ("operator", "red_cup")); in a pattern "*" stands for any argument
Facts = frozenset[Fact]
_TOLD = re.compile(r"^(?P<name>[a-z_]+)\((?P<arguments>\w+(, \w+)*)\)$")


@dataclass(frozen=True, slots=True)
class GroundSkill:
    """A skill with its arguments, as an operator on facts."""

    call: SkillCall
    requires: Facts
    adds: Facts
    removes: Facts  # patterns
    failure_removes: Facts  # patterns
    success: float  # where it senses: P(it finds the thing | the thing is there)
    seconds: float  # duration without travel
    speed: float  # m/s, 0 for a skill that does not drive
    destination: str = ""  # place or person to drive to
    senses: str = ""  # object to look for
    false_alarm: float = 0.0  # P(it finds the thing | the thing is not there)

    @property
    def excluded(self) -> float:
        """The share of a place's probability that a look there takes away if it finds nothing (Bayes' rule)."""
        return 1.0 - (1.0 - self.success) / (1.0 - self.false_alarm)

    def succeed(self, facts: Facts) -> Facts:
        """The facts after success."""
        return without(facts, self.removes) | self.adds

    def fail(self, facts: Facts) -> Facts:
        """The facts after failure."""
        return without(facts, self.failure_removes)


def ground(literal: str, binding: Mapping[str, str]) -> Fact:
    """A literal with role names replaced by their values; names without a value are kept."""
    name, arguments = parse_literal(literal)
    return name, tuple(binding.get(argument, argument) for argument in arguments)


def told(text: str) -> Fact | None:
    """A fact as the robot tells it: "open(shelf_2)"; None for what is not one. Ids may have digits, unlike roles."""
    match = _TOLD.match(text)
    return (match["name"], tuple(match["arguments"].split(", "))) if match else None


def matches(pattern: Fact, fact: Fact) -> bool:
    """Whether the fact matches the pattern."""
    if pattern[0] != fact[0] or len(pattern[1]) != len(fact[1]):
        return False
    return all(wanted in (ANY, argument) for wanted, argument in zip(pattern[1], fact[1], strict=True))


def without(facts: Facts, patterns: Facts) -> Facts:
    """The facts that match none of the patterns."""
    return frozenset(fact for fact in facts if not any(matches(pattern, fact) for pattern in patterns))


def widened(domain: Domain, facts: Iterable[Fact]) -> Facts:
    """The facts and what follows from containment: at the counter means in the kitchen."""
    wide: set[Fact] = set()
    for name, arguments in facts:
        wide.add((name, arguments))
        if len(arguments) == 1:
            wide.update((name, (place,)) for place in domain.containing(arguments[0]))
    return frozenset(wide)


def events(domain: Domain) -> frozenset[str]:
    """Predicates that no skill removes: they are events (said, waited, turned …), not lasting states."""
    removable = {parse_literal(pattern)[0] for skill in domain.skills.values() for pattern in (*skill.removes, *skill.failure_removes)}
    return frozenset(parse_literal(effect)[0] for skill in domain.skills.values() for effect in skill.effects) - removable


def momentary(domain: Domain) -> frozenset[str]:
    """The skills with no lasting effect, such as a word or half a turn: nobody can see afterwards whether they were done.

    One that goes on until it is told to end is none of them: it can go on.
    """
    happen, skills = events(domain), domain.skills.items()
    return frozenset(
        name for name, skill in skills if not skill.until_told and {parse_literal(effect)[0] for effect in skill.effects} <= happen
    )


def ground_skill(domain: Domain, call: SkillCall) -> GroundSkill:
    """The operator for a call.

    Raises:
        KeyError: the domain has no such skill.
    """
    skill = domain.skills[call.name]
    binding = dict(call.arguments)
    surveys = bool(surveyed_place(domain, call))  # then `success` is of what it sees: it can always look
    return GroundSkill(
        call=call,
        requires=frozenset(ground(literal, binding) for literal in skill.requires),
        adds=_effects(domain, skill, binding),
        removes=frozenset(ground(pattern, binding) for pattern in skill.removes),
        failure_removes=frozenset(ground(pattern, binding) for pattern in skill.failure_removes),
        success=1.0 if surveys else skill.success,
        seconds=skill.seconds,
        speed=skill.speed,
        destination=_destination(skill, binding),
        senses="" if surveys else binding.get(skill.senses, ""),
        false_alarm=skill.false_alarm if skill.senses else 0.0,
    )


def surveyed_place(domain: Domain, call: SkillCall) -> str:
    """The place at which the call looks for all that is there; empty for any other call, and for one that the domain does not know."""
    skill = domain.skills.get(call.name)
    return call.argument(skill.senses) if skill is not None and skill.arguments.get(skill.senses) == "place" else ""


def _effects(domain: Domain, skill: Skill, binding: Mapping[str, str]) -> Facts:
    """The facts that hold after success: an open fridge is no open kitchen, but who is at the fridge is in the kitchen."""
    own = [literal for literal in skill.effects if set(parse_literal(literal)[1]) & skill.needs.keys()]
    others = [literal for literal in skill.effects if literal not in own]
    return widened(domain, (ground(literal, binding) for literal in others)) | {ground(literal, binding) for literal in own}


def _destination(skill: Skill, binding: Mapping[str, str]) -> str:
    if not skill.speed:
        return ""
    return next((binding[role] for role, kind in skill.arguments.items() if kind in ("place", "person") and role in binding), "")


def position(domain: Domain, entity_id: str) -> tuple[float, float] | None:
    """The robot's position at a place or at a person's most usual place (m, map frame); None if unknown."""
    if entity_id in domain.people:
        usual = domain.people[entity_id].usual
        entity_id = max(usual, key=lambda place: usual[place]) if usual else ""
    place = domain.places.get(entity_id)
    return place.pose[:2] if place else None


def travel_seconds(start: tuple[float, float] | None, end: tuple[float, float] | None, speed: float) -> float:
    """Travel time in a straight line, s; 0 if an end is unknown. Walls are ignored, as they rarely change the order of near and far."""
    if start is None or end is None or not speed:
        return 0.0
    return math.dist(start, end) / speed
