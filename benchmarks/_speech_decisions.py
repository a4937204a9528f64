"""What the robot decides about a spoken command, judged by what it decides about the same command typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sayso.domain import Domain
from sayso.domain.vocabulary import parse_literal
from sayso.types import Action, ActionBelief

# right: it does, answers or declines what it should. asked: it asks, and what it should do is among the options, or the question is the
# one that the typed command raises too. misasked: it asks about something else. wrong: it does something else. rejected: it does nothing.
Fate = Literal["right", "asked", "misasked", "wrong", "rejected"]
Goal = tuple[object, ...]


def fate(domain: Domain, typed: ActionBelief, heard: ActionBelief) -> Fate:
    """The fate of a command. Actions with the same goal count as one: bringing Anna the cup, and giving it to her."""
    if heard.decision == "reject":
        return "right" if typed.decision == "reject" else "rejected"
    meant = [goal(domain, action) for action in typed.chosen]
    chosen = [goal(domain, action) for action in heard.chosen]
    if heard.decision not in ("ask", "confirm"):
        same = heard.decision == typed.decision and chosen == meant and heard.then == typed.then
        return "right" if same and (heard.decision != "answer" or heard.question == typed.question) else "wrong"
    return "asked" if typed.decision != "reject" and _offers(domain, typed, heard, meant, chosen) else "misasked"


def _offers(domain: Domain, typed: ActionBelief, heard: ActionBelief, meant: Sequence[Goal], chosen: Sequence[Goal]) -> bool:
    """Whether an answer to the question leads to what is meant, or to one of the things that the typed command asks about."""
    wanted = {*meant, *(goal(domain, action) for action in typed.options)}
    offered = [goal(domain, action) for action in heard.options]
    fits = all if heard.decision == "confirm" else any  # all options of a confirmation are done together
    others = [each for each in chosen if each not in offered]  # parts of the command that are not in question
    return fits(each in wanted for each in offered) and all(each in meant for each in others)


def goal(domain: Domain, action: Action) -> Goal:
    """The facts that the action is to bring about; the action itself if it has none."""
    literals = domain.actions[action.name].goal
    return tuple(sorted((name, tuple(map(action.argument, roles))) for name, roles in map(parse_literal, literals))) or (str(action),)
