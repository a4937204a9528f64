"""The meaning of a generated sentence: the right actions, from its template and slots, not from a classifier."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.domain import Domain
from sayso.domain.intents import IntentSpec, RoleSpec
from sayso.domain.sentences import SLOT, Sentence, Slot
from sayso.domain.vocabulary import parse_literal
from sayso.intent.measures import heading, measure, usual_unit
from sayso.intent.normalise import normalise
from sayso.selection.choosing.outcomes import Abilities, outcomes_of
from sayso.selection.choosing.table import CandidateTable
from sayso.types import Action, Role

ANYTHING = "*"  # an argument that may have any value, such as the words said
PLACES = frozenset(("place", "room", "furniture", "spot", "surface"))
THINGS = frozenset(("object", "category"))
AWAY = frozenset(("from", "off"))  # prepositions before a source
Goal = frozenset[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The wanted action or actions."""

    actions: tuple[Action, ...]  # any of them is right; empty: no request
    possible: bool  # whether this robot can do it
    roles: tuple[Role, ...] = ()  # as a perfect classifier finds them
    in_hand: bool = False  # the theme is the held thing: "put it on the desk"


def goal_of(domain: Domain, action: Action) -> Goal:
    """The action's goal as ground literals, "" for a missing argument; without a goal, the action's name.

    Two actions with the same goal have the same effect.
    """
    held = dict(action.arguments)
    literals = (parse_literal(literal) for literal in domain.actions[action.name].goal)
    return frozenset((name, tuple(held.get(role, "") for role in roles)) for name, roles in literals) or frozenset(((action.name, ()),))


def able(domain: Domain, found: Sequence[Meaning]) -> list[Meaning]:
    """The meanings, marked impossible where the robot has no skill for them."""
    if not found:
        return []
    table = CandidateTable.of(domain, [meaning.actions[0] for meaning in found])
    outcomes = outcomes_of(Abilities.of(domain), table, np.ones(len(table)), np.zeros(len(table), np.int64))
    return [
        replace(meaning, possible=meaning.possible and bool(can))
        for meaning, can in zip(found, outcomes.possible[outcomes.of], strict=True)
    ]


def meanings(domain: Domain, sentence: Sentence, action: str) -> Iterator[Meaning]:
    """Every possible meaning of the sentence as that action: "the cup" is one of the cups, "a cup" is any."""
    spec = domain.intents[sentence.intent]
    found = _roles(spec, sentence)
    said = {role: slot for role, slot in found.items() if slot.name in THINGS | PLACES | {"person"}}
    choices = [(role, _entities(domain, slot)) for role, slot in said.items()]
    any_of = {role for role, slot in said.items() if not slot.entity and slot.text.startswith(("a ", "an "))}
    roles = tuple(_heard(domain, role, slot) for role, slot in said.items()) + _measured(spec, sentence)
    fixed = {role.name: f"{role.value:g}" if math.isfinite(role.value) else role.entity for role in roles if role.name not in said}
    fixed |= {name: _named(domain, sentence.text) for name, role in spec.roles.items() if _in_words(role) and name not in said}
    sets = [[values] if role in any_of else [(value,) for value in values] for role, values in choices]
    for values in itertools.product(*sets):
        yield meant(domain, spec, action, dict(zip(said, values, strict=True)), fixed, roles)


def same_said(domain: Domain) -> dict[tuple[str, str], Action]:
    """(intent, entity) → the other action with the same words, from an example of another intent.

    "Go to the charger" is an example of dock, and a case of "go to the {place}": both meanings are right.
    """
    literal = [(text, name) for name, spec in domain.intents.items() for text in spec.examples if "{" not in text]
    names = {name: key for group in (domain.places, domain.objects, domain.people) for key, each in group.items() for name in each.names}
    found: dict[tuple[str, str], Action] = {}
    for intent, spec in domain.intents.items():
        for template in spec.examples:
            if len(SLOT.findall(template)) != 1:
                continue
            pattern = re.compile("(.+)".join(map(re.escape, SLOT.sub("\0", template).split("\0"))))
            for text, other in literal:
                match = pattern.fullmatch(text) if other != intent else None
                if match and match[1] in names:
                    action = max(domain.intents[other].actions, key=domain.intents[other].actions.__getitem__)
                    found[intent, names[match[1]]] = Action(action, tuple(domain.actions[action].defaults.items()))
    return found


