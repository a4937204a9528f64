"""Times of day, durations and repetitions → when a task is due. Local time; a day has the length that the calendar gives it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sayso.agenda.entries import ClockName, Now
from sayso.representation import Timing

HOUR, DAY = 3600.0, 86400.0  # s
FARTHEST = 366 * DAY  # nothing is kept for longer
SHORTEST = 60.0  # s between two repetitions
MORNING = re.compile(r"\b(a\.?m\b|morning|dawn)")
EVENING = re.compile(r"\b(p\.?m\b|afternoon|evening)")
NIGHT = re.compile(r"\b(night|tonight)\b")
EXACT = re.compile(r"\b(noon|midday|midnight|0\d[:.]\d\d)\b")  # nothing to choose between morning and evening
# Usual hours for a part of the day without a time.
PARTS = (
    (re.compile(r"\b(noon|midday|lunch)"), 12.0),
    (re.compile(r"\bmidnight\b"), 24.0),
    (re.compile(r"\bafternoon"), 15.0),
    (re.compile(r"\bevening"), 18.0),
    (re.compile(r"\b(tonight|night)\b"), 21.0),
    (re.compile(r"\bmorning"), 8.0),
)
USUAL = 9.0  # h: "tomorrow"


@dataclass(frozen=True, slots=True)
class Schedule:
    """When something is due."""

    due: float = -math.inf  # s on `clock`; −inf: no time was said
    clock: ClockName = "wall"
    period: float = 0.0  # s; 0: once
    until: float = math.inf  # s since 1970, end of the repetitions
    problem: str = ""  # why it cannot be met, one line; then the rest means nothing

    @property
    def timed(self) -> bool:
        """Whether a time was said."""
        return math.isfinite(self.due)


def schedule_of(timings: Sequence[Timing], now: Now) -> Schedule:
    """When a clause with these timings is due. `for` and `until` end repetitions; otherwise they say how long, not when."""
    if problem := next(filter(None, map(_impossible, timings)), ""):
        return Schedule(problem=problem)
    by_kind = {timing.kind: timing for timing in timings}
    if "every" in by_kind:
        period = by_kind["every"].seconds
        ends = [timing for timing in timings if timing.kind == "until" or (timing.kind == "for" and timing.seconds > period)]
        until, problem = end_of(ends, now)
        found = _repeated([timing for timing in timings if timing.kind != "until"], period, now)
        return Schedule(problem=problem) if problem else replace(found, until=until)
    if "in" in by_kind:
        if "at" in by_kind:
            return Schedule(problem=f"“{by_kind['in'].text}” and “{by_kind['at'].text}” are two different times")
        return _delayed(by_kind["in"].seconds, now)
    days = [timing for timing in timings if timing.kind == "at" or (timing.kind == "today" and _names_a_time(timing))]
    return _on_a_day(timings, now) if days else Schedule()


def end_of(timings: Sequence[Timing], now: Now) -> tuple[float, str]:
    """When a standing rule ends: s since 1970, inf if no end was said; and a problem, one line, or ""."""
    if problem := next(filter(None, map(_impossible, timings)), ""):
        return math.inf, problem
    for timing in timings:
        if timing.kind == "for":
            ends = now.wall + timing.seconds if timing.seconds > 0.0 else math.nan
        elif timing.kind == "until":
            ends = _next(_clock_times(timing.seconds, timing.text), timing.day, now)
        elif timing.kind == "today":
            ends = _midnight(now, timing.day + 1)
        else:
            continue
        return (ends, "") if ends > now.wall else (math.inf, "that time has passed")
    return math.inf, ""


def next_due(due: float, period: float, now: float) -> float:
    """The first repetition after `now`, in s; one of whole days keeps its local time of day."""
    steps = max(1, math.floor((now - due) / period) + 1)
    if period % DAY:
        return due + steps * period
    start, days = _local(due), round(period / DAY)
    for step in range(max(1, steps - 1), steps + 3):  # a day of 25 hours shifts the quotient
        found = (start + timedelta(days=step * days)).timestamp()
        if found > now:
            return found
    return due + steps * period


def _delayed(seconds: float, now: Now) -> Schedule:
    if not seconds > 0.0:
        return Schedule(problem="that time has passed" if seconds < 0.0 else "I don't know how long that is")
    return Schedule(problem="that is too far ahead") if seconds > FARTHEST else Schedule(now.ros + seconds, "ros")


def _repeated(timings: Sequence[Timing], period: float, now: Now) -> Schedule:
    if not (math.isfinite(period) and period > 0.0):
        return Schedule(problem="I don't know how often that is")
    if period < SHORTEST:
        return Schedule(problem="that is too often: once a minute at most")
    if period > FARTHEST:
        return Schedule(problem="that is too far ahead")
    timed = any(timing.kind in ("at", "in") for timing in timings) or period >= DAY
    if not timed:
        return Schedule(now.ros + period, "ros", period)
    delay = next((timing for timing in timings if timing.kind == "in"), None)
    if delay is not None:
        first = _delayed(delay.seconds, now)
        return first if first.problem else Schedule(first.due, first.clock, period)
    first = _on_a_day(timings, now)
    return first if first.problem else Schedule(first.due, "wall", period)


def _on_a_day(timings: Sequence[Timing], now: Now) -> Schedule:
    at = next((timing.seconds for timing in timings if timing.kind == "at" and not math.isnan(timing.seconds)), math.nan)
    text, day = " ".join(timing.text for timing in timings).lower(), max(timing.day for timing in timings)
    times = _clock_times(at, text)
    found = _next(times, day, now)
    last = _at(now, 0, times[-1])
    if day == 0 and found > last and any(timing.kind == "today" for timing in timings):
        return Schedule(problem=f"{clock_time(last)} has passed today")
    return Schedule(found, "wall")


def _impossible(timing: Timing) -> str:
    """Why there is no such time, or ""."""
    if timing.problem:
        return timing.problem
    if timing.day < 0:
        return "that day has passed"
    if timing.day * DAY > FARTHEST or (timing.kind == "for" and timing.seconds > FARTHEST):
        return "that is too far ahead"
    time_of_day = timing.kind in ("at", "until") and not math.isnan(timing.seconds)
    return "there is no such time of day" if time_of_day and not 0.0 <= timing.seconds <= DAY else ""


def _names_a_time(timing: Timing) -> bool:
    """Whether "today" names a later time: "tomorrow", "this evening"."""
    return timing.day > 0 or any(part.search(timing.text.lower()) for part, _ in PARTS)


def _clock_times(seconds: float, text: str) -> tuple[float, ...]:
    """The times of day that the words may mean, s after midnight, ascending: "at six" may be 6:00 and 18:00."""
    text = text.lower()
    if math.isnan(seconds):
        return (next((hour for part, hour in PARTS if part.search(text)), USUAL) * HOUR,)
    if seconds >= 13 * HOUR or seconds < HOUR or EXACT.search(text):
        return (seconds,)
    early = seconds % (DAY / 2)
    if MORNING.search(text):
        return (early,)
    if EVENING.search(text):
        return (early + DAY / 2,)
    if NIGHT.search(text):  # two at night is early, ten at night is late
        return (early,) if 0.0 < early < 5 * HOUR else (early + DAY / 2,) if early else (DAY,)
    return early, early + DAY / 2


def _next(times: Sequence[float], day: int, now: Now) -> float:
    """The first of these times of day after now, s since 1970; the day counts from today."""
    for days in (day, day + 1):
        for seconds in times:
            if (found := _at(now, days, seconds)) > now.wall:
                return found
    return _at(now, day + 2, times[0])  # an hour that the clock change leaves out


def _at(now: Now, days: int, seconds: float) -> float:
    midnight = _local(now.wall).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=days)
    return (midnight + timedelta(seconds=seconds)).timestamp()


def _midnight(now: Now, days: int) -> float:
    return _at(now, days, 0.0)


def _local(wall: float) -> datetime:
    """Local time without a zone: adding days keeps the time of day."""
    return datetime.fromtimestamp(wall).astimezone().replace(tzinfo=None)


def clock_time(wall: float) -> str:
    """The robot's words for a time of day: "6 pm", "6:05 am", "noon"."""
    local = _local(wall)
    if local.minute == 0 and local.hour in (0, 12):
        return "noon" if local.hour else "midnight"
    minutes = f":{local.minute:02d}" if local.minute else ""
    return f"{(local.hour - 1) % 12 + 1}{minutes} {'am' if local.hour < 12 else 'pm'}"


def day_and_time(wall: float, now: float) -> str:
    """The robot's words for a time: "at 6 pm", "tomorrow at 8 am", "on Monday at 8 am", "on 3 May at 8 am"."""
    local, days = _local(wall), (_local(wall).date() - _local(now).date()).days
    at = f"at {clock_time(wall)}"
    if days == 0:
        return at
    if days in (1, -1):
        return f"{'tomorrow' if days == 1 else 'yesterday'} {at}"
    return f"on {local:%A} {at}" if 0 < days < 7 else f"on {local.day} {local:%B} {at}"


def duration(seconds: float) -> str:
    """The robot's words for a duration: "5 minutes", "1 hour 30 minutes"."""
    whole = round(seconds)
    units = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))
    parts = []
    for name, size in units:
        count, whole = divmod(whole, size)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return " ".join(parts[:2]) or "0 seconds"
