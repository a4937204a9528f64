"""Reads a stretch of a sentence word by word into drafts of its clauses, each with what modifies it."""

from __future__ import annotations

from dataclasses import replace

from sayso.intent.clauses import Word
from sayso.intent.grammar import DETERMINERS, after_lead_in, word_set
from sayso.intent.meaning.asides import aside_at
from sayso.intent.meaning.boundaries import (
    COMMENTING,
    REASONS,
    after_commas,
    back_marker,
    begins_clause,
    begins_elliptic,
    earlier_at,
    front_marker,
    opens,
    otherwise_at,
    states,
)
from sayso.intent.meaning.conditions import TakenCondition, condition_at, finite_verb, opener_at
from sayso.intent.meaning.drafts import Draft
from sayso.intent.meaning.expansions import again_at, awaited, expanded
from sayso.intent.meaning.moods import TakenMood, lasting_at, mood_at
from sayso.intent.meaning.own_questions import own_question
from sayso.intent.meaning.questions import question_at
from sayso.intent.meaning.repeated_conditions import condition_asked, condition_said
from sayso.intent.meaning.repetition import repeat_at
from sayso.intent.meaning.sentence_words import LINKS, Reading, lemma
from sayso.intent.meaning.timings import timing_at
from sayso.representation import Condition, Timing

_AGAIN = frozenset(f"if {who} {state}" for who in ("it", "he", "she", "they") for state in ("is", "are", "isn't", "aren't", "is not"))
_NEEDING = word_set("needs gets wants need want")
_LOOKING = word_set("check see look find verify")  # "see if the milk is there" is a request


