"""Apostrophes that people leave out when they type, and that recognisers leave out: "dont" → "don't", "annas cup" → "anna's cup".

Only forms that are no other word are changed everywhere ("dont"); forms that are ("its", "were", "id") only where the other reading
cannot stand.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from sayso.intent.grammar import word_set

_NOT = word_set(
    "dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt couldnt wouldnt shouldnt mustnt neednt cant aint"
)  # "wont" is rare as a word, "cant" rarer
_PLAIN = (
    {word: f"{word[:-1]}'t" for word in _NOT}
    | {"wont": "won't", "im": "i'm", "ive": "i've", "youre": "you're", "youve": "you've", "youll": "you'll", "theyre": "they're"}
    | {"theyve": "they've", "theyll": "they'll", "weve": "we've", "itll": "it'll", "thatll": "that'll", "whatll": "what'll"}
    | {f"{word}s": f"{word}'s" for word in "that what where who how there here she when".split()}
    | {f"{who}{one}s": f"{who}{one}'s" for who in ("some", "any", "every", "no") for one in ("body", "one")}
    | {"whats": "what's", "hes": "he's", "everythings": "everything's", "somethings": "something's", "nothings": "nothing's"}
)
_STATE = (
    r"(?=(?:not|on|in|at|still|there|here|empty|full|raining|getting|too|so|very|really|just|already|okay|ok|ready|time|cold|dark|hot|"
    r"a|an|the|been|my|behind|under|next|by|near|over|gone|left|dirty|clean|yours|mine|broken|open|closed|late)\b)"
)
_GUARDED = (
    (re.compile(rf"\bits {_STATE}"), "it's "),
    (re.compile(r"\bid (?=(?:like|love|rather|prefer|want|need|say|appreciate)\b)"), "i'd "),
    (re.compile(r"\bill (?=(?:have|take|be|get|do|need|want|let|go|give|just|tell|call|say)\b)"), "i'll "),
    (re.compile(r"\bwell (?=(?:have|take) (?:the|a|some)\b)"), "we'll "),
    (re.compile(r"(?:(?<=^)|(?<=, )|(?<=please )|(?<=and ))lets (?=\w)"), "let's "),
    (re.compile(r"\bwere (?=(?:out of|going to|having|running|off|all out|ready|done|back|at|hungry|thirsty|cold)\b)"), "we're "),
)
_WORD = re.compile(r"[^\s,]+")


def with_apostrophes(text: str, names: Collection[str]) -> str:
    """The normalised text with the apostrophes that were left out.

    Args:
        text: normalised.
        names: one-word names of people: "annas" is "anna's", unless it is a name too.
    """
    found = _WORD.sub(lambda match: _whole(match[0], names), text)
    for pattern, meant in _GUARDED:
        found = pattern.sub(meant, found)
    return found


def _whole(word: str, names: Collection[str]) -> str:
    if word in _PLAIN:
        return _PLAIN[word]
    return f"{word[:-1]}'s" if len(word) > 3 and word.endswith("s") and word[:-1] in names and word not in names else word
