"""Sentences that put one thing in the place of another: "no, I said the kitchen", "the blue one, not the red one"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sayso.selection.replies import LONGEST, alternation, wordings


@dataclass(frozen=True, slots=True)
class Correction:
    """What a sentence rules out, and what it puts instead."""

    instead: str  # the words of the value that is meant; empty where only something is ruled out
    ruled_out: str = ""  # the words of what is not meant


def correction(said: str) -> Correction | None:
    """What a plain sentence corrects; None where it opposes nothing ("the blue one" is an answer, not a correction)."""
    if len(said) > LONGEST:
        return None
    for pattern in _patterns():
        match = pattern.fullmatch(said)
        if match:
            groups = match.groupdict()
            return Correction(_bare(groups.get("x") or ""), _bare(groups.get("y") or ""))
    return None


def _bare(words: str) -> str:
    """Without what introduces it: "i said the kitchen" → "the kitchen"."""
    return _introduction().sub("", words)


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Tried in order; x is what is meant, y what is not."""
    no, said_before = alternation(wordings()["opposing"]), alternation(wordings()["said_before"])
    # "now i said the kitchen": what a recogniser hears for a "no" that begins the sentence.
    lead = rf"(?:(?:{no}|know|now) )*"
    forms = (
        rf"{lead}not (?P<y>.+?) (?:but|rather) (?P<x>.+)",
        rf"{lead}not (?P<y>(?:the|to the|on the) .+?) (?P<x>(?:the|to the|on the) .+)",
        rf"{lead}(?:{said_before} )?not (?P<y>.+)",
        rf"{lead}(?P<x>.+?) (?:and )?not (?P<y>.+)",
        rf"(?:(?:{no}) |yes but )+(?P<x>.+)",
        rf"{lead}(?:(?:{said_before}) )+(?P<x>.+)",
    )
    return tuple(re.compile(form) for form in forms)


@lru_cache(maxsize=1)
def _introduction() -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{alternation([*wordings()['said_before'], *wordings()['introducing']])}) (?=.))+")
