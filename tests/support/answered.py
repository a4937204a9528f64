"""The robot's answer to a question, with what it knows and remembers."""

from __future__ import annotations

from sayso.agenda import Now
from sayso.meaning.recollection import Deed
from sayso.pipeline import Pipeline
from sayso.selection import Recollection, WorldView
from sayso.types import Context

NOW = Now(ros=1000.0, wall=1000.0)


def told(pipeline: Pipeline, question: str, *facts: str, deeds: tuple[Deed, ...] = ()) -> str:
    """What it says; the question must be taken for one."""
    context = Context(place="desk", facts=facts)
    understood = pipeline.understand(question, context, WorldView.of(context, None, Recollection(NOW, deeds=deeds)))
    assert understood.decision == "answer", (question, understood.action_belief)
    return understood.question
