"""Reads a stretch of a sentence word by word into drafts of its clauses, each with what modifies it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from sayso.intent.clauses import LATER, Word
from sayso.intent.grammar import SAYING, after_lead_in, word_set
from sayso.intent.meaning.conditions import TakenCondition, condition_at
from sayso.intent.meaning.lists import phrases, tables
from sayso.intent.meaning.moods import TakenMood, lasting_at, mood_at
from sayso.intent.meaning.questions import question_at
from sayso.intent.meaning.sentence import LINKS, Reading, lemma
from sayso.intent.meaning.timings import repeat_at, timing_at
from sayso.representation import Condition, Mood, QuestionName, Timing

_MARKERS = tables("joins.yaml")["markers"]
_ANYWHERE, _FRONT, _BACK = (phrases(_MARKERS[name]) for name in ("anywhere", "front", "back"))
_COMPLEMENT = word_set("that to whether if about know what where who when how why which")
_FINITE = word_set("is are was were will has have isn't aren't won't i'm it's he's she's we're they're can should must needs")
# Intents whose own quantity a duration is: "wait for ten seconds", "drive for 2 seconds".
_LASTING_ACTS = word_set(
    "wait pause hold hang stay stop drive move roll turn rotate spin reverse advance back step halt freeze go stand be"
)
_CLOSING = word_set("it there here left right around forward back backward meters meter degrees seconds minutes them me")
_OTHERWISE = phrases("otherwise; or else; if not; else; if so; if he isn't; if she isn't; if it isn't; if it is not")
_WANTING = word_set("i i'd i'm we anna it's")
_INDIRECT_ACTS = word_set("check see look find verify")


@dataclass(slots=True)
class Draft:
    """A clause while it is read."""

    core: list[int] = field(default_factory=list)
    verb: int = -1  # index of its first verb
    started: bool = False
    mood: Mood = "request"
    negated: bool = False
    question: QuestionName | Literal[""] = ""
    asks: bool = False
    conditions: list[Condition] = field(default_factory=list)
    timings: list[Timing] = field(default_factory=list)
    repeat: int = 1
    note: str = ""
    fronted: bool = False
    trailing: bool = False
    earlier: bool = False  # "but first": to be done before the previous clause
    message: bool = False
    replaced: dict[int, Word] = field(default_factory=dict)  # a gerund as a plain verb
    instead: tuple[Word, ...] = ()

    def rewritten(self, reading: Reading) -> tuple[Word, ...]:
        """The clause as a plain command, if its own words are not one."""
        if not self.instead and not self.replaced:
            return ()
        return (*self.instead, *(self.replaced.get(at, reading.words[at]) for at in self.core if reading.word(at) not in LINKS))


class Scan:
    """One pass over the words [start, end)."""

    def __init__(self, reading: Reading, start: int, end: int) -> None:
        """Read the words into `drafts` and `markers`."""
        self._reading, self._start, self._end = reading, start, end
        self.drafts: list[Draft] = []
        self.markers: list[int] = []
        self._conditions: tuple[Condition, ...] = ()  # in front, for all clauses until others follow
        self._timings: tuple[Timing, ...] = ()
        self._rule = False
        self._later: list[Draft] = []  # "before coming back": acts to be done after the clause
        self._draft = Draft()
        at = start
        while at < end:
            if self._draft.started and self._boundary(at):
                self._close()
            at = self._inside(at) if self._draft.started else self._front(at)
        self._close()

    def _front(self, at: int) -> int:
        """Read what stands before the act; returns the index after it."""
        reading, draft = self._reading, self._draft
        if reading.word(at) in LINKS:
            return self._link(at)
        if length := self._earlier(at):
            draft.earlier = bool(self.drafts)
            return at + length
        if length := self._marker(at, front=True):
            return self._marked(at, length)
        if (length := _OTHERWISE.length(reading.text, at, self._end)) and self.drafts and at + length < self._end:
            return self._otherwise(at, length)
        if taken := condition_at(reading, at, self._end, front=True):
            return self._front_condition(taken)
        timing = timing_at(reading, at, self._end)
        if timing is not None and timing.end < self._end and self._opens(self._skip_commas(timing.end)):
            self._timings = timing.timings
            return self._comma(timing.end)
        if mood := mood_at(reading, at, self._end):
            return self._mood(mood, at)
        return self._begin(at)

    def _link(self, at: int) -> int:
        """Keep a linking word: it leads the clause."""
        self._draft.core.append(at)
        return at + 1

    def _begin(self, at: int) -> int:
        """Start the act; returns the index after its first word."""
        draft = self._draft
        draft.started = True
        window = list(self._reading.text[at : min(at + 9, self._end)])
        skip = after_lead_in(window)
        draft.verb = at + skip if self._reading.word(at + skip) in self._reading.lexicon.verbs else at
        if not draft.negated:
            draft.question = question_at(self._reading, at, self._end) or question_at(self._reading, at + skip, self._end) or ""
            draft.asks = bool(draft.question) and not (draft.verb == at + skip and self._reading.word(draft.verb) in _INDIRECT_ACTS)
        draft.conditions += self._conditions
        draft.timings += self._timings
        draft.fronted = bool(self._conditions or self._timings or draft.negated or draft.mood == "rule")
        if self._rule and draft.mood == "request":
            draft.mood = "rule"
        return self._take(at)

    def _take(self, at: int) -> int:
        """Add the word to the core."""
        draft, word = self._draft, self._reading.word(at)
        draft.core.append(at)
        verb = self._reading.word(draft.verb)
        if verb in SAYING and at > draft.verb and (word in _COMPLEMENT or word in _FINITE):
            draft.message |= not (verb == "let" and word != "know") and not (verb in ("say", "announce") and word == "to")
        return at + 1

    def _inside(self, at: int) -> int:
        """Read a word of the clause, or what modifies it; returns the index after it."""
        reading, draft = self._reading, self._draft
        if length := self._marker(at, front=False):
            return self._marked(at, length)
        if draft.message and not self._remind():
            return self._take(at)
        if not draft.message and (taken := condition_at(reading, at, self._end, front=False)):
            return self._trailing_condition(taken)
        timing = timing_at(reading, at, self._end) if not draft.asks or draft.question not in ("what", "yes_no") else None
        if timing is not None:
            if timing.duration and reading.word(draft.verb) in _LASTING_ACTS and not self._goes_somewhere():
                while at < timing.end:
                    at = self._take(at)
                return at
            self._times(timing.timings)
            return self._comma(timing.end)
        repeat = repeat_at(reading, at, self._end)
        if repeat is not None and not draft.asks:
            draft.repeat, draft.note, draft.trailing = repeat.count, draft.note or repeat.note, True
            return repeat.end
        if draft.negated and (length := lasting_at(reading, at, self._end)):
            draft.mood = "rule"
            return at + length
        return self._take(at)

    def _times(self, timings: tuple[Timing, ...]) -> None:
        """Add times that follow the act; they take the place of those in front."""
        draft = self._draft
        kinds = {timing.kind for timing in timings}
        draft.timings = [old for old in draft.timings if old.kind not in kinds or old not in self._timings] + list(timings)
        draft.trailing = True
        if draft.negated:
            draft.mood = "rule"

    def _trailing_condition(self, taken: TakenCondition) -> int:
        draft = self._draft
        if taken.act >= 0:
            self._act(taken)
            return taken.end
        draft.conditions += taken.conditions
        draft.trailing = True
        if taken.standing or (draft.negated and any(each.kind in ("until", "when", "while") for each in taken.conditions)):
            draft.mood = "rule"
        return taken.end

    def _front_condition(self, taken: TakenCondition) -> int:
        if taken.act >= 0:
            self._act(taken)
            return self._comma(taken.end)
        self._conditions = (*self._conditions, *taken.conditions) if not self.drafts and self._conditions else taken.conditions
        self._rule = taken.standing
        at = self._comma(taken.end)
        return at + 1 if self._reading.word(at) == "then" else at

    def _act(self, taken: TakenCondition) -> None:
        """Keep an act that a condition names, "after going to the kitchen", for before or after the clause."""
        reading = self._reading
        word = reading.words[taken.act]
        draft = Draft(core=list(range(taken.act, taken.end)), verb=taken.act, started=True)
        base = lemma(word.text)
        if base != word.text:
            draft.replaced = {taken.act: Word(base, word.start, word.end)}
        if taken.before:
            self._later.append(draft)
        else:
            self.drafts.append(draft)

    def _otherwise(self, at: int, length: int) -> int:
        """Negate the conditions of the clauses before: "otherwise go to the kitchen"."""
        said = self._reading.said(at, at + length)
        span = (self._reading.words[at].start, self._reading.words[at + length - 1].end)
        before = next((draft.conditions for draft in reversed(self.drafts) if draft.conditions), [])
        flipped = said != "if so"
        self._conditions = tuple(
            replace(each, text=said, start=span[0], end=span[1], negated=each.negated != flipped) for each in before[:1]
        )
        return self._comma(at + length)

    def _mood(self, taken: TakenMood, at: int) -> int:
        draft = self._draft
        draft.mood, draft.negated, draft.instead = taken.mood, taken.negated, taken.instead
        if taken.mood == "prohibition" and (self._timings or any(each.kind != "if" for each in self._conditions)):
            draft.mood = "rule"
        at = self._comma(taken.end)
        if not draft.negated:
            if again := mood_at(self._reading, at, self._end):
                return self._mood(replace(again, mood="rule"), at)
            if at < self._end and not self._reading.request(at):
                self._rule = True
                return at  # "from now on, when anna comes …"
        return self._begin(at) if at < self._end else at

    def _marker(self, at: int, *, front: bool) -> int:
        """Number of words at that index that only accompany speech."""
        reading, end = self._reading, self._end
        if length := _ANYWHERE.length(reading.text, at, end):
            return length if not (front and reading.word(at) in ("thanks", "thank") and not self._rest(at + length)) else 0
        if front:
            length = _FRONT.length(reading.text, at, end)
            after = self._skip_commas(at + length)
            return length if length and after < end and (self._opens(after) or self._marker(after, front=True)) else 0
        length = _BACK.length(reading.text, at, end)
        after = at + length
        if not length or (reading.word(at) == "robot" and reading.word(at - 1) in ("a", "the", "my", "this", "that", "are")):
            return 0
        if reading.word(at) in ("right", "then") and after < end:
            return 0
        if reading.word(at) == "right" and reading.word(at - 1) != ",":
            return 0
        return (
            length
            if after >= end or (reading.word(after) in LINKS and self._boundary(after)) or _BACK.length(reading.text, after, end)
            else 0
        )

    def _marked(self, at: int, length: int) -> int:
        self.markers += range(at, at + length)
        return self._comma(at + length) if not self._draft.started else at + length

    def _earlier(self, at: int) -> int:
        """Number of words that put the clause before the previous one: "before that"."""
        text = self._reading.text
        if text[at : at + 2] == ("before", "that"):
            return 2
        return 1 if text[at] == "first" and at > self._start and text[at - 1] == "but" else 0

    def _rest(self, at: int) -> bool:
        return any(word not in LINKS for word in self._reading.text[at : self._end])

    def _comma(self, at: int) -> int:
        """The index after a comma there, which goes with what it follows."""
        return at + 1 if at < self._end and self._reading.word(at) == "," else at

    def _skip_commas(self, at: int) -> int:
        while at < self._end and self._reading.word(at) == ",":
            at += 1
        return at

    def _remind(self) -> bool:
        return self._reading.word(self._draft.verb) in ("remind", "ask", "tell") and "that" not in self._said()

    def _said(self) -> list[str]:
        return [self._reading.word(at) for at in self._draft.core]

    def _goes_somewhere(self) -> bool:
        """Whether the clause names a place: "go to the kitchen for ten minutes"."""
        said = self._said()
        return "to" in said and not {"left", "right"} & set(said)

    def _opens(self, at: int) -> bool:
        """Whether a clause may begin there."""
        reading, end = self._reading, self._end
        if at >= end:
            return False
        if reading.request(at) or _ANYWHERE.length(reading.text, at, end):
            return True
        if reading.word(at) in _WANTING or mood_at(reading, at, end) or question_at(reading, at, end):
            return True
        if condition_at(reading, at, end, front=True) is not None:
            return True
        timing = timing_at(reading, at, end)
        if timing is not None:
            return reading.request(self._skip_commas(timing.end))
        return bool(_FRONT.length(reading.text, at, end)) and reading.request(self._skip_commas(at + _FRONT.length(reading.text, at, end)))

    def _boundary(self, at: int) -> bool:
        """Whether a new clause begins there, after a complete one."""
        reading, draft = self._reading, self._draft
        if reading.word(at) in LINKS:
            if reading.word(at - 1) in LINKS or not draft.core:
                return False
            after = at
            while after < self._end and reading.word(after) in LINKS:
                after += 1
            if after >= self._end:
                return False
            linked = set(reading.text[at:after])
            if linked & LATER and not draft.message:
                return True
            if draft.message or (linked == {"or"}):
                return bool(linked & LATER)
            if len(draft.core) == 1 and reading.word(draft.core[0]) in ("go", "come", "try", "hurry", "run"):
                return False
            if self._earlier_link(after):
                return True
            if reading.word(after) in _WANTING:
                return reading.word(after + 1) in ("need", "want") and reading.word(after + 2) not in ("it", "them", "that", "those")
            return self._opens(after) or bool(_OTHERWISE.length(reading.text, after, self._end))
        if draft.question and at - draft.verb > 0 and reading.word(at - 1) != ",":
            return False
        if draft.message or at - draft.verb < 1 or not reading.imperative(at):
            return (
                mood_at(reading, at, self._end) is not None
                and not draft.message
                and reading.ends_name(at)
                and reading.word(at) in ("don't", "never")
            )
        before = at - 1
        taken = before not in draft.core
        return taken or (draft.verb >= 0 and ((reading.word(before) in _CLOSING and len(draft.core) > 1) or reading.ends_name(at)))

    def _earlier_link(self, at: int) -> bool:
        return at < self._end and self._earlier(at) > 0

    def _close(self) -> None:
        """Finish the clause."""
        draft = self._draft
        self._draft = Draft()
        if not draft.started:
            if draft.core and self.drafts:
                self.drafts[-1].core += draft.core
            return
        if draft.earlier and self.drafts:
            self.drafts.insert(len(self.drafts) - 1, draft)
        else:
            self.drafts.append(draft)
        self.drafts += self._later
        self._later = []
