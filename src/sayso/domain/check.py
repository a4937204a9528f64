"""What a domain file must not say although each of its fields is right: names of what is not there, and sums that are off."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.domain.model import ANY, Domain, parse_literal
from sayso.yaml_source import Location, listed

Contradiction = tuple[Location, str]  # where, and what is wrong
LITERALS = ("requires", "effects", "removes", "failure_removes")


def contradictions(domain: Domain) -> Iterator[Contradiction]:
    """Every contradiction of the file, in its order."""
    if domain.speaker not in domain.people:
        yield ("speaker",), f"unknown person '{domain.speaker}'; known: {listed(domain.people)}"
    yield from _of_containment(domain)
    yield from _of_whereabouts(domain)
    yield from _of_ids(domain)
    yield from _of_skills(domain)
    yield from _of_goals(domain)
    yield from _of_intents(domain)
    yield from _of_priors(domain)


def _of_containment(domain: Domain) -> Iterator[Contradiction]:
    for place_id, place in domain.places.items():
        if place.inside and place.inside not in domain.places:
            yield ("places", place_id, "inside"), f"unknown place '{place.inside}'; known: {listed(domain.places)}"
        outer, seen = place.inside, {place_id}
        while outer in domain.places and outer not in seen:
            seen.add(outer)
            outer = domain.places[outer].inside
        if outer in seen:
            yield ("places", place_id, "inside"), f"'{place_id}' is inside itself"


def _of_whereabouts(domain: Domain) -> Iterator[Contradiction]:
    for section, entities in (("objects", domain.objects), ("people", domain.people)):
        for entity_id, entity in entities.items():
            for place_id in entity.usual:
                if place_id not in domain.places:
                    yield (section, entity_id, "usual", place_id), f"unknown place '{place_id}'; known: {listed(domain.places)}"


def _of_ids(domain: Domain) -> Iterator[Contradiction]:
    owner: dict[str, str] = {}
    for section, entities in (("places", domain.places), ("objects", domain.objects), ("people", domain.people)):
        for entity_id in entities:
            if owner.setdefault(entity_id, section) != section:
                yield (section, entity_id), f"the id is also used in {owner[entity_id]}"


def _of_skills(domain: Domain) -> Iterator[Contradiction]:
    for skill_id, skill in domain.skills.items():
        if skill.senses and skill.arguments.get(skill.senses) != "object":
            yield ("skills", skill_id, "senses"), f"'{skill.senses}' is no argument of the kind object: {listed(skill.arguments)}"
        for key in LITERALS:
            for index, literal in enumerate(getattr(skill, key)):
                for argument in parse_literal(literal)[1]:
                    if argument != ANY and argument not in skill.arguments:
                        yield ("skills", skill_id, key, index), f"'{argument}' is no argument of the skill: {listed(skill.arguments)}"


def _of_goals(domain: Domain) -> Iterator[Contradiction]:
    reachable = {parse_literal(effect)[0] for skill in domain.skills.values() for effect in skill.effects}
    for action_id, action in domain.actions.items():
        for index, literal in enumerate(action.goal):
            if parse_literal(literal)[0] not in reachable:
                yield ("actions", action_id, "goal", index), f"no skill has the effect '{parse_literal(literal)[0]}': {listed(reachable)}"


def _of_intents(domain: Domain) -> Iterator[Contradiction]:
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
            names_entity = not {"words", "direction", "quantity"}.intersection(role.kinds)
            if role.default not in ("", "speaker") and names_entity and domain.entity(role.default) is None:
                yield ("intents", intent_id, "roles", role_id, "default"), f"unknown entity '{role.default}'"


def _of_priors(domain: Domain) -> Iterator[Contradiction]:
    for action_id in domain.priors.actions:
        if action_id not in domain.actions:
            yield ("priors", "actions", action_id), f"unknown action '{action_id}'; known: {listed(domain.actions)}"
    things = {*domain.objects, *(role for intent in domain.intents.values() for role in intent.roles)}
    for index, factor in enumerate(domain.priors.factors):
        for action_id in factor.actions:
            if action_id not in domain.actions:
                yield ("priors", "factors", index, "actions"), f"unknown action '{action_id}'; known: {listed(domain.actions)}"
        if factor.when.place is not None and factor.when.place not in domain.places:
            yield ("priors", "factors", index, "when", "place"), f"unknown place '{factor.when.place}'; known: {listed(domain.places)}"
        for condition, known in (
            ("holding", {"any", "none", *things}),
            ("visible", things),
            ("last_action", set(domain.actions)),
            ("speaker", set(domain.people)),
        ):
            value = getattr(factor.when, condition)
            if value is not None and value not in known:
                yield ("priors", "factors", index, "when", condition), f"unknown '{value}'; known: {listed(known)}"
