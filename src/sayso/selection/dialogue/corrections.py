"""Sentences that correct: "no, I said the kitchen", "the blue one, not the red one"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sayso.selection.replies import LONGEST, alternation, wordings


@dataclass(frozen=True, slots=True)
class Correction:
    """The action that a sentence rules out, and the one that it asks for instead."""

    instead: str  # words of the intended value; empty if the sentence only rules something out
    ruled_out: str = ""  # words of the value that is not meant


def correction(text: str) -> Correction | None:
    """The correction in a plain sentence; None if there is none ("the blue one" is an answer, not a correction)."""
    if len(text) > LONGEST:
        return None
    for pattern in _patterns():
        match = pattern.fullmatch(text)
        if match:
            groups = match.groupdict()
            return Correction(_bare(groups.get("x") or ""), _bare(groups.get("y") or ""))
    return None


def _bare(words: str) -> str:
    """The words without an introduction: "i said the kitchen" → "the kitchen"."""
    return _introduction().sub("", words)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Patterns, tried in order; x is the intended value, y the one ruled out."""
    no, said_before = alternation(wordings()["opposing"]), alternation(wordings()["said_before"])
    # Recognisers mistake a sentence-initial "no" for "know" or "now": "now i said the kitchen".
    lead = rf"(?:(?:{no}|know|now|yes but|but) )*"
    # "not the one on the desk" names one thing, "not the kitchen the bedroom" two.
    apart = "".join(rf"(?<! {word})" for word in ("on", "in", "at", "to", "of", "by", "near", "from", "with", "under", "behind", "beside"))
    forms = (
        rf"{lead}not (?P<y>.+?) (?:but|rather) (?P<x>.+)",
        rf"{lead}not (?P<y>(?:to the|on the) .+?){apart} (?P<x>(?:the|to the|on the) .+)",
        rf"{lead}not (?P<y>the .+?){apart} (?P<x>(?:the|to the) .+)",
        rf"{lead}(?:{said_before} )?not (?P<y>.+)",
        rf"{lead}(?P<x>.+?) (?:and )?not (?P<y>.+)",
        rf"(?:(?:{no}) |yes but )+(?P<x>.+)",
        rf"{lead}(?:(?:{said_before}) )+(?P<x>.+)",
    )
    return tuple(re.compile(form) for form in forms)


@lru_cache(maxsize=1)
def _introduction() -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{alternation([*wordings()['said_before'], *wordings()['introducing']])}) (?=.))+")
