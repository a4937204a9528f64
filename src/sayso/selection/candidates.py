"""What a clause may ask for: actions with their arguments, from its roles, the domain and the context."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sayso.domain.model import Domain, RoleSpec, parse_literal
from sayso.domain.wording import called, definite
from sayso.types import Action, Clause, Context, Role

NAME_SCALE = 0.05  # of score: a name that fits so much worse than the best one is e times less probable
P_UNUSED_ROLE = 0.1  # of a phrase in the clause that the intent has no role for, against one that it has
P_MISSING_ROLE = 0.3  # of leaving out what the intent requires, against saying it
VAGUE = frozenset({"something", "anything", "it", "that", "this", "them", "one", "thing", "stuff", "somewhere", "there", "someone"})
P_STRAY = 0.05  # of naming a source where the thing never is
READINGS = 24  # at most, of one clause by one intent


@dataclass(frozen=True, slots=True)
class Reading:
    """A clause read as one intent with certain arguments."""

    arguments: tuple[tuple[str, str], ...]  # sorted by role; a role that is missing is left out
    match: float  # λ: how well the words fit, up to a factor common to the clause
    objection: str = ""  # why it cannot be done as said: "I don't know the garage."


Filling = tuple[str, float]  # (value, λ); the value is empty where the role has none


def readings(domain: Domain, clause: Clause, intent: str, context: Context) -> tuple[Reading, ...]:
    """Every way to fill the roles of that intent from the clause, best first."""
    specs = domain.intents[intent].roles if intent in domain.intents else {}
    match = P_UNUSED_ROLE ** sum(role.name not in specs for role in clause.roles)
    objection = ""
    fillings: list[list[tuple[str, Filling]]] = []
    for name, spec in specs.items():
        role = clause.role(name)
        if role and not role.candidates and role.text in VAGUE:
            # It names nothing that was spoken of: what is in the hand, or else as good as not said.
            options = [(context.holding, 1.0)] if context.holding and "object" in spec.kinds else _default(domain, spec, context)
            role = None
        else:
            options = _filled(domain, role, spec) if role else _default(domain, spec, context)
        if role and not options:
            objection = objection or _objection(domain, role, spec)
        elif not options and spec.required:
            match *= P_MISSING_ROLE
        fillings.append([(name, option) for option in options or [("", 1.0)]])
    found = [_reading(domain, chosen, match, objection) for chosen in itertools.islice(itertools.product(*fillings), READINGS)]
    return tuple(sorted(found, key=lambda reading: -reading.match))


def completed(domain: Domain, name: str, arguments: tuple[tuple[str, str], ...]) -> Action:
    """The action of that name with these arguments and, for the roles of its goal that have none, the action's defaults."""
    spec = domain.actions[name]
    table = {**spec.defaults, **dict(arguments)}
    return Action(name, tuple(sorted(table.items())))


def missing_roles(domain: Domain, action: Action) -> tuple[str, ...]:
    """The roles of its goal that the action has no value for."""
    held = dict(action.arguments)
    needed = [role for literal in domain.actions[action.name].goal for role in parse_literal(literal)[1]]
    return tuple(dict.fromkeys(role for role in needed if role not in held))


def goal(domain: Domain, action: Action) -> frozenset[tuple[str, tuple[str, ...]]]:
    """What the action brings about, as ground literals: two actions with one goal are the same thing done. Empty: no skill for it."""
    held = dict(action.arguments)
    literals = (parse_literal(literal) for literal in domain.actions[action.name].goal)
    return frozenset((predicate, tuple(held.get(role, "") for role in roles)) for predicate, roles in literals)


def achievable(domain: Domain, action: Action) -> bool:
    """Is there a skill for every part of its goal, and for things of this kind? ("find" looks for objects, not for people.)"""
    literals = domain.actions[action.name].goal
    return bool(literals) and all(_has_skill(domain, literal, dict(action.arguments)) for literal in literals)


