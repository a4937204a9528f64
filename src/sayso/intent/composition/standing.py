"""Bans and habits of a structure: "never go into the study", "don't touch the vase", "from now on close the door"."""

from __future__ import annotations

from dataclasses import replace

from sayso.intent.composition.sentence import is_around
from sayso.intent.parser.tree import SpanNode
from sayso.representation import Mood
from sayso.types import Clause

BANS = frozenset(("never", "refrain"))  # labels
MOODS: dict[str, Mood] = {"never": "rule", "refrain": "prohibition", "always": "rule"}
PLACES, THINGS = frozenset(("goal", "source", "via")), frozenset(("theme", "recipient"))


def acts_of(node: SpanNode) -> tuple[SpanNode, ...]:
    """The acts of a ban or a habit. One that only names a place forbids to go there, and one that names a thing to take it up."""
    acts = tuple(child for child in node.children if child.label == "act")
    named = [child for child in node.children if not is_around(child)]
    if acts or not named:
        return acts
    goal = next((child for child in named if child.label in PLACES), None)
    if goal is not None:
        return (SpanNode("act", goal.first, goal.last, "go_to", (replace(goal, label="goal"),)),)
    thing = next((child for child in named if child.label in THINGS), None)
    return (SpanNode("act", thing.first, thing.last, "pick_up", (replace(thing, label="theme"),)),) if thing is not None else ()


def as_standing(node: SpanNode, clause: Clause) -> Clause:
    """The clause of an act in a ban or a habit."""
    banned = node.label in BANS
    if clause.modifiers.mood == "unable":  # of what the robot cannot do, the ban is all that there is to say
        clause = replace(clause, left_over=tuple(clause.text.split()[:1]))
    return replace(clause, negated=banned, modifiers=replace(clause.modifiers, mood=MOODS[node.label]))
