"""How the robot speaks of what the domain holds: short, and in the domain's own names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sayso.domain.model import Domain
from sayso.types import Action

ARTICLES = ("the ", "a ", "an ", "my ", "your ", "our ", "some ")


class _Open(dict[str, str]):
    def __missing__(self, role: str) -> str:
        return "somewhere" if role in ("goal", "source") else "someone" if role == "recipient" else "something"


def called(domain: Domain, value: str) -> str:
    """What the robot calls the value of an argument: "the red cup", "Anna", "you"; what is no entity is said as it stands."""
    if value in domain.people:
        name = domain.spoken(value)
        return name if name == "you" else name.title()
    return domain.spoken(value)


def filled(domain: Domain, template: str, arguments: Iterable[tuple[str, str]]) -> str:
    """A template over role names with the names of their values put in; "something" where a role has none."""
    return template.format_map(_Open({role: called(domain, value) for role, value in arguments}))


def spoken_action(domain: Domain, action: Action) -> str:
    """What the robot calls the action: "bring the red cup to you"."""
    spec = domain.actions.get(action.name)
    return filled(domain, spec.say if spec and spec.say else action.name.replace("_", " "), action.arguments)


def listed(names: Sequence[str], last: str = "and") -> str:
    """Say “the counter, the sink and the desk”."""
    return f"{', '.join(names[:-1])} {last} {names[-1]}" if len(names) > 1 else "".join(names)


def phrase_for(domain: Domain, object_id: str) -> str:
    """The words that tell the visual grounder what to look for: its spoken name, with its colour where the name lacks it."""
    thing = domain.objects[object_id]
    name = thing.spoken(object_id)
    color = thing.attributes.get("color", "")
    return f"the {name}" if not color or color in name.split() else f"the {color} {name}"


def definite(text: str, kind: str) -> str:
    """A phrase as the user said it, as the robot repeats it: "a garage" → "the garage", "peter" → "Peter"."""
    for article in ARTICLES:
        text = text.removeprefix(article)
    return text.title() if kind == "person" else f"the {text}"


def arguments_that_differ(actions: Sequence[Action]) -> tuple[str, ...]:
    """The roles in which these actions differ; every role where their names differ too."""
    roles = sorted({role for action in actions for role, _ in action.arguments})
    if len({action.name for action in actions}) > 1:
        return tuple(roles)
    tables: list[Mapping[str, str]] = [dict(action.arguments) for action in actions]
    return tuple(role for role in roles if len({table.get(role, "") for table in tables}) > 1)
