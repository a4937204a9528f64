"""Repetition: "turn left twice", "three more times"."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.intent.meaning.clock import number
from sayso.intent.meaning.sentence_words import Reading

MOST_REPEATS = 20
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
