"""Contradictions of a domain file whose fields are each right: unknown names, sums that are off, weights that are all 0."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from sayso.domain.intents import RoleSpec
from sayso.domain.literals import wrong_literals
from sayso.domain.model import Domain
from sayso.domain.placeholders import wrong_placeholders
from sayso.domain.sentences import SLOTS
from sayso.yaml_source import Contradiction, Location, unknown


def contradictions(domain: Domain) -> Iterator[Contradiction]:
    """Every contradiction of the file."""
    if domain.speaker not in domain.people:
        yield ("speaker",), unknown("person", domain.speaker, domain.people)
    yield from chain(
        _of_containment(domain), _of_stores(domain), _of_whereabouts(domain), _of_ids(domain), _of_intents(domain), _of_priors(domain)
    )
    yield from wrong_literals(domain)
    yield from wrong_placeholders(domain)


def _of_containment(domain: Domain) -> Iterator[Contradiction]:
    for place_id, place in domain.places.items():
        if place.inside and place.inside not in domain.places:
            yield ("places", place_id, "inside"), unknown("place", place.inside, domain.places)
        outer, seen = place.inside, {place_id}
        while outer in domain.places and outer not in seen:
            seen.add(outer)
            outer = domain.places[outer].inside
        if outer in seen:
            yield ("places", place_id, "inside"), f"'{place_id}' is inside itself; name the room around it, or nothing"


def _of_stores(domain: Domain) -> Iterator[Contradiction]:
    for place_id, place in domain.places.items():
        if place.stores and not place.opens:
            yield ("places", place_id, "stores"), "things are kept behind a door that the robot opens; add `opens: true`"
        if place.stores and place.surface:
            yield ("places", place_id, "stores"), "things are kept on it or in it; give one of `surface` and `stores`"


def _of_whereabouts(domain: Domain) -> Iterator[Contradiction]:
    for section, entities in (("objects", domain.objects), ("people", domain.people)):
        for entity_id, entity in entities.items():
            for place_id in entity.usual:
                if place_id not in domain.places:
                    yield (section, entity_id, "usual", place_id), unknown("place", place_id, domain.places)
            if entity.usual and not any(entity.usual.values()):
                yield (section, entity_id, "usual"), "the weights are all 0; give one place a weight above 0, or leave `usual` out"
    for thing_id, thing in domain.objects.items():
        if thing.owner and thing.owner not in domain.people:
            yield ("objects", thing_id, "owner"), unknown("person", thing.owner, domain.people)


def _of_ids(domain: Domain) -> Iterator[Contradiction]:
    owner: dict[str, str] = {}
    for section, entities in (("places", domain.places), ("objects", domain.objects), ("people", domain.people)):
        for entity_id in entities:
            if owner.setdefault(entity_id, section) != section:
                yield (section, entity_id), f"the id is also used in {owner[entity_id]}; rename one of them"


def _of_intents(domain: Domain) -> Iterator[Contradiction]:
    for intent_id, intent in domain.intents.items():
        for action_id in intent.actions:
            if action_id not in domain.actions:
                yield ("intents", intent_id, "actions", action_id), unknown("action", action_id, domain.actions)
        for action_id in intent.verbs:
            if action_id not in intent.actions:
                yield ("intents", intent_id, "verbs", action_id), unknown("action of this intent", action_id, intent.actions)
        total = sum(intent.actions.values())
        if abs(total - 1.0) > 1e-6:
            yield ("intents", intent_id, "actions"), f"P(a | k) must sum to 1, this is {total:g}"
        if not intent.examples:
            yield ("intents", intent_id, "examples"), "an intent needs at least one example sentence"
        for role_id, role in intent.roles.items():
            yield from _of_values(("intents", intent_id, "roles", role_id), role)
            names_entity = not {"words", "direction", "quantity"}.intersection(role.kinds)
            if role.default not in ("", "speaker") and names_entity and domain.entity(role.default) is None:
                known = {*domain.places, *domain.objects, *domain.people, "speaker"}
                yield ("intents", intent_id, "roles", role_id, "default"), unknown("entity", role.default, known)


def _of_values(location: Location, role: RoleSpec) -> Iterator[Contradiction]:
    """Values are words, and their role's name is no placeholder of another meaning."""
    if role.values and role.kinds != ("words",):
        yield (*location, "values"), "only a role of `kinds: [words]` can list values"
    if role.values and location[-1] in SLOTS:
        yield (*location, "values"), f"{{{location[-1]}}} already stands for something else: give the role another name"


def _of_priors(domain: Domain) -> Iterator[Contradiction]:
    for action_id in domain.priors.actions:
        if action_id not in domain.actions:
            yield ("priors", "actions", action_id), unknown("action", action_id, domain.actions)
    things = {*domain.objects, *(role for intent in domain.intents.values() for role in intent.roles)}
    for index, factor in enumerate(domain.priors.factors):
        for number, action_id in enumerate(factor.actions):
            if action_id not in domain.actions:
                yield ("priors", "factors", index, "actions", number), unknown("action", action_id, domain.actions)
        for condition, what, known in (
            ("place", "place", set(domain.places)),
            ("holding", "", {"any", "none", *things}),
            ("visible", "", things),
            ("last_action", "", set(domain.actions)),
            ("speaker", "", set(domain.people)),
        ):
            value = getattr(factor.when, condition)
            if value is not None and value not in known:
                yield ("priors", "factors", index, "when", condition), unknown(what, value, known)
