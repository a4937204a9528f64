"""What the robot asks, in small templates over the domain's names; worded unlike the command, so that a mishearing is caught."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.domain.model import Domain
from sayso.domain.wording import arguments_that_differ, called, filled, listed, spoken_action
from sayso.selection.naming import fitting_entities
from sayso.types import Action

QUOTED = 60  # characters of an answer that are repeated
EXAMPLES = 4  # entities that are named where an answer named none


def confirm_question(domain: Domain, action: Action) -> str:
    """Ask for a yes or no in other words than a command has: “Should I fetch the red cup and hand it to you?”."""
    spec = domain.actions.get(action.name)
    if spec is not None and spec.confirm:
        return filled(domain, spec.confirm, action.arguments)
    return f"Do you want me to {spoken_action(domain, action)}?"


def choice_question(domain: Domain, options: Sequence[Action]) -> str:
    """Ask which: “Do you want me to bring the red cup or the blue cup to you?”, or “Do you want me to … or to …?”."""
    roles = arguments_that_differ(options)
    if len({option.name for option in options}) == 1 and len(roles) == 1:
        names = [called(domain, option.argument(roles[0])) for option in options]
        if all(names) and len(set(names)) == len(names):
            names_or = listed(names, "or")
            said = _said_of(domain, options[0], roles[0], names_or)
            return f"Do you want me to {said}?" if names_or in said else f"Do you mean {names_or}?"
    return f"Do you want me to {listed([spoken_action(domain, option) for option in options], 'or to')}?"


def open_question(domain: Domain, action: Action, role: str) -> str:
    """Ask for what is missing, “Where should I put the red cup?”: the domain's question for that role, or a plain one."""
    template = domain.actions[action.name].ask.get(role, f"I shall {spoken_action(domain, action)}: which {role.replace('_', ' ')}?")
    return filled(domain, template, action.arguments)


def only_one(question: str) -> str:
    """After “both”."""
    return f"I can do only one of them at a time. {question}"


def not_understood(domain: Domain, action: Action, role: str, said: str, question: str) -> str:
    """After an answer that fits nothing: what could be said (where a role is missing, what the robot knows), and the question again."""
    quoted = said if len(said) <= QUOTED else f"{said[:QUOTED].rsplit(' ', 1)[0]} …"
    heard = f"I can't use “{quoted}” here." if said else "I didn't understand that."
    known = fitting_entities(domain, action, role) if role else []
    names = [called(domain, entity) for entity in known[:EXAMPLES]]
    more = len(known) - len(names)
    if more > 0:
        names.append(f"{more} more")
    return f"{heard} {f'I know {listed(names)}. ' if names else ''}{question}"


def _said_of(domain: Domain, action: Action, role: str, value: str) -> str:
    """What the robot calls the action, with these words in the place of that role's value."""
    placeholder = "\x00"  # no name has it
    other = Action(action.name, tuple((name, placeholder if name == role else held) for name, held in action.arguments))
    return spoken_action(domain, other).replace(placeholder, value)
