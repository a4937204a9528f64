"""Quantities and directions in a clause: "10 meters" → 10 m, "90 degrees" → π/2 rad, "back" → backward."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sayso.intent.normalise import UNITS, Unit, normalise


@dataclass(frozen=True, slots=True)
class Measure:
    """A quantity: its span in the text, and its value in SI units."""

    start: int
    end: int
    value: float
    unit: str  # "m", "rad", "s" or ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A direction: its span in the text, and one of forward, backward, left, right, up, down, or a point of the compass."""

    start: int
    end: int
    direction: str


_UNIT_WORDS = "|".join(sorted((word for word in UNITS if len(word) > 2 and word.isalpha()), key=len, reverse=True))
_MEASURE = re.compile(rf"\b(?:(?P<number>\d+(?:\.\d+)?)(?: (?P<unit>{_UNIT_WORDS}))?|(?:an?|one|another) (?P<single>{_UNIT_WORDS}))\b")
_LITTLE = re.compile(r"\b(?:just )?(?:a (?:tiny |little )?bit|a little(?: bit)?|slightly|a touch|a tad)\b")
_LITTLE_OF = {"m": 0.25, "rad": math.radians(20), "s": 3.0}  # value of "a bit"
_TURNS = (  # longest first
    (re.compile(r"\b(?:a )?(?:full|complete|whole) (?:turn|circle|rotation|spin|twirl|revolution)\b|\ball the way a?round\b"), 2 * math.pi),
    (re.compile(r"\b(?:a )?half (?:a )?turn\b|\bhalf ?way around\b|\b(?:a )?u turn\b|\bthe other way\b|\baround\b"), math.pi),
    (re.compile(r"\b(?:a )?quarter (?:of a )?turn\b"), math.pi / 2),
)
_HEADINGS = (
    ("left", r"counter ?clockwise|anti ?clockwise|left(?: hand)?|leftwards?"),
    ("right", r"(?<!counter )(?<!anti )clockwise|right(?: hand)?|rightwards?"),
    ("forward", r"forwards?|straight(?: ahead| on)?|ahead"),
    ("backward", r"backwards?|back(?: up)?|reverse|rearwards?|away"),
    *((f"{ns}{ew}", f"{ns}[ -]?{ew}(?:wards?)?") for ns in ("north", "south") for ew in ("east", "west")),
    *((point, f"{point}(?:wards?|ern)?") for point in ("north", "east", "south", "west")),
    ("up", r"upwards?|up"),
    ("down", r"downwards?|down"),
    ("left", r"around|u turn|the other way|half ?way around"),  # half a turn either way: left by default
)
_HEADING = tuple((direction, re.compile(rf"\b(?:(?:to|on|towards?) )?(?:the |your )?(?:{words})\b")) for direction, words in _HEADINGS)
_IMMEDIATELY = re.compile(r"\bright (?:now|away|here|there)\b")


def usual_unit(examples: Iterable[str]) -> Unit | None:
    """The most frequent unit in an intent's examples: the meaning of a bare number, "turn 90"."""
    counts = Counter(UNITS[word].word for example in examples for word in normalise(example).split() if word in UNITS)
    return UNITS[counts.most_common(1)[0][0]] if counts else None


def suits(found: Measure, usual: Unit | None) -> bool:
    """Whether the quantity has the dimension of that unit: two minutes are no distance. A bare number has any."""
    return usual is None or found.unit in ("", usual.si)


def measure(text: str, usual: Unit | None) -> Measure | None:
    """The first quantity of a normalised clause, preferably of the usual unit's dimension; None if there is none."""
    found: list[Measure] = []
    for match in _MEASURE.finditer(text):
        unit = UNITS.get(match["unit"] or match["single"] or "", usual)
        value = float(match["number"] or 1.0)
        found.append(Measure(*match.span(), value * unit.factor if unit else value, unit.si if unit else ""))
    for pattern, angle in _TURNS if usual is not None and usual.si == "rad" else ():
        found.extend(Measure(*match.span(), angle, "rad") for match in pattern.finditer(text))
    if usual is not None:
        found.extend(Measure(*match.span(), _LITTLE_OF[usual.si], usual.si) for match in _LITTLE.finditer(text))
        found.sort(key=lambda one: one.unit != usual.si)
    return found[0] if found else None


def heading(text: str) -> Heading | None:
    """The direction in a normalised clause; of several, the most specific: "go back to the left" is left."""
    free = _IMMEDIATELY.sub(lambda match: "·" * len(match[0]), text)
    for direction, pattern in _HEADING:
        if match := pattern.search(free):
            return Heading(*match.span(), direction)
    return None
