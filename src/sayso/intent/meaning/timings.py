"""Times: "in five minutes", "at half past six", "every morning", "for ten minutes"."""

from __future__ import annotations

import math

from sayso.intent.grammar import word_set
from sayso.intent.meaning.clock import DAY, DAYTIMES, PARTS, PERIODS, clock_at, duration_at, in_part, number
from sayso.intent.meaning.daytimes import TakenTiming, made, on_day, part_of_day
from sayso.intent.meaning.sentence_words import Reading
from sayso.representation import TimingName

_WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
_WEEKDAYS |= {f"{day}s" for day in _WEEKDAYS}
_COUNTS = {"once": 1, "twice": 2, "thrice": 3}
ROUGHLY = word_set("about around exactly roughly just")


def timing_at(reading: Reading, at: int, end: int) -> TakenTiming | None:
    """The time that begins at that index, or None; it ends before `end`."""
    word = reading.word(at)
    reader = _READERS.get(word)
    if reading.word(at - 1) in ("for", "since", "from") and word in ("today", "tonight", "tomorrow", "this", "later"):
        return None  # "you are done for today"
    if reader is None and (bare := _bare_clock(reading, at)) is not None:
        return bare if bare.end <= end else None
    if reader is None and (number(word) is not None or word in ("a", "an")):
        reader = _from_now
    found = reader(reading, at) if reader is not None else None
    return found if found is not None and found.end <= end else None


def _bare_clock(reading: Reading, at: int) -> TakenTiming | None:
    """Read "half past 6", "6 o'clock", "quarter to 7" without "at", at the beginning of a clause."""
    if at and reading.word(at - 1) not in (",", "and", "then", "but", "so"):
        return None
    length, seconds = clock_at(reading, at)
    said = reading.text[at : at + length]
    if length < 2 or not ({"o'clock", "past", "to"} & set(said)):
        return None
    return on_day(reading, "at", at, at, at + length, seconds)


def _plural_part(reading: Reading, at: int) -> TakenTiming:
    """Read "mornings", "evenings"."""
    hours = PARTS[reading.word(at).removesuffix("s")] * 3600
    return TakenTiming(at + 1, (made(reading, "every", at, at + 1, DAY), made(reading, "at", at, at + 1, hours)))


def _first_thing(reading: Reading, at: int) -> TakenTiming | None:
    """Read "first thing every morning", "first thing tomorrow"."""
    reader = _READERS.get(reading.word(at + 2)) if reading.word(at + 1) == "thing" else None
    found = reader(reading, at + 2) if reader is not None else None
    return TakenTiming(found.end, found.timings) if found is not None else None


def _in(reading: Reading, at: int) -> TakenTiming | None:
    """Read "in 5 minutes", "in an hour's time", "in the morning"."""
    start = _after_roughly(reading, at + 1)
    if reading.word(start) == "the" and reading.word(start + 1) in ("morning", "afternoon", "evening"):
        return part_of_day(reading, at, start + 1)
    length, seconds = duration_at(reading, start)
    if not length:
        return None
    stop = start + length
    if reading.word(stop) == "time":
        stop += 1
    elif reading.text[stop : stop + 2] == ("from", "now"):
        stop += 2
    return TakenTiming(stop, (made(reading, "in", at, stop, seconds),))


def _from_now(reading: Reading, at: int) -> TakenTiming | None:
    """Read "5 minutes from now", "an hour later", "an hour ago"."""
    if reading.word(at + 1) == "times" and reading.word(at + 2) in ("a", "per") and reading.word(at + 3) in PERIODS:
        return _period(reading, at, at + 4, PERIODS[reading.word(at + 3)] / max(1.0, number(reading.word(at)) or 1.0))
    length, seconds = duration_at(reading, at)
    stop = at + length
    if not length:
        return None
    if reading.text[stop : stop + 2] == ("from", "now"):
        return TakenTiming(stop + 2, (made(reading, "in", at, stop + 2, seconds),))
    if reading.word(stop) == "later":
        return TakenTiming(stop + 1, (made(reading, "in", at, stop + 1, seconds),))
    return _past(reading, at, stop + 1) if reading.word(stop) == "ago" else None


def _for(reading: Reading, at: int) -> TakenTiming | None:
    start = at + 3 if reading.text[at + 1 : at + 3] == ("the", "next") else _after_roughly(reading, at + 1)
    length, seconds = duration_at(reading, start)
    if not length and start == at + 3 and reading.word(start) in PERIODS:  # "for the next hour"
        length, seconds = 1, PERIODS[reading.word(start)]
    if not length:
        return None
    return TakenTiming(start + length, (made(reading, "for", at, start + length, seconds),), duration=True)


