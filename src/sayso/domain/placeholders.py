"""Checks of placeholders: {theme} in what the robot says, {object} in example sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from string import Formatter

from sayso.domain.intents import RoleSpec
from sayso.domain.literals import roles_of
from sayso.domain.model import Domain
from sayso.domain.sentences import SLOT, SLOTS
from sayso.domain.vocabulary import parse_literal
from sayso.domain.wording import UNITS
from sayso.yaml_source import Contradiction, Location, listed, unknown


def wrong_placeholders(domain: Domain) -> Iterator[Contradiction]:
    """Every placeholder that nothing can fill."""
    for action_id, action in domain.actions.items():
        reached = roles_of(domain, action_id)
        in_goal = {argument for literal in action.goal for argument in parse_literal(literal)[1]}
        roles = in_goal | set(action.defaults) | (reached or set())
        location: Location = ("actions", action_id)
        for role in action.ask:
            if reached is not None and role not in roles:
                yield (*location, "ask", role), unknown("role", role, roles)
        texts: dict[Location, str] = {(*location, "say"): action.say, (*location, "confirm"): action.confirm}
        texts |= {(*location, "ask", role): question for role, question in action.ask.items()}
        for place, text in texts.items() if reached is not None or action.goal else ():  # nobody can mean it here, so nobody hears them
            yield from ((place, message) for message in _in_speech(text, roles))
    for intent_id, intent in domain.intents.items():
        for field, templates in (("examples", intent.examples), ("paraphrases", intent.paraphrases)):
            for index, template in enumerate(templates):
                yield from _in_example(("intents", intent_id, field, index), template, intent.roles)
    for index, example in enumerate(domain.chatter):
        yield from _in_example(("chatter", index), example, None)


def _in_speech(text: str, roles: Collection[str]) -> Iterator[str]:
    try:
        parts = list(Formatter().parse(text))
    except ValueError:
        yield f"a brace has no partner in '{text}'; placeholders are written {{role}}"
        return
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if form and form not in UNITS:
            yield f"{unknown('unit', form, UNITS)}; an amount is written {{extent:metres}}"
        elif conversion or not name.isidentifier():
            yield f"'{{{name}}}' is not a placeholder; known: {_braced(roles)}"
        elif name not in roles:
            yield f"{unknown('placeholder', name, roles)}; placeholders are the action's roles"


def _in_example(location: Location, example: str, roles: Mapping[str, RoleSpec] | None) -> Iterator[Contradiction]:
    if not example.strip():
        yield location, "an example must not be empty"
    own = [name for name, role in (roles or {}).items() if role.values]
    for slot in SLOT.finditer(example):
        if slot["slot"] not in (*SLOTS, *own):
            yield location, unknown("placeholder", slot["slot"], (*SLOTS, *own))
        if slot["role"] and roles is not None and slot["role"] not in roles:
            yield location, unknown("role", slot["role"], roles)
    rest = SLOT.sub("", example)
    if "{" in rest or "}" in rest:
        yield location, f"a brace without a placeholder in '{example}'; known: {_braced(SLOTS)}"


def _braced(names: Collection[str]) -> str:
    return listed([f"{{{name}}}" for name in names]) or "none"
