"""Text normalisation, equation 1 of docs/mathematics.md: case, punctuation, fillers, spoken numbers and units.

Function words stay, because they carry the syntax ("put it on the table"); commas stay, because they separate clauses.
Normalisation is idempotent: normalise(normalise(text)) == normalise(text).
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from operator import ne

FILLERS = frozenset(("uh", "um", "uhm", "umm", "er", "erm", "ehm", "hm", "hmm", "mhm", "ah", "eh", "uhh", "mm"))
COLLOQUIAL = {"em": "them", "'em": "them", "ya": "you", "gimme": "give me", "lemme": "let me", "wanna": "want to", "gonna": "going to"}
COLLOQUIAL |= {"whatcha": "what are you", "whatchya": "what are you", "watcha": "what are you", "whaddya": "what do you"}
COLLOQUIAL |= {"dunno": "don't know", "gotta": "got to", "outta": "out of", "kinda": "kind of", "til": "till", "'til": "till"}
COLLOQUIAL |= {"couldya": "could you", "wouldya": "would you", "willya": "will you", "d'you": "do you", "cos": "because", "coz": "because"}
COLLOQUIAL |= {"cuz": "because", "pls": "please", "plz": "please", "u": "you", "thx": "thanks", "y'all": "you"}
_DROPPED_G = "do go com look gett hav putt bring sitt ly hid wait work mak tak runn stand hold"
COLLOQUIAL |= {f"{verb}in": f"{verb}ing" for verb in _DROPPED_G.split()}
# Words whose repetition is a stutter. "stop stop" and "very very" are intended.
STUMBLED = frozenset(("the", "a", "an", "to", "in", "on", "at", "from", "of", "and", "i", "me", "my", "you", "it", "can", "could", "is"))

_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_NUMBERS = {word: value for value, word in enumerate(_ONES.split())}
_NUMBERS |= {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
_SIZES = {"hundred": 100, "thousand": 1000}


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as people say it."""

    word: str  # plural, in normalised text
    one: str  # singular
    factor: float  # to SI
    si: str  # "m", "rad" or "s"


_UNITS = (
    (Unit("meters", "meter", 1.0, "m"), "m metre metres mtr"),
    (Unit("centimeters", "centimeter", 0.01, "m"), "cm centimetre centimetres"),
    (Unit("millimeters", "millimeter", 0.001, "m"), "mm millimetre millimetres"),
    (Unit("feet", "foot", 0.3048, "m"), "ft"),
    (Unit("inches", "inch", 0.0254, "m"), ""),
    (Unit("steps", "step", 0.5, "m"), "pace paces"),  # a step of the robot, not of a person
    (Unit("degrees", "degree", math.pi / 180, "rad"), "deg °"),
    (Unit("radians", "radian", 1.0, "rad"), "rad"),
    (Unit("seconds", "second", 1.0, "s"), "s sec secs"),
    (Unit("minutes", "minute", 60.0, "s"), "min mins"),
    (Unit("hours", "hour", 3600.0, "s"), "h hr hrs"),
)
UNITS = {spelling: unit for unit, spellings in _UNITS for spelling in (unit.word, unit.one, *spellings.split())}

LONGEST_NUMERAL = 9  # digits; a longer one is not a quantity
_APOSTROPHES = str.maketrans("’‘´`", "''''")
_NUMERAL = re.compile(r"\d+(?:\.\d+)?")
_HALF_DAY = re.compile(r"\b([ap])\.\s?m\b\.?")  # "6 p.m."
_MINUS = re.compile(r"(?<!\S)[-−](?=\d)")  # "-2 cups"
_WHICH = re.compile(r"\b(which \w+)'s\b")  # "which room's the laptop in"
_TIME = re.compile(r"\b(hours?|minutes?|seconds?|days?|weeks?)'s? time\b")  # "in an hour's time"
_OWN_SIDE = re.compile(r"\b(?:on|to|at) (?P<whose>its|his|her|their) (?P<side>left|right)(?: hand)?(?: side)?(?= ?[,.;!?]| and | then |$)")
_MORE = frozenset(("more", "further", "extra", "additional", "full", "whole"))
_WHOSE = {"its": "it", "his": "him", "her": "her", "their": "them"}
_PIECES = re.compile(r"\d{1,2}:\d\d(?!\d)|\d+\.\d+|\d+(?:st|nd|rd|th)\b|\d+|[^\W\d_]+(?:'[^\W\d_]+)*|°|[,.;:!?\n]")


@lru_cache(maxsize=8192)  # the examples of a home are read a dozen times while its models are made
def normalise(text: str) -> str:
    """The text in lower case, without fillers or punctuation except commas, numbers in digits: "um, ten meters!" → "10 meters"."""
    if _LETTERS.fullmatch(text) and _CHANGED.isdisjoint(said := text.split()) and all(map(ne, said, said[1:])):
        return text
    words: list[str] = []
    plain = _TIME.sub(r"\1 time", unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).casefold())
    plain = _WHICH.sub(r"\1 is", plain)
    plain = _OWN_SIDE.sub(lambda match: f"to the {match['side']} of {_WHOSE[match['whose']]}", plain)
    for piece in _PIECES.findall(_MINUS.sub("minus ", _HALF_DAY.sub(r"\1m", plain))):
        word = "," if piece in ".;:!?\n" else piece
        if word in FILLERS or (words and word == words[-1] and (word in STUMBLED or word == ",")):
            continue
        words += COLLOQUIAL.get(word, word).split()
    return " ".join(_numbers(words)).replace(" ,", ",").strip(" ,")


