"""Reading a domain file: YAML, `include`d files merged in, checked against the model, errors that name file, line and field."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from sayso.domain.model import Domain, parse_literal
from sayso.paths import default_domain
from sayso.yaml_source import Location, listed, read_yaml


def load_domain(path: Path | str | None = None) -> Domain:
    """The checked domain of that file, or the default home.

    Raises:
        DomainError: the file is missing, is no YAML, or says something that cannot be; one line, naming file and line.
    """
    return _load(Path(path).resolve() if path else default_domain())


@lru_cache(maxsize=8)
def _load(path: Path) -> Domain:
    source = read_yaml(path, "a domain file is a mapping with the keys places, objects, people, …")
    for name, intent in source.value.get("intents", {}).items():
        if isinstance(intent, dict):
            intent.setdefault("actions", {name: 1.0})
    domain = source.checked(Domain)
    source.refuse(_contradictions(domain))
    return domain


def _contradictions(domain: Domain) -> Iterator[tuple[Location, str]]:
    """Everything that names something which is not there."""
    if domain.speaker not in domain.people:
        yield ("speaker",), f"unknown person '{domain.speaker}'; known: {listed(domain.people)}"
    for place_id, place in domain.places.items():
        if place.inside and place.inside not in domain.places:
            yield ("places", place_id, "inside"), f"unknown place '{place.inside}'; known: {listed(domain.places)}"
        seen = {place_id}
        while place.inside in domain.places:
            if place.inside in seen:
                yield ("places", place_id, "inside"), f"'{place_id}' is inside itself"
                break
            seen.add(place.inside)
            place = domain.places[place.inside]
    holders = (("objects", domain.objects), ("people", domain.people))
    for section, entities in holders:
        for entity_id, entity in entities.items():
            for place_name in entity.usual:
                if place_name not in domain.places:
                    yield (section, entity_id, "usual", place_name), f"unknown place '{place_name}'; known: {listed(domain.places)}"
    kinds = (("places", domain.places), ("objects", domain.objects), ("people", domain.people))
    owner: dict[str, str] = {}
    for section, named in kinds:
        for entity_id in named:
            if entity_id in owner:
                yield (section, entity_id), f"the id is also used in {owner[entity_id]}"
            owner[entity_id] = section
    yield from _contradictions_of_meaning(domain)


def _contradictions_of_meaning(domain: Domain) -> Iterator[tuple[Location, str]]:
    for skill_id, skill in domain.skills.items():
        for key in ("requires", "effects", "removes"):
            for index, literal in enumerate(getattr(skill, key)):
                for argument in parse_literal(literal)[1]:
                    if argument not in skill.arguments:
                        yield ("skills", skill_id, key, index), f"'{argument}' is no argument of the skill: {listed(skill.arguments)}"
    reachable = {parse_literal(effect)[0] for skill in domain.skills.values() for effect in skill.effects}
    for action_id, action in domain.actions.items():
        for index, literal in enumerate(action.goal):
            if parse_literal(literal)[0] not in reachable:
                yield ("actions", action_id, "goal", index), f"no skill has the effect '{parse_literal(literal)[0]}': {listed(reachable)}"
    for intent_id, intent in domain.intents.items():
        for action_id in intent.actions:
            if action_id not in domain.actions:
                yield ("intents", intent_id, "actions", action_id), f"unknown action '{action_id}'; known: {listed(domain.actions)}"
        total = sum(intent.actions.values())
        if abs(total - 1.0) > 1e-6:
            yield ("intents", intent_id, "actions"), f"P(a | k) must sum to 1, this is {total:g}"
        if not intent.examples:
            yield ("intents", intent_id, "examples"), "an intent needs at least one example sentence"
        for role_id, role in intent.roles.items():
            if role.default and role.default != "speaker" and "words" not in role.kinds and "direction" not in role.kinds \
                    and "quantity" not in role.kinds and domain.entity(role.default) is None:
                yield ("intents", intent_id, "roles", role_id, "default"), f"unknown entity '{role.default}'"
    for index, factor in enumerate(domain.priors.factors):
        for action_id in factor.actions:
            if action_id not in domain.actions:
                yield ("priors", "factors", index, "actions"), f"unknown action '{action_id}'; known: {listed(domain.actions)}"
        if factor.when.place is not None and factor.when.place not in domain.places:
            yield ("priors", "factors", index, "when", "place"), f"unknown place '{factor.when.place}'; known: {listed(domain.places)}"
    for action_id in domain.priors.actions:
        if action_id not in domain.actions:
            yield ("priors", "actions", action_id), f"unknown action '{action_id}'; known: {listed(domain.actions)}"
