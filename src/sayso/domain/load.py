"""Reading a domain file: YAML, `include`d files merged in, checked against the model, errors that name file, line and field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from sayso.domain.model import Domain, parse_literal
from sayso.errors import DomainError
from sayso.paths import default_domain

Location = tuple[str | int, ...]


@dataclass
class _Source:
    """Plain data, and for every field the file and line it stands in."""

    value: dict[str, Any] = field(default_factory=dict)
    lines: dict[Location, tuple[Path, int]] = field(default_factory=dict)

    def error(self, location: Location, message: str, suggestion: str = "") -> DomainError:
        where = location
        while where and where not in self.lines:
            where = where[:-1]
        path, line = self.lines.get(where, (Path("?"), 0))
        name = ".".join(str(part) for part in location)
        return DomainError(f"{path}:{line}: {name}: {message}{f' ({suggestion})' if suggestion else ''}")


def load_domain(path: Path | str | None = None) -> Domain:
    """The checked domain of that file, or the default home.

    Raises:
        DomainError: the file is missing, is no YAML, or says something that cannot be; one line, naming file and line.
    """
    return _load(Path(path).resolve() if path else default_domain())


@lru_cache(maxsize=8)
def _load(path: Path) -> Domain:
    source = _Source()
    _read(path, source, including=())
    for name, intent in source.value.get("intents", {}).items():
        if isinstance(intent, dict):
            intent.setdefault("actions", {name: 1.0})
    try:
        domain = Domain.model_validate(source.value)
    except ValidationError as invalid:
        first = invalid.errors(include_url=False)[0]
        raise source.error(tuple(first["loc"]), first["msg"]) from None
    for location, message in _contradictions(domain):
        raise source.error(location, message)
    return domain


def _read(path: Path, into: _Source, including: tuple[Path, ...]) -> None:
    if path in including:
        raise DomainError(f"{path}:1: include: the file includes itself")
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError) as unreadable:
        raise DomainError(f"{path}:1: cannot be read: {unreadable}") from None
    except yaml.MarkedYAMLError as malformed:
        line = malformed.problem_mark.line + 1 if malformed.problem_mark else 1
        raise DomainError(f"{path}:{line}: not YAML: {malformed.problem}") from None
    if not isinstance(node, yaml.MappingNode):
        raise DomainError(f"{path}:1: a domain file is a mapping with the keys places, objects, people, …")
    lines: dict[Location, tuple[Path, int]] = {(): (path, 1)}
    data = _plain(node, (), path, lines)
    for name in data.pop("include", ()):
        _read((path.parent / name).resolve(), into, (*including, path))
    # What the including file says comes last and wins, entry by entry: a user's home changes one sentence of ours.
    for key, value in data.items():
        held = into.value.get(key)
        if isinstance(held, dict) and isinstance(value, dict):
            held.update(value)
        else:
            into.value[key] = value
    into.lines.update(lines)


def _plain(node: yaml.Node, location: Location, path: Path, lines: dict[Location, tuple[Path, int]]) -> Any:
    lines[location] = (path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key in result:
                raise DomainError(f"{path}:{key_node.start_mark.line + 1}: '{key}' is given twice")
            result[key] = _plain(value_node, (*location, key), path, lines)
            lines[(*location, key)] = (path, key_node.start_mark.line + 1)
        return result
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*location, index), path, lines) for index, item in enumerate(node.value)]
    return yaml.SafeLoader("").construct_object(node)


def _contradictions(domain: Domain) -> Iterator[tuple[Location, str]]:
    """Everything that names something which is not there."""
    if domain.speaker not in domain.people:
        yield ("speaker",), f"unknown person '{domain.speaker}'; known: {_listed(domain.people)}"
    for place_id, place in domain.places.items():
        if place.inside and place.inside not in domain.places:
            yield ("places", place_id, "inside"), f"unknown place '{place.inside}'; known: {_listed(domain.places)}"
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
                    yield (section, entity_id, "usual", place_name), f"unknown place '{place_name}'; known: {_listed(domain.places)}"
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
                        yield ("skills", skill_id, key, index), f"'{argument}' is no argument of the skill: {_listed(skill.arguments)}"
    reachable = {parse_literal(effect)[0] for skill in domain.skills.values() for effect in skill.effects}
    for action_id, action in domain.actions.items():
        for index, literal in enumerate(action.goal):
            if parse_literal(literal)[0] not in reachable:
                yield ("actions", action_id, "goal", index), f"no skill has the effect '{parse_literal(literal)[0]}': {_listed(reachable)}"
    for intent_id, intent in domain.intents.items():
        for action_id in intent.actions:
            if action_id not in domain.actions:
                yield ("intents", intent_id, "actions", action_id), f"unknown action '{action_id}'; known: {_listed(domain.actions)}"
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
                yield ("priors", "factors", index, "actions"), f"unknown action '{action_id}'; known: {_listed(domain.actions)}"
        if factor.when.place is not None and factor.when.place not in domain.places:
            yield ("priors", "factors", index, "when", "place"), f"unknown place '{factor.when.place}'; known: {_listed(domain.places)}"
    for action_id in domain.priors.actions:
        if action_id not in domain.actions:
            yield ("priors", "actions", action_id), f"unknown action '{action_id}'; known: {_listed(domain.actions)}"


def _listed(names: Iterable[str] | Mapping[str, object]) -> str:
    ordered = sorted(names)
    return ", ".join(ordered[:12]) + (", …" if len(ordered) > 12 else "")
