"""Peels off what joins and modifies the clauses of a sentence, so that plain clauses remain: conditions, times, repetition, moods, hints.

"if the phone is in the bedroom, bring it to me twice" → the clause "bring it to me" with a condition and a repetition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sayso.intent.clauses import Word
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.meaning.clause_scan import Scan
from sayso.intent.meaning.drafts import Draft, as_state
from sayso.intent.meaning.hints import HintedCommand, hinted
from sayso.intent.meaning.moods import own_act
from sayso.intent.meaning.recast import recast
from sayso.intent.meaning.retractions import parts_of
from sayso.intent.meaning.sentence_words import Lexicon, Reading
from sayso.intent.normalise import UNITS
from sayso.representation import Modifiers, Mood

Scope = Literal["all", "first", "last"]
MOST_CONDITIONS, MOST_REQUESTS = 2, 30
_PRONOUNS = frozenset(("it", "them", "there", "that", "those"))


@dataclass(frozen=True, slots=True)
class Segment:
    """A run of plain clauses that share their modifiers."""

    core: tuple[int, ...]  # indices into the words, ascending
    modifiers: Modifiers
    scope: Scope = "all"  # to which of its clauses the modifiers belong
    negated: bool = False  # of a prohibition or rule: the act is forbidden
    rewritten: tuple[Word, ...] = ()  # a plain command to read instead of the core; words that were not spoken have start = end


@dataclass(frozen=True, slots=True)
class Peeled:
    """A sentence taken apart. Each word is in one core, in `markers` or in `modifying`."""

    segments: tuple[Segment, ...]  # in the order in which they are to be done
    markers: tuple[int, ...] = ()  # words that only accompany speech: "please", "well"
    modifying: tuple[int, ...] = ()  # words of conditions, times, repetitions, moods and retractions


def peel(words: tuple[Word, ...], gazetteer: Gazetteer, verbs: frozenset[str], examples: tuple[str, ...] = ()) -> Peeled:
    """The clauses of a sentence without what joins and modifies them.

    Args:
        words: of the normalised and repaired text.
        gazetteer: of the home.
        verbs: that begin commands.
        examples: normalised example sentences that are themselves negated, "don't move"; they are no prohibitions.
    """
    reading = Reading(words, Lexicon(gazetteer, verbs, examples))
    segments: list[Segment] = []
    markers: list[int] = []
    for part in parts_of(reading):
        scan = Scan(reading, part.start, part.core_end)
        markers += scan.markers
        drafts, reasons = _without_reasons(reading, recast(reading, scan.drafts))
        markers += reasons
        segments += _segments(reading, drafts, retracted=part.retracted)
    if not any(segment.core for segment in segments):
        return Peeled((Segment(tuple(range(len(words))), Modifiers()),) if words else ())
    cores = {at for segment in segments for at in segment.core}
    marking = set(markers) - cores  # "as well" of "the bread as well" belongs to a core
    covered = cores | marking
    return Peeled(tuple(segments), tuple(sorted(marking)), tuple(at for at in range(len(words)) if at not in covered))


def _without_reasons(reading: Reading, drafts: list[Draft]) -> tuple[list[Draft], list[int]]:
    """The clauses that ask for something, and the words of those that only explain them: "bring me the water, i'm thirsty".

    Its words stay if the next clause refers to it: "the kitchen is dirty, please clean it".
    """
    if len(drafts) < 2:
        return drafts, []
    referring = [bool(_PRONOUNS.intersection(reading.word(at) for at in draft.core)) for draft in drafts[1:]]
    explaining = [
        draft.reason or _is_need(reading, draft, referred=refers) for draft, refers in zip(drafts, (*referring, False), strict=True)
    ]
    if all(explaining):
        return drafts, []
    if any(explaining) and all(explains or draft.stating for explains, draft in zip(explaining, drafts, strict=True)):
        told = [at for explains, draft in zip(explaining, drafts, strict=True) if not explains for at in draft.core]
        return [draft for explains, draft in zip(explaining, drafts, strict=True) if explains], told  # "it's raining and i must go out"
    kept: list[Draft] = []
    reasons: list[int] = []
    needed: list[int] = []
    for draft, explains in zip(drafts, explaining, strict=True):
        if explains and not kept:
            needed += draft.core
        elif explains:
            reasons += draft.core
        else:
            refers = _PRONOUNS.intersection(reading.word(at) for at in draft.core)
            if refers:
                draft.core, draft.explained = [*needed, *draft.core], bool(needed)
            else:
                reasons += needed
            needed = []
            kept.append(draft)
    return kept, reasons


def _is_need(reading: Reading, draft: Draft, *, referred: bool) -> bool:
    """Whether the clause only explains another; any hint does if the next clause speaks of the same thing: "i dropped it, pick it up"."""
    if draft.command:
        return False
    hint = hinted(reading, tuple(draft.core)) if draft.mood == "request" and not draft.question else None
    return own_act(reading, draft.core) or (hint is not None and (hint.need or (referred and hint.group != "places")))


def _segments(reading: Reading, drafts: list[Draft], *, retracted: bool) -> list[Segment]:
    """Neighbouring clauses with the same modifiers become one segment."""
    result: list[Segment] = []
    alone_before = False
    for draft in drafts:
        if not (draft.core or draft.instead or draft.command):
            continue
        made = _segment(reading, draft, retracted=retracted)
        if result and not (draft.alone or alone_before) and _alike(result[-1], made):
            result[-1] = Segment((*result[-1].core, *made.core), made.modifiers, "all", made.negated)
        else:
            result.append(made)
        alone_before = draft.alone
    if len(drafts) > MOST_REQUESTS:
        note = f"{len(drafts)} requests at once, {MOST_REQUESTS} at most"
        result = [_noted(segment, note) for segment in result]
    return result


def _alike(before: Segment, after: Segment) -> bool:
    """Whether two neighbouring segments can be one."""
    if before.rewritten or after.rewritten or before.core[-1] > after.core[0]:
        return False
    return before.scope == after.scope == "all" and (before.modifiers, before.negated) == (after.modifiers, after.negated)


def _segment(reading: Reading, draft: Draft, *, retracted: bool) -> Segment:
    core, rewritten, mood, negated = tuple(draft.core), draft.rewritten(reading), draft.mood, draft.negated
    often = any(timing.kind == "every" for timing in draft.timings)  # "grandma has her tea every afternoon"
    asks = mood in ("request", "rule") and not draft.negated
    hint = hinted(reading, core, often=often) if asks and not (draft.question or draft.explained or rewritten) else None
    if hint is not None:
        mood, rewritten, negated = _mood_of(hint, draft), hint.words, hint.mood == "rule"
    elif not draft.command and own_act(reading, core):
        return Segment(core, Modifiers("retracted"))
    elif draft.stating and core:
        return Segment(tuple(sorted((*core, *draft.peeled))), _stated(reading, draft, retracted=retracted))
    if draft.question:
        mood = "question"
    note = draft.note or problem(reading, core)
    if len(draft.conditions) > MOST_CONDITIONS:
        note = note or f"{len(draft.conditions)} conditions for one request, {MOST_CONDITIONS} at most"
    conditions, timings = tuple(draft.conditions[:MOST_CONDITIONS]), tuple(draft.timings)
    held = tuple(each if negated or draft.lasts(reading) else as_state(each) for each in conditions)
    modifiers = Modifiers("retracted" if retracted else mood, draft.question, held, timings, draft.repeat, note)
    return Segment(core, modifiers, "last" if draft.trailing and not draft.fronted else "all", negated, rewritten)


def _mood_of(hint: HintedCommand, draft: Draft) -> Mood:
    """The mood of a hint: one with a time asks for something, "every morning grandma gets her pills"."""
    if draft.mood == "rule" or hint.mood == "rule":
        return "rule"
    return "request" if any(timing.kind in ("every", "at", "in") for timing in draft.timings) else hint.mood


def _stated(reading: Reading, draft: Draft, *, retracted: bool) -> Modifiers:
    """The modifiers of a statement: those in front of it. What follows belongs to what is stated."""
    first = reading.words[draft.core[0]].start
    conditions = tuple(each for each in draft.conditions[:MOST_CONDITIONS] if each.start < first)
    timings = tuple(each for each in draft.timings if each.start < first)
    return Modifiers("retracted" if retracted else "request", "", conditions, timings)


def _noted(segment: Segment, note: str) -> Segment:
    old = segment.modifiers
    modifiers = Modifiers(old.mood, old.question, old.conditions, old.timings, old.repeat, old.note or note)
    return Segment(segment.core, modifiers, segment.scope, segment.negated, segment.rewritten)


def problem(reading: Reading, core: Sequence[int]) -> str:
    """Why what the clause says is impossible, one line; empty if it isn't."""
    text = [reading.word(at) for at in core]
    if ways := _opposite(text):
        return f"{ways} at once makes no sense"
    for at, word in enumerate(text):
        if word == "minus" and text[at + 1 : at + 2] and text[at + 1][0].isdigit():
            return f"{' '.join(text[at : at + 3])} makes no sense"
        if word == "not" and at > 1 and text[at - 1] in ("and", "but", ","):
            phrase = text[at + 1 :]
            size = len(phrase)
            if size > 1 and any(text[start : start + size] == phrase for start in range(max(0, at - 12), at - size)):
                return f"both {' '.join(phrase)} and not {' '.join(phrase)} makes no sense"
    return ""


_WAYS = {"forward": 1, "forwards": 1, "ahead": 1, "backward": -1, "backwards": -1}
_SIDES = {"left": 1, "right": -1}
_NO_SIDE = frozenset(("of", "side", "hand", "now", "away", "here", "there", "next", "in", "on", "by"))  # after "right"


def _opposite(text: list[str]) -> str:
    """Two opposite ways without "and" or "then" between them: "forward 2 meters backwards"; empty if there are none."""
    for axis in (_WAYS, _SIDES):
        for at, word in enumerate(text):
            after = next((n for n in range(at + 1, len(text)) if not (text[n][0].isdigit() or text[n] in UNITS)), len(text))
            other = text[after] if after < len(text) else ""
            follows = text[after + 1] if after + 1 < len(text) else ""
            if word in axis and axis.get(other, axis[word]) != axis[word] and not (axis is _SIDES and follows in _NO_SIDE):
                return f"{word} and {other}"
    return ""
