"""What the speaker takes back: "bring me the apple, actually never mind"."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.intent.grammar import DETERMINERS
from sayso.intent.meaning.lists import listed, phrases, tables
from sayso.intent.meaning.sentence_words import Reading

_JOINS = tables("joins.yaml")
_MARKERS = phrases(_JOINS["retractions"])
_AT_END = frozenset(listed(_JOINS["retracting_at_end"]))
_BEFORE = phrases(_JOINS["before_retraction"])
_AFTER = phrases(_JOINS["after_retraction"])
_DISMISSING = phrases("never mind; forget; forget about; never mind about; skip; scrap; scratch")
_LONGEST_LEAD_IN = 6  # words
_NOT = ("don't", "not", "never")  # "don't drop it" takes nothing back
_JOINING = ("and", "then", "to", "please", "you", "i", "not", "otherwise", "else")  # "otherwise never mind" takes nothing back


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the sentence, and whether the speaker takes it back by the words from `core_end` on."""

    start: int
    core_end: int
    end: int
    retracted: bool


def parts_of(reading: Reading) -> tuple[Stretch, ...]:
    """The sentence cut after each retraction."""
    parts: list[Stretch] = []
    start = at = spoken = 0  # what was spoken from there on can be taken back
    while at < len(reading):
        if at == start and (stop := _dismissed(reading, at)):  # "never mind the cup, bring me the glass"
            parts.append(Stretch(start, start, stop, retracted=True))
            start = at = spoken = stop
            continue
        length = _MARKERS.length(reading.text, at, len(reading)) if reading.word(at - 1) not in _NOT else 0
        first = _led_in(reading, start, at) if length else at
        if length and not _has_content(reading, spoken, first):
            at += length
            spoken = at
            continue
        if length:
            stop = _tail(reading, at + length)
            if _retracts(reading, at, length, first, stop):
                parts.append(Stretch(start, first, stop, retracted=True))
                start = at = spoken = stop
                continue
        at += 1
    if start < len(reading):
        parts.append(Stretch(start, len(reading), len(reading), retracted=False))
    return tuple(parts)


def _dismissed(reading: Reading, at: int) -> int:
    """Index after a thing that is not wanted, before what is wanted instead: "forget the milk,"; 0 for none."""
    length = _DISMISSING.length(reading.text, at, len(reading))
    if not length or reading.word(at + length) not in DETERMINERS:
        return 0
    stop = next((n for n in range(at + length + 1, min(at + length + 7, len(reading))) if reading.word(n) in (",", "and")), 0)
    after = stop + 1
    wanted = reading.request(after) or reading.word(after) in ("i", "i'd", "we", "i'll")
    return after if stop and wanted and not any(reading.word(n) in reading.lexicon.verbs for n in range(at + length, stop)) else 0


def _has_content(reading: Reading, start: int, end: int) -> bool:
    return any(word in reading.lexicon.verbs or word in ("i'd", "i", "where", "what") for word in reading.text[start:end])


def _led_in(reading: Reading, start: int, at: int) -> int:
    """Where the words before a retraction begin that belong to it: ", no wait"."""
    start = max(start, at - _LONGEST_LEAD_IN)
    while at > start and (reading.word(at - 1) == "," or _BEFORE.length(reading.text, at - 1, at)):
        at -= 1
    return at


def _retracts(reading: Reading, at: int, length: int, first: int, stop: int) -> bool:
    """Whether the phrase takes back what came before; after "and" it is a command, and inside a clause it is none."""
    if first == at and reading.word(at - 1) in _JOINING:
        return False
    phrase = reading.said(at, at + length)
    if phrase in _AT_END:
        return stop >= len(reading) or (reading.word(stop) == "," and phrase not in ("no", "don't"))
    follows = reading.word(stop)
    if phrase.startswith(("on second thought", "actually")):
        return stop >= len(reading) or follows in (",", "and", "but") or reading.request(stop)
    return stop >= len(reading) or follows in (",", "and", "but", "just", "instead", "then", "please") or reading.request(stop)


def _tail(reading: Reading, at: int) -> int:
    """Index after the words that belong to a retraction: "never mind the apple"."""
    if reading.word(at - 1) == "mind" and reading.word(at) in DETERMINERS:
        at += 1
        while at < len(reading) and reading.word(at) not in (",", "and", "but", "then") and not reading.imperative(at):
            at += 1
        return at
    after = at + (reading.word(at) == ",")
    if after > at and (length := _AFTER.length(reading.text, after, len(reading))) and after + length == len(reading):
        return after + length  # ", i'll do it myself"
    while at < len(reading) and (
        length := _AFTER.length(reading.text, at, len(reading)) or _MARKERS.length(reading.text, at, len(reading))
    ):
        if reading.request(at) and (reading.word(at - 1) in _NOT or not _MARKERS.length(reading.text, at, len(reading))):
            break
        at += length
    return at
