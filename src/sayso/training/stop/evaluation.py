"""Evaluation of the stop spotter on one part of the sounds: recall, delay and false stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.speech.stopping.spotter import StopSpotter
from sayso.training.stop.clips import bank
from sayso.training.stop.config import Part
from sayso.training.stop.measure import Scored, delays, false_stops, in_noise, in_quiet, scored
from sayso.training.stop.sounds import Kind, SpokenPhrase, noises, recorded_talk, recorded_words

NOISE = 10.0  # dB
STOPS = ("synthetic voices", "neural voices", "recordings")
OTHERS = ("hard phrases", "hard phrases, neural voices", "sentences", "sentences, neural voices", "recorded words", "recorded talk")
HARD = OTHERS[:2]
PLAIN = ("sentences", "sentences, neural voices", "recorded talk")  # the other kinds are hard on purpose
CONDITIONS = ("quiet", "10 dB")  # for recordings: as recorded, and with noise added to their own


@dataclass(frozen=True, slots=True)
class Scores:
    """P(stop) over time for every sound of a part."""

    stops: dict[tuple[str, str], list[Scored]]  # by (one of STOPS, one of CONDITIONS)
    others: dict[tuple[str, str], list[Scored]]  # by (one of OTHERS, one of CONDITIONS)

    def all_stops(self, condition: str, kinds: Sequence[str] = STOPS) -> list[Scored]:
        """The sounds of these kinds together."""
        return [each for kind in kinds for each in self.stops[kind, condition]]

    def all_others(self, condition: str, kinds: Sequence[str]) -> list[Scored]:
        """The sounds of these kinds together."""
        return [each for kind in kinds for each in self.others[kind, condition]]


@dataclass(frozen=True, slots=True)
class Found:
    """The number of spoken stops, and the delays of the detected ones."""

    number: int
    delays: tuple[float, ...]  # s after the word's end, of the stops found

    @property
    def recall(self) -> float:
        """Share of stops found."""
        return len(self.delays) / max(self.number, 1)

    def delay(self, q: float) -> float:
        """That quantile of the delays in s; nan if none was found."""
        return float(np.quantile(self.delays, q)) if self.delays else float("nan")


@dataclass(frozen=True, slots=True)
class Stopped:
    """Speech without a call to stop, and its false stops."""

    number: int  # of sounds
    stops: int
    hours: float  # of speech

    @property
    def per_hour(self) -> float:
        """False stops an hour."""
        return self.stops / self.hours


def scores_of(spotter: StopSpotter, said: Sequence[SpokenPhrase], part: Part, report: Callable[[str], None], every: int = 1) -> Scores:
    """Score the spoken phrases and the recordings of that part; with `every` > 1 only each `every`-th sound.

    Raises:
        SaysoError: the recordings are not among the data sets.
    """
    words, talk = list(recorded_words(part)), list(recorded_talk(part))
    made_of = bank([*said, *talk], noises(part))

    def spoken(kind: Kind, neural: bool = False) -> list[SpokenPhrase]:
        return [each for each in said if each.kind == kind and each.neural == neural]

    groups = {
        "synthetic voices": spoken("stop"),
        "neural voices": spoken("stop", neural=True),
        "recordings": [each for each in words if each.kind == "stop"],
        "hard phrases": spoken("hard"),
        "hard phrases, neural voices": spoken("hard", neural=True),
        "sentences": spoken("sentence"),
        "sentences, neural voices": spoken("sentence", neural=True),
        "recorded words": [each for each in words if each.kind != "stop"],
        "recorded talk": talk,
    }
    found: dict[tuple[str, str], list[Scored]] = {}
    for name, sounds in groups.items():
        report(name)
        found[name, "quiet"] = scored(spotter, in_quiet(sounds[::every]))
        found[name, "10 dB"] = scored(spotter, in_noise(sounds[::every], made_of, NOISE))
    return Scores(
        {key: each for key, each in found.items() if key[0] in STOPS}, {key: each for key, each in found.items() if key[0] in OTHERS}
    )


def found(stops: Sequence[Scored], threshold: float) -> Found:
    """The stops found at that threshold."""
    after = delays(stops, threshold)
    return Found(len(after), tuple(each for each in after if each is not None))


def stopped(others: Sequence[Scored], threshold: float) -> Stopped:
    """The false stops at that threshold."""
    return Stopped(len(others), false_stops(others, threshold), sum(heard.seconds for heard, _ in others) / 3600.0)
