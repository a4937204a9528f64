"""A clause while it is read: its words and what modifies it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from sayso.intent.clauses import Word
from sayso.intent.grammar import SAYING, word_set
from sayso.intent.meaning.sentence_words import LINKS, Reading
from sayso.representation import Condition, Mood, QuestionName, Timing

COMPLEMENT = word_set("that to whether if about know what where who when how why which")
FINITE = word_set("is are was were will has have isn't aren't won't i'm it's he's she's we're they're can should must needs")
# Acts whose own quantity a duration is: "wait for ten seconds", "drive for 2 seconds".
_LASTING_ACTS = word_set(
    "wait pause hold hang stay stop drive move roll turn rotate spin reverse advance back step halt freeze go stand be remain guard watch"
)
_AS_LONG = re.compile(r"\b(?:as|so) long as\b")


@dataclass(slots=True)
class Draft:
    """A clause while it is read."""

    core: list[int] = field(default_factory=list)  # indices of its words
    verb: int = -1  # index of its first verb
    started: bool = False
    mood: Mood = "request"
    negated: bool = False
    question: QuestionName | Literal[""] = ""
    conditions: list[Condition] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    repeat: int = 1
    note: str = ""
    fronted: bool = False  # a modifier precedes it
    trailing: bool = False  # a modifier follows it
    earlier: bool = False  # "but first": to be done before the previous clause
    message: bool = False  # the words from here on are to be passed on
    stating: bool = False  # its words have the form of a statement
    elliptic: bool = False  # without a verb, after a clause with a modifier: "… at six and to the study at seven"
    peeled: list[int] = field(default_factory=list)  # words of the modifiers that follow it
    alone: bool = False  # an act that a condition names: "after you bring me the cup"
    reason: bool = False  # "because i'm thirsty"
    explained: bool = False  # its core begins with a need: "the kitchen is dirty, please clean it"
    replaced: dict[int, Word] = field(default_factory=dict)  # a gerund as a plain verb
    instead: tuple[Word, ...] = ()  # words of a plain command that take the place of words of the mood
    command: tuple[Word, ...] = ()  # a plain command that says the same as the whole clause

    def rewritten(self, reading: Reading) -> tuple[Word, ...]:
        """The clause as a plain command, if its own words are not one."""
        if self.command or not (self.instead or self.replaced):
            return self.command
        return (*self.instead, *(self.replaced.get(at, reading.words[at]) for at in self.core if reading.word(at) not in LINKS))

    def add(self, reading: Reading, at: int) -> None:
        """Add a word to the core."""
        self.core.append(at)
        verb, word = reading.word(self.verb), reading.word(at)
        if verb in SAYING and at > self.verb and (word in COMPLEMENT or word in FINITE):
            self.message |= not (verb == "let" and word != "know") and not (verb in ("say", "announce") and word == "to")

    def lead(self, reading: Reading) -> tuple[Word, ...]:
        """The verb that an elliptic clause after this one omits, as words that were not spoken again: "bring me"."""
        found = [self.verb]
        found += [at for at in self.core if at == found[-1] + 1 and reading.word(at) in ("me", "us", "up")][:1]
        end = reading.words[self.core[-1]].end
        return tuple(Word(reading.word(at), end, end) for at in found)

    def keeps_time(self, reading: Reading) -> bool:
        """Whether a time belongs to the message: "tell anna dinner is at six", but not "remind anna to come at six"."""
        if not self.message:
            return False
        said = {reading.word(at) for at in self.core}
        return "to" not in said or "that" in said or bool(said & FINITE)

    def lasts(self, reading: Reading) -> bool:
        """Whether the act goes on by itself: "wait", "follow me", but not "bring me the cup"."""
        return reading.word(self.verb) in ("follow", "keep") or self.keeps_duration(reading)

    def keeps_duration(self, reading: Reading) -> bool:
        """Whether a duration is a quantity of the act: "wait for ten seconds", but not "go to the kitchen for ten minutes"."""
        said = {reading.word(at) for at in self.core}
        return reading.word(self.verb) in _LASTING_ACTS and ("to" not in said or bool(said & {"left", "right"}))

    def add_timings(self, timings: tuple[Timing, ...], front: tuple[Timing, ...]) -> None:
        """Add times that follow the act; they take the place of times of the same kind in front."""
        kinds = {timing.kind for timing in timings}
        self.timings = [old for old in self.timings if old not in front or old.kind not in kinds] + list(timings)
        self.trailing = True
        if self.negated:
            self.mood = "rule"

    def excepted(self, reading: Reading, conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        """The conditions after the clause; "but not if" makes them exceptions."""
        if len(self.core) < 3 or reading.said(self.core[-2], self.core[-1] + 1) not in ("but not", "and not", ", not"):
            return conditions
        self.peeled += self.core[-2:]
        del self.core[-2:]
        return tuple(replace(each, kind="unless") if each.kind in ("if", "when") else each for each in conditions)

    def add_conditions(self, conditions: tuple[Condition, ...], *, standing: bool) -> None:
        """Add conditions that follow the act; a prohibition with "until", "when" or "while" is a rule."""
        self.conditions += conditions
        self.trailing = True
        if standing or (self.negated and any(each.kind in ("until", "when", "while") for each in conditions)):
            self.mood = "rule"


def as_state(condition: Condition) -> Condition:
    """The condition of an act that does not last: "bring it as long as she is asleep" means if she is."""
    return replace(condition, kind="if") if condition.kind == "while" and _AS_LONG.search(condition.text) else condition
