"""Clock times and durations in normalised words: "half past 6", "18:30", "an hour and a half"."""

from __future__ import annotations

import math
import re

from sayso.intent.meaning.sentence_words import Reading
from sayso.intent.normalise import UNITS

DAY, HALF_DAY = 86400.0, 43200.0
# Hours after midnight that parts of the day stand for.
PARTS = {
    "morning": 8.0,
    "noon": 12.0,
    "midday": 12.0,
    "lunchtime": 12.0,
    "afternoon": 15.0,
    "evening": 19.0,
    "night": 21.0,
    "midnight": 0.0,
}
PERIODS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "weekday": DAY}
DAYTIMES = ("morning", "afternoon", "evening", "night")
MOST = 1e15  # of a numeral: a longer one would be infinite
_AFTERNOON_HOURS = range(1, 7)  # "at six" is in the afternoon unless the sentence says more
_SHORT = PERIODS | {"moment": 10.0, "sec": 1.0, "bit": 300.0, "while": 600.0}
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")
_MINUTES = {"half": 30.0, "quarter": 15.0}
_AMOUNTS = frozenset((*UNITS, "times", "percent", "point", "of"))  # after a number: it is no hour


def number(word: str) -> float | None:
    """The value of a numeral, at most `MOST`; None for other words."""
    return min(float(word), MOST) if word[:1].isdigit() and word.isascii() and word.replace(".", "", 1).isdigit() else None


def clock_at(reading: Reading, at: int) -> tuple[int, float]:
    """Words and seconds after midnight of a clock time, before a part of the day is known; 0 words for none."""
    word, after = reading.word(at), reading.word(at + 1)
    if word in ("noon", "midday", "midnight", "lunchtime", "night"):
        return 1, PARTS[word] * 3600
    if match := _CLOCK.fullmatch(word):
        hour, minute = int(match[1]), int(match[2])
        return (1, (hour * 60 + minute) * 60 % DAY) if hour <= 24 and minute < 60 else (0, math.nan)
    length, seconds = _relative(reading, at + 1 if word in ("a", "the") and after in _MINUTES else at)
    if length:
        return length + (word in ("a", "the")), seconds
    hours, minutes = number(word), number(after)
    if hours is None or not _is_hour(hours) or after in _AMOUNTS:
        return 0, math.nan
    if minutes is not None and len(after) == 2 and minutes < 60 and reading.word(at + 2) not in UNITS:
        return 2, (hours * 60 + minutes) * 60 % DAY
    return (2 if after == "o'clock" else 1), hours * 3600 % DAY


def _relative(reading: Reading, at: int) -> tuple[int, float]:
    """Words and seconds of "half past 6", "10 minutes to 7"."""
    first = reading.word(at)
    minutes = _MINUTES[first] if first in _MINUTES else number(first)
    between = 2 if reading.word(at + 1) in ("minutes", "minute") else 1
    relation, hour = reading.word(at + between), number(reading.word(at + between + 1))
    if minutes is None or hour is None or relation not in ("past", "to", "after") or minutes >= 60 or not _is_hour(hour):
        return 0, math.nan
    return between + 2, (hour * 60 + (minutes if relation != "to" else -minutes)) * 60 % DAY


def in_part(seconds: float, part: str) -> float:
    """The clock time in that part of the day: 6 in the evening is 18 h."""
    return seconds % HALF_DAY + (0.0 if part in ("morning", "am") else HALF_DAY)


def likely(seconds: float) -> float:
    """The clock time that is meant without a part of the day."""
    return seconds + HALF_DAY if int(seconds // 3600) in _AFTERNOON_HOURS else seconds


def duration_at(reading: Reading, at: int) -> tuple[int, float]:
    """Words and seconds of a duration; 0 words for none."""
    word, after = reading.word(at), reading.word(at + 1)
    if word in ("a", "an"):
        return _one(reading, at + 1)
    value = number(word)
    if value is None:
        return 0, math.nan
    unit = UNITS.get(after)
    if unit is None or unit.si != "s":
        longer = PERIODS.get(after.removesuffix("s"))
        return (2, value * longer) if longer is not None else (0, math.nan)
    if reading.text[at + 2 : at + 5] == ("and", "a", "half"):  # "2 hours and a half"
        return 5, (value + 0.5) * unit.factor
    rest = at + 3 if reading.word(at + 2) == "and" else at + 2
    more, smaller = number(reading.word(rest)), UNITS.get(reading.word(rest + 1))
    if more is not None and smaller is not None and smaller.si == "s" and smaller.factor < unit.factor:
        return rest + 2 - at, value * unit.factor + more * smaller.factor
    return 2, value * unit.factor


def _one(reading: Reading, at: int) -> tuple[int, float]:
    """Words, with the article before, and seconds of "hour and a half", "little while"."""
    if reading.text[at : at + 4] == ("quarter", "of", "an", "hour"):
        return 5, 900.0
    skip = 1 if reading.word(at) in ("little", "short", "full") else 0
    seconds = _SHORT.get(reading.word(at + skip))
    if seconds is None:
        return 0, math.nan
    if reading.text[at + 1 : at + 4] == ("and", "a", "half"):
        return 5, seconds * 1.5
    return 2 + skip, seconds


def _is_hour(value: float) -> bool:
    return value == int(value) and 0 <= value <= 24
