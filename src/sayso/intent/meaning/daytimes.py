"""Clock times with the part of the day and the day that they are said with: "at 6 in the evening tomorrow", "this morning"."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sayso.intent.meaning.clock import DAY, DAYTIMES, PARTS, PERIODS, clock_at, in_part, likely
from sayso.intent.meaning.sentence_words import Reading
from sayso.representation import Timing, TimingName


@dataclass(frozen=True, slots=True)
class TakenTiming:
    """A time found in a sentence."""

    end: int  # index after its last word
    timings: tuple[Timing, ...]
    duration: bool = False  # "for ten minutes": the quantity of some intents

    @property
    def often(self) -> bool:
        """Whether it says how often: "every morning"."""
        return any(timing.kind == "every" for timing in self.timings)


def on_day(reading: Reading, kind: TimingName, at: int, clock: int, stop: int, seconds: float) -> TakenTiming:
    """A clock time with what follows it: "at 6 in the evening tomorrow", "at 8 every day"."""
    day, problem, settled = 0, "", reading.word(clock) in PARTS
    for _ in range(3):
        length, part, days = daytime_at(reading, stop)
        if part:
            seconds, settled = in_part(seconds, part), True
        if reading.word(stop) == "yesterday":
            day, problem, length = -1, "yesterday has passed", 1
        if not length:
            break
        day, stop = day or days, stop + length
    timing = made(reading, kind, at, stop, seconds if settled else likely(seconds), day, problem)
    part = reading.word(stop + 1)
    if reading.word(stop) in ("every", "each") and part in DAYTIMES:  # "at 4 every afternoon"
        timing = made(reading, kind, at, stop, in_part(seconds, part), day, problem)
        return TakenTiming(stop + 2, (made(reading, "every", stop, stop + 2, DAY), timing))
    if reading.word(stop) in ("every", "each") and reading.word(stop + 1) in PERIODS:
        every = made(reading, "every", stop, stop + 2, PERIODS[reading.word(stop + 1)])
        return TakenTiming(stop + 2, (every, timing))
    return TakenTiming(stop, (timing,))


def daytime_at(reading: Reading, at: int) -> tuple[int, str, int]:
    """Words, part of the day and days from today of "am", "in the evening", "tomorrow morning", "today"; 0 words for none."""
    word, after = reading.word(at), reading.word(at + 1)
    if word in ("am", "pm"):
        return 1, word, 0
    if word == "in" and after == "the" and reading.word(at + 2) in DAYTIMES:
        return 3, reading.word(at + 2), 0
    if (word == "this" and after in DAYTIMES) or (word == "at" and after == "night"):
        return 2, after, 0
    if word == "tomorrow":
        return (2, after, 1) if after in DAYTIMES else (1, "", 1)
    if word in ("tonight", "today", "sharp", "exactly"):
        return 1, "night" if word == "tonight" else "", 0
    return 0, "", 0


def part_of_day(reading: Reading, at: int, part: int, day: int = 0) -> TakenTiming:
    """Read "this evening", "in the morning at 8": the index `part` is that of "evening"."""
    name = reading.word(part)
    length, seconds = clock_at(reading, part + 2) if reading.word(part + 1) == "at" else (0, math.nan)
    stop = part + 2 + length if length else part + 1
    seconds = in_part(seconds, name) if length else PARTS[name] * 3600
    return TakenTiming(stop, (made(reading, "at", at, stop, seconds, day),))


def made(reading: Reading, kind: TimingName, at: int, stop: int, seconds: float, day: int = 0, problem: str = "") -> Timing:
    """The timing that the words [at, stop) express."""
    stop = min(stop, len(reading.text))
    return Timing(kind, reading.said(at, stop), reading.words[at].start, reading.words[stop - 1].end, seconds, day, problem)
