"""Answers to "did you close the fridge" and "have you brought Anna the cup": from what the robot remembers of its tasks."""

from __future__ import annotations

import re

from sayso.domain.model import Domain
from sayso.domain.states import DOOR, POWER
from sayso.domain.vocabulary import parse_literal
from sayso.meaning.recollection import Deed
from sayso.meaning.world_view import WorldView
from sayso.selection.answering.own_answers import told
from sayso.selection.answering.question_parts import entities_meant
from sayso.selection.answering.state_answers import known_state
from sayso.selection.answering.whereabouts import whereabouts
from sayso.types import Clause

_ASKED = re.compile(r"^(?:(?:and|so|but|robot|hey|ok|okay),? )*(?:did|have|didn't|haven't|had) you\b(?! (?:seen|see|got|been)\b)")
NONE = "I remember no such task."


def deed_answer(domain: Domain, clause: Clause, view: WorldView) -> str:
    """Say what became of the task that is asked about; empty if the clause asks about none.

    Args:
        domain: the home.
        clause: a question to be answered by yes or no, with the intent that it asks about.
        view: with the deeds that the robot remembers.
    """
    if not _ASKED.match(clause.text) or clause.intent not in domain.intents:
        return ""
    meant = [entities for role in clause.roles if (entities := entities_meant(domain, role, view))]
    if not meant:
        return ""
    goals = {goal for action in domain.intents[clause.intent].actions for goal in _predicates(domain, action)}
    for deed in reversed(view.recent.deeds):
        if any(goals & _predicates(domain, action.name) and _is_about(deed, meant) for action in deed.actions):
            return f"{_WORD.get(deed.state, '')}{told(deed, view)}"
    return " ".join(filter(None, (NONE, _beside(domain, meant[0], view))))


_WORD = {"done": "Yes. ", "failed": "No. ", "running": "Not yet. "}


def _predicates(domain: Domain, action: str) -> set[str]:
    """What the action brings about: "bring" and "give" the same."""
    spec = domain.actions.get(action)
    return {parse_literal(literal)[0] for literal in spec.goal} if spec is not None else set()


def _is_about(deed: Deed, meant: list[list[str]]) -> bool:
    """Whether one thing of each that was meant is among those of the deed."""
    values = {value for action in deed.actions for _, value in action.arguments}
    return all(values.intersection(entities) for entities in meant)


def _beside(domain: Domain, entities: list[str], view: WorldView) -> str:
    """What it knows all the same: where the things are, or whether the door is open. It may have opened it for another task."""
    if all(entity in domain.objects for entity in entities):
        return whereabouts(domain, entities, "", view)
    return " ".join(filter(None, (known_state(domain, entity, states, view) for entity in entities for states in (DOOR, POWER))))