def _has_skill(domain: Domain, literal: str, arguments: Mapping[str, str]) -> bool:
    predicate, roles = parse_literal(literal)
    for skill in domain.skills.values():
        for effect in skill.effects:
            name, names = parse_literal(effect)
            if name == predicate and len(names) == len(roles):
                kinds = [skill.arguments.get(argument, "") for argument in names]
                if all(_is_a(domain, arguments.get(role, ""), kind) for role, kind in zip(roles, kinds, strict=True)):
                    return True
    return False


def _is_a(domain: Domain, value: str, kind: str) -> bool:
    """Can the value stand where that kind is wanted? An empty one still can."""
    owners: dict[str, Mapping[str, object]] = {"place": domain.places, "object": domain.objects, "person": domain.people}
    return not value or kind not in owners or value in owners[kind]


def _filled(domain: Domain, role: Role, spec: RoleSpec) -> list[Filling]:
    """The values that the phrase may mean, with λ = exp((score − best) / scale); none where it names nothing of these kinds."""
    if role.kind not in _ENTITIES:
        value = f"{role.value:g}" if math.isfinite(role.value) else role.entity or role.text
        return [(value, 1.0)] if role.kind in spec.kinds or "words" in spec.kinds else []
    scored = list(role.candidates) or [(role.entity, role.score)]
    kinds = [kind for kind in spec.kinds if kind in _ENTITIES]
    fitting = [(entity, score) for entity, score in scored if entity and any(_is_a(domain, entity, kind) for kind in kinds)]
    if not fitting:
        return [(role.text, 1.0)] if "words" in spec.kinds else []
    best = max(score for _, score in fitting)
    return [(value, math.exp((score - best) / NAME_SCALE)) for entity, score in fitting for value in _bearing(domain, entity, spec)]


_ENTITIES = ("place", "object", "person")


def _bearing(domain: Domain, entity: str, spec: RoleSpec) -> Iterator[str]:
    """The entity itself, or, where a surface is needed and it is none, the surfaces inside ("put it in the kitchen")."""
    place = domain.places.get(entity)
    if not spec.surface or place is None or place.surface:
        yield entity
        return
    yield from (inner for inner, inside in domain.places.items() if inside.surface and domain.places[inner].inside == entity)


def _objection(domain: Domain, role: Role, spec: RoleSpec) -> str:
    if role.entity in domain.places and spec.surface:
        return f"I can't put anything on {called(domain, role.entity)}."
    if domain.entity(role.entity):
        return f"I can't do that with {called(domain, role.entity)}."
    return f"I don't know {definite(role.text, role.kind)}."


def _default(domain: Domain, spec: RoleSpec, context: Context) -> list[Filling]:
    value = (context.speaker or domain.speaker) if spec.default == "speaker" else spec.default
    return [(value, 1.0)] if value else []


def _reading(domain: Domain, chosen: tuple[tuple[str, Filling], ...], match: float, objection: str) -> Reading:
    arguments = {role: value for role, (value, _) in chosen if value}
    words = math.prod(fit for _, (_, fit) in chosen)
    theme, source = arguments.get("theme", ""), arguments.get("source", "")
    return Reading(tuple(sorted(arguments.items())), match * words * _agreement(domain, theme, source), objection)


def _agreement(domain: Domain, theme: str, source: str) -> float:
    """λ of saying "from the kitchen" of a thing: how much of where it tends to be is there; 1 where nothing is known or said."""
    thing = domain.objects.get(theme)
    if thing is None or not thing.usual or source not in domain.places:
        return 1.0
    total = sum(thing.usual.values())
    inside = sum(weight for place, weight in thing.usual.items() if _inside(domain, place, source))
    return P_STRAY + (1.0 - P_STRAY) * inside / total


def _inside(domain: Domain, place: str, outer: str) -> bool:
    while place != outer and domain.places[place].inside:
        place = domain.places[place].inside
    return place == outer
