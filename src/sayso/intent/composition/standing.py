"""Bans and habits of a structure: "never go into the study", "don't touch the vase", "from now on close the door"."""

from __future__ import annotations

from dataclasses import replace

from sayso.intent.composition.sentence import SpannedWords, is_around
from sayso.intent.grammar import THING_PRONOUNS
from sayso.intent.meaning.accounting import content
from sayso.intent.parser.labels import OTHER
from sayso.intent.parser.tree import SpanNode
from sayso.representation import Mood
from sayso.types import Clause

BANS = frozenset(("never", "refrain"))  # labels
MOODS: dict[str, Mood] = {"never": "rule", "refrain": "prohibition", "always": "rule"}
PLACES, THINGS = frozenset(("goal", "source", "via")), frozenset(("theme", "recipient"))


def acts_of(node: SpanNode, words: SpannedWords) -> tuple[SpanNode, ...]:
    """The acts of a ban or a habit. One that only names a place forbids to go there, and one that names a thing to take it up."""
    acts: tuple[SpanNode, ...] = tuple(_through(child) for child in node.children if child.label == "act")
    if len(acts) == 1 and acts[0].value == OTHER and not any(content(word.text) for word in words.of(acts[0], acts[0].children)):
        (node,), acts = acts, ()  # "keep your paws [other off [theme the phone]]"
    named = [child for child in node.children if not is_around(child)]
    if acts or not named:
        return acts
    goal = next((child for child in named if child.label in PLACES), None)
    if goal is not None:
        return (SpanNode("act", goal.first, goal.last, "go_to", (replace(goal, label="goal"),)),)
    thing = next((child for child in named if child.label in THINGS), None)
    return (SpanNode("act", thing.first, thing.last, "pick_up", (replace(thing, label="theme"),)),) if thing is not None else ()


def as_standing(node: SpanNode, clause: Clause, text: str) -> Clause:
    """The clause of an act in a ban or a habit with those words."""
    banned = node.label in BANS
    unable = clause.modifiers.mood == "unable"  # of what the robot cannot do, the ban is all that there is to say
    clause = replace(clause, left_over=tuple(clause.text.split()[:1])) if unable else replace(clause, text=text)
    return replace(clause, negated=banned, modifiers=replace(clause.modifiers, mood=MOODS[node.label]))


def staying(act: SpanNode, words: SpannedWords) -> SpanNode | None:
    """What is to be put where it is, and so is not to be taken: "leave it where it is"; None of any other act."""
    theme, goal = act.child("theme"), act.child("goal")
    if act.value != "put" or theme is None or goal is None or len(words.of(goal)) < 2:
        return None
    return theme if THING_PRONOUNS.intersection(word.text for word in words.of(goal)) and not goal.children else None


def _through(act: SpanNode) -> SpanNode:
    """The act, with the place on its way as its goal: never to go through a room is never to go there."""
    if act.child("goal") is not None:
        return act
    return replace(act, children=tuple(replace(child, label="goal") if child.label == "via" else child for child in act.children))