def _numbers(words: list[str]) -> list[str]:
    """The words with spoken numbers in digits and units in one spelling."""
    result: list[str] = []
    at = 0
    while at < len(words):
        value, length = _number(words, at) if words[at] in _FIRST or words[at][0].isdecimal() else (0.0, 0)
        more = at + length + 1 < len(words) and words[at + length] in _MORE and words[at + length + 1] in UNITS  # "one more metre"
        length += more if length else 0
        unit = UNITS.get(words[at + length]) if at + length < len(words) else None
        if not length or (value == 1 and words[at] == "one" and length == 1 and unit is None):  # "the red one", "one of them"
            result.append(words[at])
            at += 1
            continue
        result.append(f"{value:.10g}")
        at += length
        if unit is not None:
            result.append(unit.one if value == 1 else unit.word)
            at += 1
    return result


def _number(words: list[str], at: int) -> tuple[float, int]:
    """The number that starts at that index, and its length in words; 0 words for none."""
    for phrase, value in _PHRASES:
        if tuple(words[at : at + len(phrase)]) == phrase and (phrase[-1] == "of" or _unit_at(words, at + len(phrase))):
            return value, len(phrase)
    if _NUMERAL.fullmatch(words[at]) and words[at].isascii() and len(words[at]) <= LONGEST_NUMERAL:
        value, length = float(words[at]), 1
    else:
        value, length = _cardinal(words, at)
    if not length:
        return 0.0, 0
    if words[at + length : at + length + 3] == ["and", "a", "half"]:
        return value + 0.5, length + 3
    if words[at + length : at + length + 1] == ["point"]:
        digits = ""
        while at + length + 1 + len(digits) < len(words) and _NUMBERS.get(words[at + length + 1 + len(digits)], 10) < 10:
            digits += str(_NUMBERS[words[at + length + 1 + len(digits)]])
        if digits and value.is_integer():
            return float(f"{value:.0f}.{digits}"), length + 1 + len(digits)
    return value, length


_PHRASES = (  # before a unit only
    (("half", "a"), 0.5),
    (("half", "an"), 0.5),
    (("a", "half"), 0.5),
    (("half",), 0.5),
    *((("quarter", "of", article), 0.25) for article in ("a", "an")),
    *((("a", "quarter", "of", article), 0.25) for article in ("a", "an")),
    *((("three", "quarters", "of", article), 0.75) for article in ("a", "an")),
    (("a", "couple", "of"), 2.0),
    (("a", "few"), 3.0),
    (("a", "hundred"), 100.0),
)


_FIRST = frozenset((*_NUMBERS, "hundred", *(phrase[0] for phrase, _ in _PHRASES)))  # words with which a number may begin
# A text of such letters and without such words is left as it is: most names and examples of a home.
_LETTERS = re.compile("[a-z]+(?: [a-z]+)*")
_CHANGED = FILLERS | COLLOQUIAL.keys() | _WHOSE.keys() | _SIZES.keys() | _FIRST - {"a"} | {"couple", "few"}


def _unit_at(words: list[str], at: int) -> bool:
    return at < len(words) and words[at] in UNITS


def _cardinal(words: list[str], at: int) -> tuple[float, int]:
    """A whole number in words, "one hundred and eighty": its value and length."""
    total = current = length = 0
    last = math.inf  # the next word must be smaller: "twenty one" is one number, "one two" are two
    while at + length < len(words):
        word = words[at + length]
        if word == "a" and not length and words[at + 1 : at + 2] and words[at + 1] in _SIZES:  # "a hundred and twenty"
            current, last = 1, 1
        elif word == "hundred" and not length and (words[at + 1 : at + 2] == ["and"] or _unit_at(words, at + 1)):
            current = last = 100
        elif word in _NUMBERS and _fits(_NUMBERS[word], last):
            current, last = current + _NUMBERS[word], _NUMBERS[word]
        elif length == 1 and 0 < last < 10 and _NUMBERS.get(word, 0) >= (10 if _measures(words, at + 2) else 60):
            # "one eighty", "one forty degrees"; "six thirty" is a time
            current, last = current * 100 + _NUMBERS[word], _NUMBERS[word]
        elif word in _SIZES and current and last != math.inf:
            size = _SIZES[word]
            total, current = (total + current * size, 0) if size == 1000 else (total, current * size)
            last = size
        elif word == "and" and last in (100, 1000) and _NUMBERS.get(words[at + length + 1] if at + length + 1 < len(words) else "", 0):
            pass
        else:
            break
        length += 1
    return float(total + current), length


def _measures(words: list[str], at: int) -> bool:
    """Whether a unit of length or angle follows, perhaps after the last digit: "five degrees"."""
    unit = at + (at < len(words) and 0 < _NUMBERS.get(words[at], 0) < 10)
    return _unit_at(words, unit) and UNITS[words[unit]].si != "s"


def _fits(value: int, last: float) -> bool:
    """Whether a number word may follow a word of size `last` in the same number."""
    return last == math.inf or last >= 100 or (20 <= last < 100 and 0 < value < 10)
