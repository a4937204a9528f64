"""Comparison of words and values: inflections and numbers count as equal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_EMPTY = frozenset((
    "a", "an", "the", "is", "are", "am", "was", "be", "been", "do", "does", "to", "of", "it", "its", "you", "i", "me", "my", "your", "our",
    "and", "then", "please", "there", "here", "so", "some",
))  # fmt: skip
_NEGATIONS = frozenset(("not", "no", "never", "none", "nothing", "without", "nobody"))
_ENDINGS = ("ings", "ing", "ies", "es", "ed", "s", "e", "y")


def stems(text: str) -> frozenset[str]:
    """The content words of a text, without endings: "anna comes" → {anna, com}."""
    return frozenset(stems_in_order(text))


def stems_in_order(text: str) -> list[str]:
    """The content words of a text in order, without endings."""
    words = (word.replace("’", "'") for word in _WORD.findall(text.lower()))
    return [stem(word.removesuffix("'s")) for word in words if word not in _EMPTY]


def stem(word: str) -> str:
    """The word without its ending, if three letters remain."""
    ending = next((each for each in _ENDINGS if word.endswith(each) and len(word) - len(each) >= 3), "")
    short = word.removesuffix(ending) if ending else word
    return short[:-1] if ending in ("ing", "ed") and len(short) > 3 and short[-1] == short[-2] else short


def covers(text: str, words: str) -> bool:
    """Whether every content word of `words` is in the text."""
    return stems(words) <= stems(text)


def names_one(text: str, words: Iterable[str]) -> bool:
    """Whether the text holds at least one of these words or phrases, whole."""
    return any(stems(word) and covers(text, word) for word in words)


def negated(text: str) -> bool:
    """Whether the text holds a negation."""
    words = [word.replace("’", "'") for word in _WORD.findall(text.lower())]
    return any(word in _NEGATIONS or word.endswith("n't") for word in words)


def same_value(wanted: str, held: str) -> bool:
    """Whether two values are equal: ids, words, or numbers within 1 %."""
    a, b = _number(wanted), _number(held)
    if math.isfinite(a) and math.isfinite(b):
        return math.isclose(a, b, rel_tol=0.01)
    if wanted == held:
        return True
    return bool(stems(wanted)) and stems(wanted) == stems(held)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
