"""What the robot asks, in small templates over the domain's names."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.domain.model import Domain
from sayso.domain.wording import arguments_that_differ, called, filled, listed, spoken_action
from sayso.types import Action


def confirm_question(domain: Domain, action: Action) -> str:
    """Ask for a yes or no: “Shall I bring the red cup to you?”."""
    return f"Shall I {spoken_action(domain, action)}?"


def choice_question(domain: Domain, options: Sequence[Action]) -> str:
    """Ask which: “Do you mean the red cup or the blue cup?” where one argument differs, else “Shall I … or …?”."""
    roles = arguments_that_differ(options)
    if len({option.name for option in options}) == 1 and len(roles) == 1:
        names = [called(domain, option.argument(roles[0])) for option in options]
        if all(names) and len(set(names)) == len(names):
            return f"Do you mean {listed(names, 'or')}?"
    return f"Shall I {listed([spoken_action(domain, option) for option in options], 'or')}?"


def open_question(domain: Domain, action: Action, role: str) -> str:
    """Ask for what is missing, “Where should I put the red cup?”: the domain's question for that role, or a plain one."""
    template = domain.actions[action.name].ask.get(role, f"I shall {spoken_action(domain, action)}: which {role.replace('_', ' ')}?")
    return filled(domain, template, action.arguments)
