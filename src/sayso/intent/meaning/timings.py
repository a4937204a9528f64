"""Times and repetition: "in five minutes", "at half past six", "every morning", "for ten minutes", "twice"."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from sayso.intent.grammar import word_set
from sayso.intent.meaning.sentence import Reading
from sayso.intent.normalise import UNITS
from sayso.representation import Timing, TimingName

DAY = 86400.0
MOST_REPEATS = 20
# Seconds after midnight of parts of the day; "at six" without one of them means the afternoon for the hours below.
PARTS = {
    "morning": 8.0,
    "noon": 12.0,
    "midday": 12.0,
    "lunchtime": 12.0,
    "afternoon": 15.0,
    "evening": 19.0,
    "night": 21.0,
    "midnight": 24.0,
}
AFTERNOON_HOURS = range(1, 7)
_PERIODS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": DAY, "week": 7 * DAY, "month": 30 * DAY, "weekday": DAY}
_WEEKDAYS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays"
)
_SHORT = {
    "moment": 10.0,
    "sec": 1.0,
    "bit": 300.0,
    "while": 600.0,
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": DAY,
    "week": 7 * DAY,
}
_COUNTS = {"once": 1, "twice": 2, "thrice": 3}
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")
_HALVES = {"half": 1800.0, "quarter": 900.0}


@dataclass(frozen=True, slots=True)
class TakenTiming:
    """A time found in a sentence."""

    end: int  # index after its last word
    timings: tuple[Timing, ...]
    duration: bool = False  # "for ten minutes": the quantity of some intents


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
        if (word == "once" and (after in ("again", "more", "in") or at == 0)) or (
            after in ("a", "per") and reading.word(at + 2) in _PERIODS
        ):
            return None
        return TakenRepeat(at + 1, _COUNTS[word])
    minus = word == "minus"
    number = at + minus
    value = _number(reading.word(number)) if number < end else None
    if value is None:
        return None
    stop = number + 1
    if reading.word(stop) in ("more", "or"):
        stop += 1
    if reading.word(stop) not in ("times", "time") or stop >= end or reading.word(stop + 1).isdigit():
        return None
    if minus or value < 1 or value != int(value):
        return TakenRepeat(stop + 1, 1, f"{reading.said(at, stop + 1)} makes no sense")
    if value > MOST_REPEATS:
        return TakenRepeat(stop + 1, MOST_REPEATS, f"{reading.said(at, stop + 1)} is too often; {MOST_REPEATS} times at most")
    return TakenRepeat(stop + 1, int(value))


def timing_at(reading: Reading, at: int, end: int) -> TakenTiming | None:
    """The time that begins at that index, or None. A time and a day in sequence are one: "tomorrow at six"."""
    word = reading.word(at)
    reader = _READERS.get(word)
    if reader is not None:
        return reader(reading, at, end)
    if _number(word) is not None or word in ("a", "an"):
        return _from_now(reading, at, end)
    return None


def _in(reading: Reading, at: int, end: int) -> TakenTiming | None:
    start = at + 1
    while reading.word(start) in ("about", "around", "exactly", "just"):
        start += 1
    if reading.word(start) == "the" and reading.word(start + 1) in ("morning", "afternoon", "evening"):
        return _part(reading, at, start + 1, end)
    length, seconds = _duration(reading, start, end)
    if not length:
        return None
    stop = start + length
    if reading.word(stop) in ("time", "from"):
        stop += 2 if reading.word(stop + 1) == "now" else 1
    return TakenTiming(stop, (_timing(reading, "in", at, stop, seconds),))


def _after(reading: Reading, at: int, end: int) -> TakenTiming | None:
    length, seconds = _duration(reading, at + 1, end)
    if length:
        return TakenTiming(at + 1 + length, (_timing(reading, "in", at, at + 1 + length, seconds),))
    return None


def _from_now(reading: Reading, at: int, end: int) -> TakenTiming | None:
    length, seconds = _duration(reading, at, end)
    stop = at + length
    if length and reading.text[stop : stop + 2] == ("from", "now"):
        return TakenTiming(stop + 2, (_timing(reading, "in", at, stop + 2, seconds),))
    if length and reading.word(stop) in ("later", "ago") and stop < end:
        if reading.word(stop) == "ago":
            problem = f"{reading.said(at, stop + 1)} has passed"
            return TakenTiming(stop + 1, (_timing(reading, "at", at, stop + 1, math.nan, problem=problem),))
        return TakenTiming(stop + 1, (_timing(reading, "in", at, stop + 1, seconds),))
    return None


def _for(reading: Reading, at: int, end: int) -> TakenTiming | None:
    start = at + 1
    if reading.word(start) in ("about", "the"):
        start += 1 if reading.word(start) == "about" else 0
        if reading.text[start : start + 2] == ("the", "next"):
            start += 2
    if reading.word(start) == "ever":
        return None
    length, seconds = _duration(reading, start, end)
    if not length:
        return None
    return TakenTiming(start + length, (_timing(reading, "for", at, start + length, seconds),), duration=True)


def _at(reading: Reading, at: int, end: int) -> TakenTiming | None:
    kind: TimingName = "until" if reading.word(at) in ("until", "till", "by", "before") else "at"
    start = at + 1
    while reading.word(start) in ("about", "around", "exactly", "roughly"):
        start += 1
    if reading.word(start) in _DAYS and kind == "until":
        found = _DAYS_READER(reading, start, end)
        if found is not None:
            timing = found.timings[-1]
            return TakenTiming(found.end, (_timing(reading, kind, at, found.end, timing.seconds, timing.day, timing.problem),))
    length, seconds = _clock(reading, start, end)
    if not length:
        return None
    stop = start + length
    return _with_day(reading, kind, at, stop, seconds, reading.word(start) not in PARTS)


def _with_day(reading: Reading, kind: TimingName, at: int, stop: int, seconds: float, hour: bool) -> TakenTiming:
    """A clock time with the part of the day and the day that follow it: "at six in the evening tomorrow"."""
    day, problem, settled = 0, "", False
    while True:
        word, after = reading.word(stop), reading.word(stop + 1)
        if word in ("am", "pm"):
            seconds = seconds % (DAY / 2) + (DAY / 2 if word == "pm" else 0.0)
            settled, stop = True, stop + 1
        elif word == "in" and after == "the" and reading.word(stop + 2) in ("morning", "afternoon", "evening"):
            seconds = seconds % (DAY / 2) + (0.0 if reading.word(stop + 2) == "morning" else DAY / 2)
            settled, stop = True, stop + 3
        elif (word == "this" and after in ("morning", "afternoon", "evening")) or (word == "at" and after == "night"):
            seconds = seconds % (DAY / 2) + (0.0 if after == "morning" else DAY / 2)
            settled, stop = True, stop + 2
        elif word == "tonight":
            seconds, settled, stop = seconds % (DAY / 2) + DAY / 2, True, stop + 1
        elif word == "tomorrow" and not day:
            day, stop = 1, stop + 1
            if reading.word(stop) in ("morning", "afternoon", "evening", "night"):
                seconds = seconds % (DAY / 2) + (0.0 if reading.word(stop) == "morning" else DAY / 2)
                settled, stop = True, stop + 1
        elif word == "today":
            stop += 1
        elif word == "yesterday":
            problem, stop = "yesterday has passed", stop + 1
        elif (word == "o'clock" or word == "sharp") and hour:
            stop += 1
        elif word in ("every", "each") and after == "day":
            return TakenTiming(
                stop + 2, (_timing(reading, "every", stop, stop + 2, DAY), _timing(reading, kind, at, stop, _likely(seconds, settled)))
            )
        else:
            break
    return TakenTiming(stop, (_timing(reading, kind, at, stop, _likely(seconds, settled), day, problem),))


def _likely(seconds: float, settled: bool) -> float:
    """At six is in the afternoon unless something else was said."""
    return seconds + DAY / 2 if not settled and int(seconds // 3600) in AFTERNOON_HOURS else seconds


def _day(reading: Reading, at: int, end: int) -> TakenTiming | None:
    """ "today", "tonight", "tomorrow morning at eight", "yesterday", "later", "this evening", "on monday"."""
    word, after = reading.word(at), reading.word(at + 1)
    if reading.word(at - 1) in ("for", "since", "from"):
        return None  # "you are done for today"
    if word == "on":
        at_day = at + 1
        if reading.word(at_day) not in _WEEKDAYS:
            return None
        return _unknown_day(reading, at, at_day + 1)
    if word == "next":
        return _unknown_day(reading, at, at + 2) if after in _WEEKDAYS | {"week", "month", "year"} else None
    if word == "this":
        return _part(reading, at, at + 1, end) if after in ("morning", "afternoon", "evening") else None
    if word == "last":
        past = after in ("night", "week", "month", "year")
        return _past(reading, at, at + 2) if past else None
    if word == "the":
        if reading.text[at : at + 4] == ("the", "day", "after", "tomorrow"):
            return TakenTiming(at + 4, (_timing(reading, "at", at, at + 4, math.nan, 2),))
        return None
    if word == "later":
        stop = at + 2 if after in ("on", "today", "tonight") else at + 1
        return TakenTiming(stop, (_timing(reading, "in", at, stop, math.nan, problem="when exactly was not said"),))
    if word == "yesterday":
        return _past(reading, at, at + 2 if after in ("morning", "evening", "afternoon") else at + 1)
    if word == "today":
        if after == "at" and (found := _at(reading, at + 1, end)):
            return _moved(reading, at, found, 0)
        return TakenTiming(at + 1, (_timing(reading, "today", at, at + 1, math.nan),))
    if word == "tonight":
        if after == "at" and (found := _at(reading, at + 1, end)):
            timing = found.timings[0]
            evening = timing.seconds % (DAY / 2) + DAY / 2
            return TakenTiming(found.end, (_timing(reading, "at", at, found.end, evening),))
        return TakenTiming(at + 1, (_timing(reading, "at", at, at + 1, 20 * 3600.0),))
    return _tomorrow(reading, at, end)


def _tomorrow(reading: Reading, at: int, end: int) -> TakenTiming:
    part = reading.word(at + 1) if reading.word(at + 1) in ("morning", "afternoon", "evening", "night") else ""
    stop = at + 2 if part else at + 1
    if reading.word(stop) == "at" and (found := _at(reading, stop, end)):
        seconds = found.timings[0].seconds
        if part:
            seconds = seconds % (DAY / 2) + (0.0 if part == "morning" else DAY / 2)
        return TakenTiming(found.end, (_timing(reading, "at", at, found.end, seconds, 1),))
    return TakenTiming(stop, (_timing(reading, "at", at, stop, PARTS[part] * 3600 if part else math.nan, 1),))


def _part(reading: Reading, at: int, part: int, end: int) -> TakenTiming:
    if reading.word(part + 1) == "at" and (found := _at(reading, part + 1, end)):
        half = 0.0 if reading.word(part) == "morning" else DAY / 2
        return TakenTiming(found.end, (_timing(reading, "at", at, found.end, found.timings[0].seconds % (DAY / 2) + half),))
    return TakenTiming(part + 1, (_timing(reading, "at", at, part + 1, PARTS[reading.word(part)] * 3600),))


def _moved(reading: Reading, at: int, found: TakenTiming, day: int) -> TakenTiming:
    timing = found.timings[0]
    return TakenTiming(found.end, (_timing(reading, timing.kind, at, found.end, timing.seconds, day, timing.problem),))


def _past(reading: Reading, at: int, stop: int) -> TakenTiming:
    if reading.word(stop) == "at" and (found := _at(reading, stop, len(reading))):
        stop = found.end
    return TakenTiming(stop, (_timing(reading, "at", at, stop, math.nan, -1, f"{reading.said(at, stop)} has passed"),))


def _unknown_day(reading: Reading, at: int, stop: int) -> TakenTiming:
    seconds = math.nan
    if reading.word(stop) in ("morning", "afternoon", "evening"):
        seconds, stop = PARTS[reading.word(stop)] * 3600, stop + 1
    if reading.word(stop) == "at" and (found := _at(reading, stop, len(reading))):
        seconds, stop = found.timings[0].seconds, found.end
    problem = f"only today and tomorrow are possible, not {reading.said(at, stop)}"
    return TakenTiming(stop, (_timing(reading, "at", at, stop, seconds, 0, problem),))


def _every(reading: Reading, at: int, end: int) -> TakenTiming | None:
    """ "every ten minutes", "every day at eight", "daily", "twice a day"."""
    word, start = reading.word(at), at + 1
    if word in ("daily", "hourly"):
        return _period(reading, at, at + 1, DAY if word == "daily" else 3600.0, end)
    if word in ("once", "twice"):
        unit = reading.word(at + 2)
        if reading.word(at + 1) not in ("a", "per", "every") or unit not in _PERIODS:
            return None
        return _period(reading, at, at + 3, _PERIODS[unit] / _COUNTS[word], end)
    factor = 1.0
    if reading.word(start) in ("other", "second") and reading.word(start + 1) in _PERIODS:
        factor, start = 2.0, start + 1
    elif reading.word(start) == "single":
        start += 1
    unit = reading.word(start)
    if unit in _WEEKDAYS:
        return _unknown_day(reading, at, start + 1)
    if unit in ("morning", "afternoon", "evening", "night"):
        if reading.word(start + 1) == "at" and (found := _at(reading, start + 1, end)):
            seconds = found.timings[0].seconds % (DAY / 2) + (0.0 if unit == "morning" else DAY / 2)
            clock = _timing(reading, "at", start, found.end, seconds)
            return TakenTiming(found.end, (_timing(reading, "every", at, found.end, DAY), clock))
        clock = _timing(reading, "at", start, start + 1, PARTS[unit] * 3600)
        return TakenTiming(start + 1, (_timing(reading, "every", at, start + 1, DAY), clock))
    if unit in _PERIODS:
        return _period(reading, at, start + 1, _PERIODS[unit] * factor, end)
    length, seconds = _duration(reading, start, end)
    return _period(reading, at, start + length, seconds, end) if length else None


def _period(reading: Reading, at: int, stop: int, seconds: float, end: int) -> TakenTiming:
    if reading.word(stop) == "at" and (found := _at(reading, stop, end)):
        return TakenTiming(found.end, (_timing(reading, "every", at, stop, seconds), found.timings[-1]))
    return TakenTiming(stop, (_timing(reading, "every", at, stop, seconds),))


def _clock(reading: Reading, at: int, end: int) -> tuple[int, float]:
    """Words and seconds after midnight of a clock time: "6", "18 30", "18:30", "half past 6", "noon"; 0 words for none."""
    word, after = reading.word(at), reading.word(at + 1)
    if at >= end:
        return 0, math.nan
    if word in ("noon", "midday", "midnight", "lunchtime"):
        return 1, PARTS[word] * 3600 % DAY
    if word == "night":
        return 1, PARTS[word] * 3600
    if match := _CLOCK.fullmatch(word):
        return _valid(1, int(match[1]), int(match[2]))
    start = at + 1 if word in ("a", "the") and after in _HALVES else at
    first, relation, hour = reading.word(start), reading.word(start + 1), _number(reading.word(start + 2))
    minutes = _HALVES[first] / 60 if first in _HALVES else _number(first)
    if reading.word(start + 1) in ("minutes", "minute"):
        relation, hour, start = reading.word(start + 2), _number(reading.word(start + 3)), start + 1
    if relation in ("past", "to", "after") and minutes is not None and hour is not None and minutes < 60 and _hour(hour):
        return start + 3 - at, (hour * 60 + (minutes if relation != "to" else -minutes)) * 60 % DAY
    value = _number(word)
    if value is None or not _hour(value) or after in UNITS or after in ("times", "percent", "point"):
        return 0, math.nan
    if after == "o'clock":
        return 2, value * 3600 % DAY
    minute = _number(after)
    if minute is not None and len(after) == 2 and minute < 60 and reading.word(at + 2) not in UNITS:
        return 2, (value * 60 + minute) * 60 % DAY
    follows = reading.word(at + 1)
    return (1, value * 3600 % DAY) if not follows or follows not in reading.lexicon.verbs or reading.imperative(at + 1) else (0, math.nan)


def _valid(length: int, hour: int, minute: int) -> tuple[int, float]:
    return (length, (hour * 60 + minute) * 60 % DAY) if hour <= 24 and minute < 60 else (0, math.nan)


def _hour(value: float) -> bool:
    return value == int(value) and 0 <= value <= 24


def _duration(reading: Reading, at: int, end: int) -> tuple[int, float]:
    """Words and seconds of a duration: "5 minutes", "an hour and a half", "a while"; 0 words for none."""
    word, after = reading.word(at), reading.word(at + 1)
    if at + 1 >= end and word not in ("",):
        return 0, math.nan
    if word in ("a", "an"):
        skip = 1 if after in ("little", "short") else 0
        if reading.text[at + 1 : at + 5] in (("quarter", "of", "an", "hour"),):
            return 5, 900.0
        seconds = _SHORT.get(reading.word(at + 1 + skip))
        if seconds is None:
            return 0, math.nan
        if reading.text[at + 2 : at + 5] == ("and", "a", "half"):
            return 5, seconds * 1.5
        return 2 + skip, seconds
    value = _number(word)
    if value is None:
        return 0, math.nan
    unit = UNITS.get(after)
    if unit is None or unit.si != "s":
        longer = _PERIODS.get(after.removesuffix("s"))
        return (2, value * longer) if longer is not None else (0, math.nan)
    seconds = value * unit.factor
    more = _number(reading.word(at + 3)) if reading.word(at + 2) == "and" else _number(reading.word(at + 2))
    skip = 3 if reading.word(at + 2) == "and" else 2
    smaller = UNITS.get(reading.word(at + skip + 1))
    if more is not None and smaller is not None and smaller.si == "s" and smaller.factor < unit.factor:
        return skip + 2, seconds + more * smaller.factor
    return 2, seconds


def _number(word: str) -> float | None:
    return float(word) if word[:1].isdigit() and word.replace(".", "", 1).isdigit() else None


def _timing(reading: Reading, kind: TimingName, at: int, stop: int, seconds: float, day: int = 0, problem: str = "") -> Timing:
    stop = min(stop, len(reading))
    return Timing(kind, reading.said(at, stop), reading.words[at].start, reading.words[stop - 1].end, seconds, day, problem)


_DAYS = word_set("tomorrow tonight this next")
_DAYS_READER = _day
_READERS = {
    "in": _in,
    "after": _after,
    "for": _for,
    **dict.fromkeys(("at", "around", "until", "till", "by", "before"), _at),
    **dict.fromkeys(("every", "each", "daily", "hourly", "once", "twice"), _every),
    **dict.fromkeys(("today", "tonight", "tomorrow", "yesterday", "later", "on", "next", "this", "last", "the"), _day),
}
