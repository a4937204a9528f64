"""What stands around an act: conditions, times, repetitions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sayso.intent.asked import resolved
from sayso.intent.composition.conditions import condition, restricts
from sayso.intent.composition.phrases import PhraseComposer
from sayso.intent.composition.sentence import SpannedWords
from sayso.intent.meaning.clock import duration_at
from sayso.intent.meaning.daytimes import made
from sayso.intent.meaning.sentence_words import Reading
from sayso.intent.meaning.timings import timing_at
from sayso.intent.parser.labels import group_of
from sayso.intent.parser.tree import SpanNode
from sayso.representation import Condition, Modifiers, Timing
from sayso.types import Clause

MOST_CONDITIONS = 2  # for one request
TIMES = {"again": 1, "once": 1, "twice": 2, "thrice": 3}


@dataclass(frozen=True, slots=True)
class Around:
    """Conditions and times that belong to one act."""

    conditions: tuple[Condition, ...] = ()
    timings: tuple[Timing, ...] = ()
    repeat: int = 1
    strange: tuple[str, ...] = ()  # words that were meant as a time, and are none

    def __add__(self, other: Around) -> Around:
        """Both together."""
        timings, strange = (*self.timings, *other.timings), (*self.strange, *other.strange)
        return Around((*self.conditions, *other.conditions), timings, max(self.repeat, other.repeat), strange)

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return self != Around()

    @property
    def words(self) -> tuple[str, ...]:
        """All that it says."""
        return (*self.strange, *(each.text for each in self.conditions), *(each.text for each in self.timings))

    def applied(self, clause: Clause) -> Clause:
        """The clause, which depends on this too."""
        before = clause.modifiers
        conditions = resolved((*before.conditions, *self.conditions), clause.roles)
        too_many = tuple(condition.text for condition in conditions[MOST_CONDITIONS:])
        lasting = before.mood == "prohibition" and bool(self.timings or any(each.kind != "if" for each in self.conditions))
        note = f"{len(conditions)} conditions for one request, {MOST_CONDITIONS} at most" if too_many else before.note
        modifiers: Modifiers = replace(
            before,
            note=note,
            mood="rule" if lasting else before.mood,
            conditions=conditions[:MOST_CONDITIONS],
            timings=(*before.timings, *self.timings),
            repeat=max(before.repeat, self.repeat),
        )
        return replace(clause, modifiers=modifiers, left_over=(*clause.left_over, *self.strange, *too_many))


def around(node: SpanNode, words: SpannedWords, phrases: PhraseComposer) -> Around:
    """What a condition or a time says."""
    if group_of()[node.label] == "condition":
        return Around(conditions=(condition(node, words, phrases),)) if restricts(node, words) else Around()
    reading, end = Reading(words.words), node.last + 1
    said = [word.text for word in words.of(node)]
    number = next((at for at, word in enumerate(said) if word.isdecimal()), -1)
    if node.label == "times" and (said[0] in TIMES or (number >= 0 and "minus" not in said)):
        return Around(repeat=TIMES.get(said[0]) or int(said[number]))
    length, seconds = duration_at(reading, node.first) if node.label == "for" else (0, 0.0)
    if length:  # "move 2 minutes"
        return Around(timings=(made(reading, "for", node.first, node.first + length, seconds),))
    found = next((taken for at in range(node.first, end) if (taken := timing_at(reading, at, end)) is not None), None)
    return Around(timings=found.timings) if found is not None else Around(strange=words.content(node))