def _roles(spec: IntentSpec, sentence: Sentence) -> dict[str, Slot]:
    """The slot that fills each role of the intent."""
    found: dict[str, Slot] = {}
    for slot in sentence.slots:
        kind = "object" if slot.name in THINGS else "place" if slot.name in PLACES else slot.name
        fitting = [role for role, held in spec.roles.items() if kind in held.kinds and role not in found]
        if kind == "person" and len(fitting) > 1:
            fitting = [role for role in fitting if role == "recipient"] or fitting
        if kind == "place" and "source" in spec.roles:
            before = sentence.text[: slot.start].split()
            away = bool(before) and before[-1] in AWAY
            fitting = [role for role in fitting if (role == "source") == (away or "goal" not in spec.roles)]
        role = slot.role if slot.role in spec.roles else next(iter(fitting), "")
        if role:
            found[role] = slot
    return found


def _entities(domain: Domain, slot: Slot) -> tuple[str, ...]:
    if slot.entity:
        return (slot.entity,)
    return tuple(key for key, thing in domain.objects.items() if slot.text.split()[-1] in (thing.category, f"{thing.category}s"))


def _in_words(role: RoleSpec) -> bool:
    """Whether examples may name it in words of their own, without a slot: "open the window", "open the fridge"."""
    return "words" in role.kinds and len(role.kinds) > 1


def _named(domain: Domain, text: str) -> str:
    """The place that the words name, by the longest of its names; ANYTHING if the home does not have it."""
    found = [(len(name), key) for key, place in domain.places.items() for name in place.names if f" {name} " in f" {text} "]
    return max(found)[1] if found else ANYTHING


def _heard(domain: Domain, role: str, slot: Slot) -> Role:
    kind = "object" if slot.name in THINGS else "person" if slot.name == "person" else "place"
    candidates = tuple((entity, 1.0) for entity in _entities(domain, slot))
    return Role(role, slot.text, slot.start, slot.end, candidates[0][0] if candidates else "", kind, 1.0, candidates)


def _measured(spec: IntentSpec, sentence: Sentence) -> tuple[Role, ...]:
    """Quantities and directions, found in the words by rules."""
    text = normalise(sentence.text)
    found = []
    for name, role in spec.roles.items():
        if "quantity" in role.kinds and (much := measure(text, usual_unit(spec.examples))):
            span = text[much.start : much.end]
            found.append(Role(name, span, much.start, much.end, kind="quantity", score=1.0, value=much.value, unit=much.unit))
        if "direction" in role.kinds and (way := heading(text)):
            span, where = text[way.start : way.end], ((way.direction, 1.0),)
            found.append(Role(name, span, way.start, way.end, way.direction, "direction", 1.0, where))
    return tuple(found)


def meant(
    domain: Domain, spec: IntentSpec, action: str, said: dict[str, tuple[str, ...]], fixed: dict[str, str], roles: tuple[Role, ...] = ()
) -> Meaning:
    """The action with any of the entities in `said` for a role, the value in `fixed`, and defaults for the others.

    Does not check whether the robot has a skill for it: see `able`.
    """
    defaults = {name: domain.speaker if role.default == "speaker" else role.default for name, role in spec.roles.items() if role.default}
    words = {name: ANYTHING for name, role in spec.roles.items() if role.kinds == ("words",)}
    plain = {**domain.actions[action].defaults, **defaults, **fixed, **words}
    choices, objected = dict(said), False
    for name, values in said.items():
        if spec.roles[name].surface:
            choices[name] = tuple(surface for place in values for surface in _surfaces(domain, place))
            objected |= not choices[name]
            choices[name] = choices[name] or ("",)
    actions = tuple(
        Action(
            action, tuple(sorted((role, value) for role, value in {**plain, **dict(zip(choices, values, strict=True))}.items() if value))
        )
        for values in itertools.product(*choices.values())
    )
    needed = {role for _, names in map(parse_literal, domain.actions[action].goal) for role in names}
    in_hand = "theme" in needed and "theme" not in said and "theme" not in fixed
    return Meaning(actions, not objected, roles, in_hand)


def _surfaces(domain: Domain, place: str) -> tuple[str, ...]:
    """The place itself if things can be put on it, else the surfaces inside."""
    if domain.places[place].surface:
        return (place,)
    return tuple(inner for inner, inside in domain.places.items() if inside.surface and inside.inside == place)