def _at(reading: Reading, at: int) -> TakenTiming | None:
    """Read "at 6", "until half past 6 in the evening", "by tomorrow"."""
    kind: TimingName = "at" if reading.word(at) in ("at", "around", "after") else "until"
    start = _after_roughly(reading, at + 1)
    length, seconds = clock_at(reading, start)
    if length:
        return on_day(reading, kind, at, start, start + length, seconds)
    if kind == "at" and reading.word(start + 1) == "o'clock":
        problem = f"there is no {reading.said(start, start + 2)}"
        return TakenTiming(start + 2, (made(reading, kind, at, start + 2, math.nan, problem=problem),))
    day = _READERS.get(reading.word(start)) if reading.word(start) in ("tomorrow", "tonight", "this") else None
    found = day(reading, start) if day is not None and kind == "until" else None
    if found is None:
        return _after_duration(reading, at) if reading.word(at) == "after" else None
    timing = found.timings[-1]
    return TakenTiming(found.end, (made(reading, kind, at, found.end, timing.seconds, timing.day, timing.problem),))


def _not_before(reading: Reading, at: int) -> TakenTiming | None:
    """Read "not before 6", "no earlier than 6", "no later than 6"."""
    earlier, later = reading.text[at : at + 3] == ("no", "earlier", "than"), reading.text[at : at + 3] == ("no", "later", "than")
    start = at + 2 if earlier or later else at
    if not (earlier or later) and reading.text[at : at + 2] not in (("not", "before"), ("not", "until"), ("not", "till")):
        return None
    found = _at(reading, start + 1) if start == at else None
    length, seconds = clock_at(reading, start + 1)
    if found is None and length:
        found = on_day(reading, "at", start, start + 1, start + 1 + length, seconds)
    if found is None:
        return None
    old = found.timings[-1]
    return TakenTiming(found.end, (made(reading, "until" if later else "at", at, found.end, old.seconds, old.day, old.problem),))


def _from(reading: Reading, at: int) -> TakenTiming | None:
    """Read "from 8 till 9"."""
    length, _ = clock_at(reading, at + 1)
    stop = at + 1 + length
    if not length or reading.word(stop) not in ("till", "until", "to"):
        return None
    begins = on_day(reading, "at", at, at + 1, stop, clock_at(reading, at + 1)[1])
    more, seconds = clock_at(reading, stop + 1)
    if not more or begins.end != stop:
        return None
    ends = on_day(reading, "until", stop, stop + 1, stop + 1 + more, seconds)
    return TakenTiming(ends.end, (*begins.timings, *ends.timings))


def _after_duration(reading: Reading, at: int) -> TakenTiming | None:
    """Read "after 5 minutes"."""
    length, seconds = duration_at(reading, at + 1)
    stop = at + 1 + length
    return TakenTiming(stop, (made(reading, "in", at, stop, seconds),)) if length else None


def _tomorrow(reading: Reading, at: int) -> TakenTiming:
    if reading.word(at + 1) in DAYTIMES:
        return part_of_day(reading, at, at + 1, 1)
    found = _at(reading, at + 1) if reading.word(at + 1) in ("at", "around") else None
    if found is not None:
        return TakenTiming(found.end, (made(reading, "at", at, found.end, found.timings[-1].seconds, 1),))
    return TakenTiming(at + 1, (made(reading, "at", at, at + 1, math.nan, 1),))


def _today(reading: Reading, at: int) -> TakenTiming | None:
    found = _at(reading, at + 1) if reading.word(at + 1) == "at" else None
    if found is not None:
        return TakenTiming(found.end, (made(reading, "at", at, found.end, found.timings[-1].seconds),))
    return TakenTiming(at + 1, (made(reading, "today", at, at + 1, math.nan),))


def _tonight(reading: Reading, at: int) -> TakenTiming:
    length, seconds = clock_at(reading, at + 2) if reading.word(at + 1) == "at" else (0, math.nan)
    stop = at + 2 + length if length else at + 1
    return TakenTiming(stop, (made(reading, "at", at, stop, in_part(seconds, "night") if length else 20 * 3600.0),))


def _this(reading: Reading, at: int) -> TakenTiming | None:
    return part_of_day(reading, at, at + 1) if reading.word(at + 1) in ("morning", "afternoon", "evening") else None


