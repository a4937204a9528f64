"""The robot's questions, from templates over the domain's names. Their wording differs from the command's, to expose misrecognition."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sayso.domain.model import Domain
from sayso.domain.wording import arguments_that_differ, called, filled, is_plural, listed, spoken_action
from sayso.meaning.naming import fitting_entities
from sayso.types import Action

QUOTED = 60  # characters of an answer that the robot repeats
EXAMPLES = 4  # entities to suggest when an answer named none


def confirm_question(domain: Domain, action: Action) -> str:
    """A yes–no question, worded unlike a command: “Should I fetch the red cup and hand it to you?”."""
    spec = domain.actions.get(action.name)
    if spec is not None and spec.confirm:
        question = filled(domain, spec.confirm, action.arguments)
        many = any(value in domain.objects and is_plural(domain, value) for _, value in action.arguments)
        return re.sub(r"\bit\b", "them", question) if many else question
    return f"Do you want me to {spoken_action(domain, action)}?"


def shall_i(domain: Domain, actions: Sequence[Action]) -> str:
    """A yes–no question about all of these actions: “Shall I bring the milk to you and come to you?”."""
    different = list(dict.fromkeys(actions))
    if len(different) == 1:
        return confirm_question(domain, different[0])
    return f"Shall I {listed([spoken_action(domain, action) for action in different])}?"


def choice_question(domain: Domain, options: Sequence[Action]) -> str:
    """A question among options: “Do you want me to bring the red cup or the blue cup to you?”, or “Do you want me to … or to …?”."""
    roles = arguments_that_differ(options)
    if len({option.name for option in options}) == 1 and len(roles) == 1:
        names = [called(domain, option.argument(roles[0])) for option in options]
        if all(names) and len(set(names)) == len(names):
            names_or = listed(names, "or")
            request = _spoken_with(domain, options[0], roles[0], names_or)
            return f"Do you want me to {request}?" if names_or in request else f"Do you mean {names_or}?"
    return f"Do you want me to {listed([spoken_action(domain, option) for option in options], 'or to')}?"


def which_word(words: Sequence[str]) -> str:
    """A question about what was said: “Did you say “left” or “right”?”."""
    return f"Did you say {listed([f'“{each}”' for each in words], 'or')}?"


def not_sure_whether(words: Sequence[str]) -> str:
    """What comes before a yes–no question about one of these: “I am not sure whether you said “tv” or “tub”.”."""
    return f"I am not sure whether you said {listed([f'“{each}”' for each in words], 'or')}."


def open_question(domain: Domain, action: Action, role: str) -> str:
    """A question for a missing role, “Where should I put the red cup?”: the domain's own, else a generic one."""
    template = domain.actions[action.name].ask.get(role, f"I shall {spoken_action(domain, action)}: which {role.replace('_', ' ')}?")
    return filled(domain, template, action.arguments)


def only_one(question: str) -> str:
    """The reply to “both”, followed by the question."""
    return f"I can do only one of them at a time. {question}"


def cannot_tell(answer: str, question: str) -> str:
    """The reply to a description that fits each option equally well, as far as the robot knows."""
    return f"I can't tell which one is “{quoted(answer)}”. {question}"


def not_understood(domain: Domain, action: Action, role: str, answer: str, question: str) -> str:
    """The reply to an answer that fits nothing: for a missing role, some values that the robot knows; then the question again."""
    problem = f"I can't use “{quoted(answer)}” here." if answer else "I didn't understand that."
    known = fitting_entities(domain, action, role) if role else []
    names = [called(domain, entity) for entity in known[:EXAMPLES]]
    more = len(known) - len(names)
    if more > 0:
        names.append(f"{more} more")
    return f"{problem} {f'I know {listed(names)}. ' if names else ''}{question}"


def quoted(words: str) -> str:
    """The words of a person, shortened if they are many."""
    return words if len(words) <= QUOTED else f"{words[:QUOTED].rsplit(' ', 1)[0]} …"


def _spoken_with(domain: Domain, action: Action, role: str, value: str) -> str:
    """The action in words, with `value` in place of that role's value."""
    placeholder = "\x00"  # occurs in no name
    other = Action(action.name, tuple((name, placeholder if name == role else argument) for name, argument in action.arguments))
    return spoken_action(domain, other).replace(placeholder, value)