class Scan:
    """One pass over the words [start, end)."""

    def __init__(self, reading: Reading, start: int, end: int) -> None:
        """Read the words into `drafts` and `markers`."""
        self._reading, self._end = reading, end
        self.drafts: list[Draft] = []
        self.markers: list[int] = []
        self._conditions: tuple[Condition, ...] = ()  # in front, for all clauses until others follow
        self._timings: tuple[Timing, ...] = ()
        self._rule = False
        self._later: list[Draft] = []  # "before coming back": acts to be done after the clause
        self._draft = Draft()
        at = start
        while at < end:
            if self._draft.started and (length := again_at(reading, self._draft, at, end)):
                self._draft.repeat, self._draft.trailing = self._draft.repeat + 1, True
                at += length
                continue
            if self._draft.started and begins_clause(reading, self._draft, at, end):
                self._close()
            elif self._draft.started and begins_elliptic(reading, self._draft, at, end):
                lead = self._draft.lead(reading)
                self._close()
                self._draft = Draft(elliptic=True, started=True, verb=at, instead=lead)
            at = self._inside(at) if self._draft.started else self._front(at)
        self._close()
        awaited(reading, self.drafts)

    def _front(self, at: int) -> int:
        """Read what stands before the act; returns the index after it."""
        reading, draft, end = self._reading, self._draft, self._end
        if reading.word(at) in LINKS and not opener_at(reading, at, end):  # "so long as"
            draft.core.append(at)
            return at + 1
        if length := earlier_at(reading, at, end):
            draft.earlier = bool(self.drafts)
            return at + length
        if reading.word(at) in ("keep", "continue") and self._goes_on(at + 1):  # "keep turning left"
            verb = reading.words[at + 1]
            draft.replaced = {at + 1: replace(verb, text=lemma(verb.text))}
            begun = self._begin(at + 1)
            draft.stating = False
            return begun
        if length := front_marker(reading, at, end):
            return self._marked(at, length)
        if self.drafts and (length := otherwise_at(reading, at, end)):
            return self._otherwise(at, length)
        if stop := self._front_modifier(at):
            return stop
        if mood := mood_at(reading, at, end):
            return self._mood(mood)
        if self.drafts and (reading.word(at) in REASONS | COMMENTING or aside_at(reading, self.drafts[-1], at, end)):
            draft.reason = True
        return self._begin(at)

    def _front_modifier(self, at: int) -> int:
        """Read a condition, a time or a repetition before the act; returns the index after it, 0 for none."""
        reading, end = self._reading, self._end
        if taken := condition_at(reading, at, end, front=True):
            return self._front_condition(taken)
        timing = timing_at(reading, at, end)
        if timing is not None and (timing.often or self._precedes(after_commas(reading, timing.end, end))):
            self._timings = timing.timings
            return self._comma(timing.end)
        repeat = repeat_at(reading, at, end)
        if repeat is not None and not repeat.note and opens(reading, after_commas(reading, repeat.end, end), end):  # "3 times now go …"
            self._draft.repeat = repeat.count
            return self._comma(repeat.end)
        return 0

    def _goes_on(self, at: int) -> bool:
        """Whether a gerund with more words after it stands there: the act of "keep turning left"."""
        word, reading = self._reading.word(at), self._reading
        gerund = word.endswith("ing") and lemma(word) != word and lemma(word) in reading.lexicon.verbs
        return gerund and lemma(word) not in ("go", "look") and at + 1 < self._end and reading.word(at + 1) not in LINKS

    def _precedes(self, at: int) -> bool:
        """Whether a clause to which a time in front belongs begins there."""
        reading, end = self._reading, self._end
        needing = bool(_NEEDING.intersection(reading.text[at + 1 : at + 3]))  # "in 10 minutes grandma needs her medicine"
        stated = states(reading, at, end) and not needing
        return opens(reading, at, end) or (at < end and reading.word(at) not in LINKS and not stated)

    def _begin(self, at: int) -> int:
        """Start the act; returns the index after its first word."""
        draft, reading = self._draft, self._reading
        if "then" in (reading.word(link) for link in draft.core) and not self._conditions:  # "is the milk there? then bring it"
            asked = self._asked(Condition("if", "then", reading.words[at].start, reading.words[at].end))
            self._conditions = (asked,) if asked is not None else ()
        draft.started = True
        skip = after_lead_in(list(reading.text[at : min(at + 9, self._end)]))
        draft.verb = at + skip if reading.word(at + skip) in reading.lexicon.verbs else at
        looking = draft.verb == at + skip and reading.word(draft.verb) in _LOOKING and not own_question(reading.said(at, self._end))
        if not draft.negated and not looking:
            draft.question = question_at(reading, at, self._end) or question_at(reading, at + skip, self._end) or ""
        draft.conditions += self._conditions
        draft.timings += self._timings
        draft.fronted = bool(self._conditions or self._timings or draft.negated or draft.mood == "rule")
        if self._rule and draft.mood == "request":
            draft.mood = "rule"
        draft.stating = not (draft.question or draft.negated or reading.request(at)) and states(reading, at, self._end)
        if draft.stating:
            draft.verb = max(at, finite_verb(reading, at, self._end))
        draft.add(reading, at)
        return at + 1

    def _inside(self, at: int) -> int:
        """Read a word of the clause, or what modifies it; returns the index after it."""
        reading, draft = self._reading, self._draft
        if reading.word(at) == "then" and not draft.timings and (told := self._told_time(at)):  # "she has a call at 3, bring it then"
            draft.add_timings(told, ())
            draft.peeled.append(at)
            return at + 1
        if (length := back_marker(reading, draft, at, self._end)) and not self._keeps(at):  # "wait for a minute"
            self.markers += range(at, at + length)
            return at + length
        if draft.question:
            draft.add(reading, at)
            return at + 1
        if not draft.message and (taken := condition_at(reading, at, self._end, front=False)):
            if taken.act >= 0:
                self._act(taken)
            else:
                if taken.conditions:
                    draft.add_conditions(draft.excepted(reading, taken.conditions), standing=taken.standing)
                draft.peeled += range(at, taken.end)
            return taken.end
        if stop := self._timing(at) or self._repeat(at):
            draft.peeled += [index for index in range(at, stop) if index not in draft.core]
            return stop
        always = reading.said(at, at + 3) == "from now on" and reading.word(draft.core[0]) != "no"
        if (draft.negated or always) and (length := lasting_at(reading, at, self._end)):
            draft.mood = "rule"
            return at + length
        draft.add(reading, at)
        return at + 1

    def _keeps(self, at: int) -> bool:
        """Whether a duration stands there that is the quantity of the act."""
        lasts = not self._draft.negated and self._draft.keeps_duration(self._reading)
        timing = timing_at(self._reading, at, self._end) if lasts else None
        return timing is not None and timing.duration

    def _told_time(self, at: int) -> tuple[Timing, ...]:
        """The time of the statements before, to which "then" at the end of a clause refers."""
        if at + 1 < self._end and self._reading.word(at + 1) not in LINKS:
            return ()
        stated = sorted(index for draft in self.drafts if draft.stating or draft.timings for index in (*draft.core, *draft.peeled))
        found = (timing_at(self._reading, index, self._draft.core[0]) for index in stated)
        return next((timing.timings for timing in found if timing is not None and not timing.duration), ())

    def _timing(self, at: int) -> int:
        """Read a time of the clause; returns the index after it, 0 for none."""
        reading, draft = self._reading, self._draft
        timing = timing_at(reading, at, self._end)
        if timing is None or draft.keeps_time(reading) or reading.word(draft.verb) == "cancel":  # "cancel the thing at six"
            return 0
        if timing.duration and draft.keeps_duration(reading):
            for index in range(at, timing.end):
                draft.add(reading, index)
            return timing.end
        draft.add_timings(timing.timings, self._timings)
        return timing.end

    def _repeat(self, at: int) -> int:
        """Read how often the act is to be done; returns the index after it, 0 for none."""
        draft = self._draft
        repeat = repeat_at(self._reading, at, self._end) if not draft.message else None
        if repeat is None:
            return 0
        draft.repeat, draft.note, draft.trailing = repeat.count, draft.note or repeat.note, True
        return repeat.end

    def _front_condition(self, taken: TakenCondition) -> int:
        if taken.act >= 0:
            self._act(taken)
            return self._comma(taken.end)
        if len(taken.conditions) == 1 and taken.conditions[0].text in _AGAIN and (asked := self._asked(taken.conditions[0])):
            taken = replace(taken, conditions=(asked,))
        if taken.conditions:
            self._conditions = (*self._conditions, *taken.conditions) if not self.drafts else taken.conditions
        self._rule |= taken.standing
        at = self._comma(taken.end)
        return at + (self._reading.word(at) == "then")

    def _act(self, taken: TakenCondition) -> None:
        """Keep an act that a condition names, "after going to the kitchen", for before or after the clause."""
        word = self._reading.words[taken.act]
        draft = Draft(core=list(range(taken.act, taken.end)), verb=taken.act, started=True, alone=True)
        if (base := lemma(word.text)) != word.text:
            draft.replaced = {taken.act: Word(base, word.start, word.end)}
        (self._later if taken.before else self.drafts).append(draft)

    def _otherwise(self, at: int, length: int) -> int:
        """Take up the condition of the clauses before, negated unless it is "if so": "otherwise go to the kitchen"."""
        words = self._reading.words
        said, start, end = self._reading.said(at, at + length), words[at].start, words[at + length - 1].end
        holds = said in ("if so", "in which case", "in that case")
        before = next((draft.conditions for draft in reversed(self.drafts) if draft.conditions), [])
        again = Condition("if", said, start, end, negated=not holds)  # "check if the milk is there, and if so …"
        if (asked := self._asked(again)) is not None:
            again = asked
        elif before:
            kind = "if" if holds and before[0].kind == "unless" else before[0].kind
            again = replace(before[0], kind=kind, text=said, start=start, end=end, negated=before[0].negated == holds)
        self._conditions = (again,)
        if self._reading.word(at + length) in DETERMINERS:
            self._draft.instead = self.drafts[-1].lead(self._reading)  # "otherwise the newspaper"
        return self._comma(at + length)

    def _asked(self, again: Condition) -> Condition | None:
        """The condition of the question just before, which then is no question of its own: "is it there? if so …"."""
        if not self.drafts:
            return None
        before, reading = self.drafts[-1], self._reading
        opener = next((n for n, at in enumerate(before.core) if n and reading.word(at) in ("if", "whether")), 0)
        if before.question == "yes_no":
            found = condition_asked(reading, before.core, again)
        elif opener and reading.word(before.core[opener - 1]) in _LOOKING:  # "check if it is there, and if so …"
            found = condition_said(reading, before.core[opener + 1 :], again)
        else:
            return None
        if found is not None:
            self.drafts.pop()
        return found

    def _mood(self, taken: TakenMood) -> int:
        """Note a mood and begin its clause; returns the index after what was read."""
        draft, reading = self._draft, self._reading
        draft.mood, draft.negated, draft.instead = taken.mood, taken.negated, taken.instead
        if taken.mood == "prohibition" and (self._timings or any(each.kind != "if" for each in self._conditions)):
            draft.mood = "rule"
        at = self._comma(taken.end)
        if not draft.negated and at < self._end:
            if again := mood_at(reading, at, self._end):
                return self._mood(replace(again, mood="rule"))
            if not reading.request(at):
                self._rule = True
                return at  # "from now on, when anna comes …"
        return self._begin(at) if at < self._end else at

    def _marked(self, at: int, length: int) -> int:
        self.markers += range(at, at + length)
        return self._comma(at + length)

    def _comma(self, at: int) -> int:
        """The index after a comma there, which goes with what precedes it."""
        return at + 1 if at < self._end and self._reading.word(at) == "," else at

    def _close(self) -> None:
        """Finish the clause."""
        draft, self._draft = self._draft, Draft()
        if not draft.started:
            if draft.core and self.drafts:
                self.drafts[-1].core += draft.core
            return
        while draft.trailing and len(draft.core) > 1 and self._reading.word(draft.core[-1]) in LINKS:  # "…, but only if"
            draft.peeled.append(draft.core.pop())
        if draft.elliptic and not draft.trailing:
            self.drafts[-1].core += draft.core
        elif draft.earlier:
            self.drafts.insert(len(self.drafts) - 1, draft)
        else:
            self.drafts += expanded(self._reading, self.drafts[-1] if self.drafts else None, draft)
        self.drafts += self._later
        self._later = []
