"""Backward search for the skill calls that can contribute to a goal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from sayso.domain.model import Domain, Skill
from sayso.domain.vocabulary import ANY, parse_literal
from sayso.planning.basket import is_sensible
from sayso.planning.belief import WorldBelief
from sayso.planning.facts import Fact, Facts, GroundSkill, ground, ground_skill, position
from sayso.planning.where import ELSEWHERE
from sayso.types import Action, SkillCall


def goal_of(domain: Domain, action: Action) -> Facts:
    """The facts that the action aims for; empty if the domain has no such action."""
    spec = domain.actions.get(action.name)
    return frozenset(ground(literal, dict(action.arguments)) for literal in spec.goal) if spec else frozenset()


def relevant_skills(domain: Domain, goal: Facts, belief: WorldBelief, action: Action | None = None) -> tuple[GroundSkill, ...]:
    """Every skill call that achieves the goal or a precondition of such a call, and the drives to places where an object may be.

    Optional arguments of skills are those of the action.
    """
    said = dict(action.arguments) if action else {}
    calls: dict[SkillCall, GroundSkill] = {}
    wanted, met = list(goal), set(goal)
    while wanted:
        fact = wanted.pop()
        for call in _achievers(domain, fact, belief, said):
            if call in calls:
                continue
            skill = calls[call] = ground_skill(domain, call)
            new = [required for required in sorted(skill.requires) if required not in met]
            wanted.extend(new)
            met.update(new)
            if skill.senses:
                calls.update((drive.call, drive) for drive in _drives(domain, hiding_places(skill.senses, belief)))
    return tuple(calls.values())


def hiding_places(object_id: str, belief: WorldBelief) -> tuple[str, ...]:
    """The places worth a look, most probable first, then nearest first."""
    whereabouts = belief.objects.get(object_id)
    if whereabouts is None:
        return ()
    open_places = [
        (-round(float(p), 9), math.dist(position(belief.domain, place) or belief.xy, belief.xy), place)
        for place, p in zip(whereabouts.places, whereabouts.probabilities, strict=True)
        if place != ELSEWHERE and p > 0.0 and belief.worth_looking(object_id, place)
    ]
    return tuple(place for *_, place in sorted(open_places))


def _achievers(domain: Domain, fact: Fact, belief: WorldBelief, said: Mapping[str, str]) -> Iterator[SkillCall]:
    for name, skill in domain.skills.items():
        for effect in skill.effects:
            binding = _unified(skill, effect, fact)
            if binding is not None and _kinds_fit(domain, skill, binding):
                optional = {role: said[role] for role in skill.optional if role in said}
                calls = _completed(domain, name, skill, {**optional, **binding}, belief)
                yield from (call for call in calls if is_sensible(domain, call, belief.facts))


def _unified(skill: Skill, effect: str, fact: Fact) -> dict[str, str] | None:
    """The arguments that unify the effect with the fact, or None."""
    predicate, names = parse_literal(effect)
    if predicate != fact[0] or len(names) != len(fact[1]) or ANY in fact[1]:
        return None
    binding = dict(zip(names, fact[1], strict=True))
    return binding if all(name in skill.arguments for name in names) else None


def _kinds_fit(domain: Domain, skill: Skill, binding: dict[str, str]) -> bool:
    owners = domain.by_kind
    fits = (value in owners[skill.arguments[role]] for role, value in binding.items() if skill.arguments[role] in owners)
    able = (domain.able(binding[role], ability) for role, ability in skill.needs.items() if role in binding)
    return all(fits) and all(able) and all(domain.places[value].takes for role, value in binding.items() if _needs_surface(skill, role))


def _needs_surface(skill: Skill, role: str) -> bool:
    """Whether the skill leaves an object on that place, which must then be a surface."""
    if skill.arguments[role] != "place":
        return False
    pairs = (parse_literal(effect)[1] for effect in skill.effects)
    return any(role in names and any(skill.arguments.get(name) == "object" for name in names) for names in pairs)


def _completed(domain: Domain, name: str, skill: Skill, binding: dict[str, str], belief: WorldBelief) -> Iterator[SkillCall]:
    """Fill the arguments that the effect leaves open: an object to be released goes to the nearest surface, never to a person."""
    held = next((arguments[0] for predicate, arguments in belief.facts if predicate == "holding"), "")
    for role in skill.arguments:
        if role in binding or role in skill.optional:
            continue
        value = {"object": held, "place": nearest_surface(domain, belief)}.get(skill.arguments[role], "")
        if not value:
            return
        binding = {**binding, role: value}
    yield SkillCall(name, tuple((role, binding[role]) for role in skill.arguments if role in binding))


def nearest_surface(domain: Domain, belief: WorldBelief) -> str:
    """The surface nearest to the robot; empty if the domain has none."""
    surfaces = [place for place, spec in domain.places.items() if spec.surface]
    return min(surfaces, key=lambda place: math.dist(domain.places[place].pose[:2], belief.xy), default="")


def _drives(domain: Domain, places: tuple[str, ...]) -> Iterator[GroundSkill]:
    """The calls that drive to these places."""
    for name, skill in domain.skills.items():
        if skill.speed and tuple(skill.arguments.values()) == ("place",):
            role = next(iter(skill.arguments))
            for place in places:
                yield ground_skill(domain, SkillCall(name, ((role, place),)))