def _later(reading: Reading, at: int) -> TakenTiming:
    after = at + 1
    while reading.word(after) in ("say", "like", "maybe", "perhaps", ","):
        after += 1
    found = timing_at(reading, after, len(reading.text)) if reading.word(after) not in ("for", "later") else None
    if found is not None and not any(timing.problem for timing in found.timings):  # "later, say at nine"
        return found
    stop = at + 2 if reading.word(at + 1) in ("today", "tonight") else at + 1
    return TakenTiming(stop, (made(reading, "in", at, stop, math.nan, problem="when exactly was not said"),))


def _yesterday(reading: Reading, at: int) -> TakenTiming:
    return _past(reading, at, at + 2 if reading.word(at + 1) in DAYTIMES else at + 1)


def _last(reading: Reading, at: int) -> TakenTiming | None:
    return _past(reading, at, at + 2) if reading.word(at + 1) in ("night", "week", "month", "year") else None


def _past(reading: Reading, at: int, stop: int) -> TakenTiming:
    length, _ = clock_at(reading, stop + 1) if reading.word(stop) == "at" else (0, math.nan)
    stop += length + 1 if length else 0
    return TakenTiming(stop, (made(reading, "at", at, stop, math.nan, -1, f"{reading.said(at, stop)} has passed"),))


def _overmorrow(reading: Reading, at: int) -> TakenTiming | None:
    if reading.text[at : at + 4] != ("the", "day", "after", "tomorrow"):
        return None
    return TakenTiming(at + 4, (made(reading, "at", at, at + 4, math.nan, 2),))


def _weekday(reading: Reading, at: int) -> TakenTiming | None:
    """Read "on monday", "next week": days that no clock of one robot day holds."""
    day, after = reading.word(at + 1), reading.word(at + 2)
    if day not in _WEEKDAYS and not (reading.word(at) == "next" and day in ("week", "month", "year")):
        return None
    stop = at + 3 if after in DAYTIMES else at + 2
    length, seconds = clock_at(reading, stop + 1) if reading.word(stop) == "at" else (0, math.nan)
    stop += length + 1 if length else 0
    problem = f"only today and tomorrow are possible, not {reading.said(at, stop)}"
    return TakenTiming(stop, (made(reading, "at", at, stop, seconds, 0, problem),))


def _every(reading: Reading, at: int) -> TakenTiming | None:
    """Read "every 10 minutes", "every other day at 8", "every morning"."""
    start, factor = at + 1, 1.0
    if reading.word(start) in ("other", "second") and reading.word(start + 1) in PERIODS:
        start, factor = start + 1, 2.0
    elif reading.word(start) == "single":
        start += 1
    unit = reading.word(start)
    if unit in _WEEKDAYS:
        return _weekday(reading, at)
    if unit in DAYTIMES:
        clock = part_of_day(reading, start, start)
        return TakenTiming(clock.end, (made(reading, "every", at, start + 1, DAY), *clock.timings))
    if unit in PERIODS:
        return _period(reading, at, start + 1, PERIODS[unit] * factor)
    length, seconds = duration_at(reading, start)
    return _period(reading, at, start + length, seconds) if length else None


def _often(reading: Reading, at: int) -> TakenTiming | None:
    """Read "daily", "twice a day"."""
    word, unit = reading.word(at), reading.word(at + 2)
    if word == "daily":
        return _period(reading, at, at + 1, DAY)
    if reading.word(at + 1) not in ("a", "per", "every", "each") or unit not in PERIODS:
        return None
    return _period(reading, at, at + 3, PERIODS[unit] / _COUNTS[word])


def _period(reading: Reading, at: int, stop: int, seconds: float) -> TakenTiming:
    every = made(reading, "every", at, stop, seconds)
    found = _at(reading, stop) if reading.word(stop) == "at" else None
    return TakenTiming(found.end, (every, *found.timings)) if found is not None else TakenTiming(stop, (every,))


def _after_roughly(reading: Reading, at: int) -> int:
    return at + 1 if reading.word(at) in ROUGHLY else at


_READERS = {
    "in": _in,
    "for": _for,
    "from": _from,
    "daily": _often,
    "once": _often,
    "twice": _often,
    "every": _every,
    "each": _every,
    "today": _today,
    "tonight": _tonight,
    "tomorrow": _tomorrow,
    "yesterday": _yesterday,
    "this": _this,
    "later": _later,
    "last": _last,
    "first": _first_thing,
    **dict.fromkeys(("mornings", "afternoons", "evenings", "nights"), _plural_part),
    "the": _overmorrow,
    "not": _not_before,
    "no": _not_before,
    "on": _weekday,
    "next": _weekday,
    **dict.fromkeys(("at", "around", "until", "till", "by", "before", "after"), _at),
}
