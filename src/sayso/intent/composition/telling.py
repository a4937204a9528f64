"""Acts of speaking: "tell ben the time", "answer a question", "introduce anna to ben"."""

from __future__ import annotations

from dataclasses import replace
from typing import cast, get_args

from sayso.intent.parser.tree import SpanNode
from sayso.representation import QuestionName
from sayso.types import Clause

TELL, ANSWER, GREET = "tell", "answer", "greet"  # intents
INVITATION: QuestionName = "invitation"
MESSAGE = "message"
PEOPLE = frozenset(("theme", "recipient"))  # labels of people who are made known to each other
KINDS = get_args(QuestionName)
OF_ITSELF = frozenset(KINDS[KINDS.index("abilities") :])  # kinds of questions about the robot and its clock, and what it can tell


def told(act: SpanNode) -> QuestionName | None:
    """What an act of speaking is to tell of the robot itself: "tell anna the time"; None if it says what to say."""
    asked = act.child("question")
    if asked is not None:
        return cast("QuestionName", asked.value) if asked.value in OF_ITSELF else None
    return INVITATION if act.value == ANSWER and act.child(MESSAGE) is None else None


def telling(clause: Clause, kind: QuestionName) -> Clause:
    """The clause that is to tell that, in the robot's own words."""
    roles = tuple(role for role in clause.roles if role.name not in (MESSAGE, "theme"))
    return replace(clause, roles=roles, left_over=(), modifiers=replace(clause.modifiers, question=kind))


def presented(act: SpanNode) -> SpanNode | None:
    """Who is made known to somebody else by an act of greeting: "introduce anna to ben"; None if nobody is."""
    people = [child for child in act.children if child.label in PEOPLE]
    return people[0] if act.value == GREET and len(people) > 1 else None
