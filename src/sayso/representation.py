"""What a sentence means beyond intents and roles: descriptions of things, conditions, times, moods. Part of `types`.

A clause is an act with roles. A role's filler is a `Description`: a noun phrase that denotes a set. Spans are characters of
IntentBelief.text, [start, end). docs/meaning.md explains each field with examples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

# "with" is possession or accompaniment ("the box with the red lid"), "at" any contact with a place ("the chair at the table").
RelationName = Literal[
    "on", "in", "under", "above", "next_to", "left_of", "right_of", "behind", "in_front_of", "between", "with", "at", "from"
]
# exactly: `count` of them. other: one that was not spoken of. no: "no cup". one: an elliptic "one of them".
QuantityName = Literal["the", "a", "all", "both", "every", "some", "any", "no", "other", "exactly"]
# request: to be done. question: to be answered. rule: a prohibition or habit that stays. hint: a need that some act would help.
# retracted: taken back by the speaker. prohibition: not to be done now. unable: an act for which there is no intent.
Mood = Literal["request", "question", "rule", "hint", "prohibition", "retracted", "unable"]
# From "abilities" on, the robot itself is asked; `time` and `date` are those of its clock.
QuestionName = Literal[
    "where", "which", "how_many", "yes_no", "colour", "size", "describe", "who", "what",
    "abilities", "activity", "time", "date", "tomorrow", "name", "sight", "done", "why_asked", "why", "own_place", "holding", "battery",
    "joke", "self", "invitation",
]  # fmt: skip
ConditionName = Literal["if", "unless", "when", "until", "before", "after", "while"]
TimingName = Literal["in", "at", "every", "for", "until", "today"]
ADDRESSEE = "you"  # the pronoun of the robot, to whom the words are said
# Attributes that compare: of several, "the big one" is the biggest.
SIZES = {"big": "biggest", "large": "biggest", "huge": "biggest", "small": "smallest", "little": "smallest", "tiny": "smallest"}
SIZES |= {"tall": "tallest", "long": "longest", "short": "shortest"}


@dataclass(frozen=True, slots=True)
class Relation:
    """A restriction by place: next_to(bread)."""

    name: RelationName
    landmarks: tuple[Description, ...]  # one; two for "between"
    negated: bool = False  # "the one that is not on the table"


@dataclass(frozen=True, slots=True)
class Description:
    """A noun phrase, as said. It denotes the entities that fit all of its parts."""

    text: str
    start: int
    end: int
    head: str = ""  # the noun, singular: "cup"; empty if there is none ("something", "the red one", a pronoun)
    attributes: tuple[str, ...] = ()  # words that restrict: "red", "empty", "anna's"
    relations: tuple[Relation, ...] = ()
    order: str = ""  # superlative or ordinal: "biggest", "nearest", "leftmost", "1" (first), "-1" (last)
    quantity: QuantityName = "the"
    count: int = 1  # of `exactly`; of `some`, how many at most: "a few"
    purpose: str = ""  # "something to drink" → "drink"
    excluded: tuple[Description, ...] = ()  # "but not the red one"
    parts: tuple[Description, ...] = ()  # of a coordination, in order; then `head` is empty
    joined: Literal["", "and", "or"] = ""
    pronoun: str = ""  # "it", "them", "there", "her", "one", …
    candidates: tuple[tuple[str, float], ...] = ()  # (entity, score in [0, 1]) by name, kind and attributes alone, best first
    unknown: tuple[str, ...] = ()  # its content words that nothing in the home explains: "toilet" of "toilet paper", "empty" of "empty box"

    @property
    def restricted(self) -> bool:
        """Whether more than name, kind and attributes is needed to know what it denotes."""
        return bool(self.relations or self.order or self.purpose or self.excluded or self.parts) or self.plural

    @property
    def untold(self) -> tuple[str, ...]:
        """Its attributes of which the home says nothing: "empty" of "an empty box"; not the "toilet" of "toilet paper"."""
        return tuple(word for word in self.attributes if word in self.unknown)

    @property
    def plural(self) -> bool:
        """Whether it denotes several entities, each of which is meant."""
        return (
            self.quantity in ("all", "both", "every") or (self.quantity in ("exactly", "some") and self.count > 1) or self.joined == "and"
        )


@dataclass(frozen=True, slots=True)
class Condition:
    """A state or an event on which a clause depends: "if the phone is in the bedroom", "when anna comes", "before you charge"."""

    kind: ConditionName
    text: str  # as said
    start: int
    end: int
    subject: Description | None = None  # "the phone", "anna"
    relation: Relation | None = None  # "in the bedroom"
    event: str = ""  # the verb of an event: "come", "charge", "ring"; empty for a state
    attribute: str = ""  # of a state: "empty", "open"
    negated: bool = False  # "if it isn't there"


@dataclass(frozen=True, slots=True)
class Timing:
    """When a clause is to be done: "in five minutes", "at six", "every day at noon", "for ten minutes", "today"."""

    kind: TimingName
    text: str
    start: int
    end: int
    seconds: float = math.nan  # in, for, every: a duration; at, until: seconds after midnight, local time
    day: int = 0  # days from today: "tomorrow at six" is 1
    problem: str = ""  # why it cannot be met, one line: "yesterday has passed"


@dataclass(frozen=True, slots=True)
class Modifiers:
    """What a clause adds to its act: when, on which condition, how often, in which mood."""

    mood: Mood = "request"
    question: QuestionName | Literal[""] = ""
    conditions: tuple[Condition, ...] = ()
    timings: tuple[Timing, ...] = ()
    repeat: int = 1  # "twice" → 2
    note: str = ""  # a limit or a problem, one line for a person: "minus two cups make no sense"
