"""Resolves the words of an answer to entities, and to one of several actions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sayso.domain.intents import RoleSpec
from sayso.domain.model import Domain
from sayso.domain.vocabulary import EntityKind
from sayso.domain.wording import ARTICLES, arguments_that_differ, called, spoken_action
from sayso.types import Action, ObjectBelief

Whereabouts = Mapping[str, ObjectBelief]  # by object id; for objects without an entry, the domain's `usual` applies

_IN_ORDER = (("first", "one", "1"), ("second", "two", "2"), ("third", "three", "3"), ("fourth", "four", "4"), ("fifth", "five", "5"))
ORDINALS = {word: index for index, words in enumerate(_IN_ORDER) for word in words} | {"last": -1, "former": 0, "latter": -1}
_FILLERS = re.compile(
    r"\b(?:the|a|an|please|number|option|i mean|i meant|i want|from|on|onto|in|into|inside|to|at|near|by|it|put|bring|me|for|of|course)\b"
)
_PLACED = re.compile(r"^(?P<what>.*?) ?\b(?:that is |that's |which is )?(?:on|in|at|by|from|near|next to|inside) (?P<place>.+)$")
_ONE = ("one", "ones")


def option(domain: Domain, options: Sequence[Action], kin: Sequence[Action], phrase: str) -> Action | None:
    """The option that the words pick by ordinal, name or distinguishing words; else such an action among `kin`."""
    words = _words(phrase)
    order = [word for word in words if word not in _ONE] or words
    if len(order) == 1 and order[0] in ORDINALS and len(options) > 1:
        index = ORDINALS[order[0]]
        return options[index] if index < len(options) else None
    for among in (options, kin):
        fitting = named(domain, among, phrase)
        if len(fitting) == 1:
            return fitting[0]
    return None


def named(domain: Domain, among: Sequence[Action], phrase: str) -> list[Action]:
    """The actions that match every word."""
    words = {word for word in _words(phrase) if word not in _ONE}
    return [action for action in among if words and words <= _known_by(domain, action, among)]


def placed(domain: Domain, among: Sequence[Action], phrase: str, whereabouts: Whereabouts) -> dict[Action, float]:
    """P(action) by the place of its object ("the one on the table"), summing to 1; empty if the words name no place."""
    match = _PLACED.match(phrase)
    if match is None:
        return {}
    places = _places_called(domain, match["place"])
    what = [word for word in _words(match["what"]) if word not in _ONE]
    suited = named(domain, among, match["what"]) if what else among
    things = {action: next((value for _, value in action.arguments if value in domain.objects), "") for action in suited}
    mass = {action: _mass(domain, thing, places, whereabouts) for action, thing in things.items() if thing}
    total = sum(mass.values())
    return {action: p / total for action, p in mass.items() if p > 0.0} if total > 0.0 else {}


def with_value(domain: Domain, action: Action, role: str, phrase: str) -> list[Action]:
    """The action with that role filled, once per entity that the words name."""
    return [with_argument(action, role, value) for value in values(domain, action, role, phrase)]


def with_argument(action: Action, role: str, value: str) -> Action:
    """The action with that role filled."""
    return replace(action, arguments=tuple(sorted({**dict(action.arguments), role: value}.items())))


def changed(domain: Domain, action: Action, phrase: str) -> list[Action]:
    """The action with one argument replaced by an entity that the words name; if several roles could take it, the first."""
    source_first = phrase.startswith("from ")
    roles = sorted((role for role, _ in action.arguments), key=lambda role: (role == "source") != source_first)
    for role in roles:
        found = [other for other in with_value(domain, action, role, phrase) if other != action] or _siblings(domain, action, role, phrase)
        if found:
            return found
    return []


def values(domain: Domain, action: Action, role: str, phrase: str) -> list[str]:
    """The entities of the role's kinds with the longest name or category in the words; the words must name nothing else."""
    specs = role_specs(domain, action, role)
    kinds = {kind for spec in specs for kind in spec.kinds}
    if kinds and kinds <= {"words"}:
        return [phrase] if phrase else []
    if "person" in kinds and re.fullmatch(r"(?:to |for )?(?:me|myself)", phrase):
        return [domain.speaker]
    surface = any(spec.surface for spec in specs)
    found: dict[str, list[str]] = {}
    for entity_id, names in _names(domain, kinds):
        if surface and entity_id in domain.places and not domain.places[entity_id].takes:
            continue
        for name in names:
            rest, times = re.subn(rf"\b{re.escape(name)}\b", " ", phrase)
            if times and not _words(rest):  # further words would make it a sentence, not an answer
                found.setdefault(name, []).append(entity_id)
    return list(dict.fromkeys(found[max(found, key=len)])) if found else []


