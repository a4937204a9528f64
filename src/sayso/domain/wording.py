"""The robot's words for the things of a domain: short, with the domain's own names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from sayso.domain.model import Domain
from sayso.types import Action

ARTICLES = ("the ", "a ", "an ", "my ", "your ", "our ", "some ")
UNITS: Mapping[str, Callable[[float], str]] = {  # {extent:degrees} → an amount in SI units as people say it
    "degrees": lambda angle: f"{math.degrees(angle):.0f} degrees",
    "metres": lambda length: f"{length:.0f} m" if length >= 10.0 else f"{length:.2g} m",
}


class SpokenValue(str):
    """The words for an argument; in a template, its unit may stand behind its role."""

    __slots__ = ()

    def __format__(self, unit: str) -> str:
        with suppress(ValueError):
            return UNITS[unit](float(self)) if unit else str(self)
        return str(self)  # "something"


class _Open(dict[str, str]):
    def __missing__(self, role: str) -> str:
        return SpokenValue("somewhere" if role in ("goal", "source") else "someone" if role == "recipient" else "something")


def called(domain: Domain, value: str) -> str:
    """The robot's words for the value of an argument: "the red cup", "Anna", "you"; other texts stay as they are."""
    if value in domain.people:
        name = domain.spoken(value)
        return name if name == "you" else name.title()
    return domain.spoken(value)


def filled(domain: Domain, template: str, arguments: Iterable[tuple[str, str]]) -> str:
    """A template with its roles replaced by their values' names, {extent:degrees} by an amount; "something" for a role without one."""
    goal = domain.places.get(dict(arguments := tuple(arguments)).get("goal", ""))
    if goal is not None and goal.stores:
        template = template.replace("on {goal}", "in {goal}")
    return template.format_map(_Open({role: SpokenValue(called(domain, value)) for role, value in arguments}))


def spoken_action(domain: Domain, action: Action) -> str:
    """The robot's words for the action: "bring the red cup to you"."""
    spec = domain.actions.get(action.name)
    return filled(domain, spec.say if spec and spec.say else action.name.replace("_", " "), action.arguments)


def declined_action(domain: Domain, action: Action) -> str:
    """The robot's words for an action that it can't do; of one that it can do with nothing, "lock anything"."""
    spec = domain.actions.get(action.name)
    words = spoken_action(domain, action)
    return words.replace("something", "anything") if spec is not None and not spec.goal else words


def capitalised(words: str) -> str:
    """The words with a capital at the start, as of a sentence; the rest stays as it is."""
    return f"{words[:1].upper()}{words[1:]}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Say “the counter, the sink and the desk”."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


def plural(noun: str) -> str:
    """The plural: "cup" → "cups", "box" → "boxes"."""
    if noun == "person":
        return "people"
    if noun.endswith(("x", "ch", "sh", "ss")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return noun if noun.endswith("s") else f"{noun}s"


def is_plural(domain: Domain, object_id: str) -> bool:
    """Whether the object's name is plural: "the glasses". A place, such as a lamp that is switched, is one thing."""
    return object_id in domain.objects and _sounds_plural(domain.objects[object_id].spoken(object_id))


def is_or_are(domain: Domain, entity: str) -> str:
    """The verb for what it is called: "you are", "the glasses are", "the stairs are"."""
    return "are" if called(domain, entity) == "you" or (entity not in domain.people and _sounds_plural(called(domain, entity))) else "is"


def _sounds_plural(name: str) -> bool:
    last = name.partition(" with ")[0].split()[-1]
    return last.endswith("s") and not last.endswith(("ss", "us"))


def phrase_for(domain: Domain, object_id: str) -> str:
    """The phrase for the visual grounder: the object's spoken name, and its colour if the name lacks it."""
    thing = domain.objects[object_id]
    name = thing.spoken(object_id)
    color = thing.attributes.get("color", "")
    return f"the {name}" if not color or color in name.split() else f"the {color} {name}"


_POSSESSIVE = frozenset(("his", "her", "their", "its"))


def definite(text: str, kind: str) -> str:
    """The user's phrase as the robot repeats it: "a garage" → "the garage", "peter" → "Peter", "a man" → "the man"."""
    bare = text
    for article in ARTICLES:
        bare = bare.removeprefix(article)
    if text.split(maxsplit=1)[0] in _POSSESSIVE:  # "his taxi"
        return text
    return bare.title() if kind == "person" and bare == text else f"the {bare}"


def arguments_that_differ(actions: Sequence[Action]) -> tuple[str, ...]:
    """The roles in which these actions differ; all roles if their names differ too."""
    roles = sorted({role for action in actions for role, _ in action.arguments})
    if len({action.name for action in actions}) > 1:
        return tuple(roles)
    tables: list[Mapping[str, str]] = [dict(action.arguments) for action in actions]
    return tuple(role for role in roles if len({table.get(role, "") for table in tables}) > 1)
