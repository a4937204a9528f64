"""Repetition: "turn left twice", "three more times"."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.intent.meaning.clock import number
from sayso.intent.meaning.lists import phrases
from sayso.intent.meaning.sentence_words import Reading

MOST_REPEATS = 20
_VAGUE = phrases(
    "a few times; several times; many times; lots of times; a number of times; again and again; over and over; over and over again; "
    "repeatedly; time and again; a few more times; nonstop; non stop; continuously"
)
_TWICE = phrases("a couple of times; a couple times; a couple more times; another couple of times; a couple of times more")
_COUNTS = {"once": 1, "twice": 2, "thrice": 3}


@dataclass(frozen=True, slots=True)
class TakenRepeat:
    """How often something is to be done."""

    end: int
    count: int
    note: str = ""


def repeat_at(reading: Reading, at: int, end: int) -> TakenRepeat | None:
    """The repetition that begins at that index: "twice", "3 times", "2 more times"."""
    word, after = reading.word(at), reading.word(at + 1)
    if word in _COUNTS:
        again = word == "once" and (after in ("again", "more", "in", "upon") or at == 0)
        return None if again else TakenRepeat(at + 1, _COUNTS[word])
    if length := _VAGUE.length(reading.text, at, end):
        return TakenRepeat(at + length, 1, f"how often was not said: “{reading.said(at, at + length)}”")
    if length := _TWICE.length(reading.text, at, end):
        return TakenRepeat(at + length, 2)
    at += word == "another" and number(after) is not None
    word = reading.word(at)
    minus = word == "minus"
    value = number(reading.word(at + minus))
    if value is None:
        return None
    stop = at + minus + 1
    stop += reading.word(stop) == "more"
    if stop >= end or reading.word(stop) not in ("times", "time") or number(reading.word(stop + 1)) is not None:
        return None
    said = reading.said(at, stop + 1)
    if minus or value < 1 or value != int(value):
        return TakenRepeat(stop + 1, 1, f"{said} makes no sense")
    if value > MOST_REPEATS:
        return TakenRepeat(stop + 1, MOST_REPEATS, f"{said} is too often; {MOST_REPEATS} times at most")
    return TakenRepeat(stop + 1, int(value))