def role_specs(domain: Domain, action: Action, role: str) -> list[RoleSpec]:
    """The specifications of that role in all intents that may mean the action."""
    return [intent.roles[role] for intent in domain.intents.values() if action.name in intent.actions and role in intent.roles]


def fitting_entities(domain: Domain, action: Action, role: str) -> list[str]:
    """The entities that could fill that role, in the order of the domain file."""
    specs = role_specs(domain, action, role)
    surface = any(spec.surface for spec in specs)
    found = (entity for entity, _ in _names(domain, {kind for spec in specs for kind in spec.kinds}))
    return [entity for entity in found if not (surface and entity in domain.places and not domain.places[entity].takes)]


def kindred(domain: Domain, action: Action) -> list[Action]:
    """The action, once for each object of the category of its own."""
    role = next((role for role, value in action.arguments if value in domain.objects), "")
    category = domain.objects[action.argument(role)].category if role else ""
    return [
        replace(action, arguments=tuple(sorted({**dict(action.arguments), role: thing}.items())))
        for thing, spec in domain.objects.items()
        if role and spec.category == category
    ]


def _siblings(domain: Domain, action: Action, role: str, phrase: str) -> list[Action]:
    """The action with another object of the same category, picked by its attributes: "the blue one"."""
    if action.argument(role) not in domain.objects:
        return []
    return [other for other in named(domain, kindred(domain, action), phrase) if other != action]


def _known_by(domain: Domain, action: Action, among: Sequence[Action]) -> set[str]:
    """The words that distinguish this action from the others."""
    words = set(_words(spoken_action(domain, action))) if len({other.name for other in among}) > 1 else set()
    for role in arguments_that_differ(among) if len(among) > 1 else [role for role, _ in action.arguments]:
        value = action.argument(role)
        entity = domain.entity(value)
        names = (*entity.names, called(domain, value)) if entity else (value,)
        words.update(word for name in names for word in _words(name.lower()))
        if value in domain.objects:
            words.update(domain.objects[value].attributes.values(), _words(domain.objects[value].category))
    return words


def _places_called(domain: Domain, phrase: str) -> set[str]:
    """The places that the words may mean, such as every table for "the table", and all places inside them."""
    words = set(_words(phrase))
    called_so = {
        place for place, entity in domain.places.items() if words and any(words <= set(name.split()) for name in entity.known_as(place))
    }
    found = set(called_so)
    for place in domain.places:
        outer = place
        while outer in domain.places and outer not in called_so:
            outer = domain.places[outer].inside
        if outer in called_so:
            found.add(place)
    return found


def _mass(domain: Domain, thing: str, places: set[str], whereabouts: Whereabouts) -> float:
    """P(the object is in one of these places)."""
    belief = whereabouts.get(thing)
    if belief is not None:
        return float(sum(p for place, p in zip(belief.places, belief.probabilities.tolist(), strict=True) if place in places))
    usual = domain.objects[thing].usual
    return sum(weight for place, weight in usual.items() if place in places) / sum(usual.values()) if usual else 0.0


def _names(domain: Domain, kinds: set[EntityKind]) -> Iterable[tuple[str, tuple[str, ...]]]:
    if "place" in kinds:
        yield from ((place, entity.known_as(place)) for place, entity in domain.places.items())
    if "person" in kinds:
        yield from ((person, entity.known_as(person)) for person, entity in domain.people.items())
    if "object" in kinds:
        yield from ((thing, (*entity.known_as(thing), entity.category)) for thing, entity in domain.objects.items())


def _words(text: str) -> list[str]:
    for article in ARTICLES:
        text = text.removeprefix(article)
    return _FILLERS.sub(" ", text).split()
