"""Splits a plain noun phrase into units that the network reads one by one: "the red water bottle" → red + water bottle."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sayso.grounding.colors import named

THING = "thing"  # the noun that fits everything
_ANYTHING = frozenset(("thing", "object", "item", "one", "things", "objects", "items", "ones", "something", "anything"))
# Words without visual meaning.
SILENT = frozenset(
    ("a", "an", "the", "this", "that", "these", "those", "my", "your", "his", "her", "our", "their", "some", "any", "please", "and")
)
# Colours that are no things: "the red" is the red thing, "the orange" may be a fruit.
_MERE_COLORS = frozenset(
    ("red", "blue", "green", "yellow", "purple", "violet", "pink", "brown", "black", "white", "gray", "grey", "cyan", "turquoise", "teal")
)
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


@dataclass(frozen=True, slots=True)
class PhraseUnit:
    """A part of a phrase that is read by itself."""

    text: str
    color: bool = False  # the name of a colour; else a noun: "orange" can be both


def content_words(phrase: str) -> list[str]:
    """The content words in lower case: "The bottle of water, please" → [bottle, of, water]."""
    return [word for word in _WORD.findall(phrase.lower()) if word not in SILENT]


def units_of(phrase: str) -> tuple[PhraseUnit, ...]:
    """The colours of a phrase, then its noun; empty without content words. "The orange" ends in a noun, "the red" does not."""
    words = content_words(phrase)
    if words and words[-1] in _MERE_COLORS:
        words.append(THING)
    if not words:
        return ()
    colors = dict.fromkeys(word for word in words[:-1] if word in named())
    noun = [word for word in words[:-1] if word not in colors and word not in _ANYTHING]
    noun += [words[-1]] if words[-1] not in _ANYTHING else []
    return (*(PhraseUnit(color, color=True) for color in colors), PhraseUnit(" ".join(noun) or THING))
