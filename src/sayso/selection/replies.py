"""Words that answer a question and ask for nothing by themselves: yes, no, "never mind", "both", "pardon?"; the wordings are data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Literal

import yaml

Kind = Literal["yes", "no", "never_mind", "both", "any", "again"]
LONGEST = 200  # characters; what is longer is no reply, and is not searched for one
KINDS: tuple[Kind, ...] = ("yes", "no", "never_mind", "both", "any", "again")


@lru_cache(maxsize=1)
def wordings() -> dict[str, tuple[str, ...]]:
    """Every list of replies.yaml."""
    text = files("sayso.selection").joinpath("replies.yaml").read_text(encoding="utf-8")
    return {str(name): tuple(phrases) for name, phrases in yaml.safe_load(text).items()}


def plain(text: str) -> str:
    """Lower case, without punctuation and without the politeness and hesitation at its edges: "Um, yes please!" → "yes"."""
    words = " ".join(re.sub(r"[^\w' ]", " ", text.lower().replace("’", "'")).split())
    if len(words) > LONGEST:
        return words
    bare = _edges().sub(" ", words).strip()
    while bare and bare != words:
        words, bare = bare, _edges().sub(" ", bare).strip()
    return words


def is_kind(said: str, *kinds: Kind | Literal["opposing"]) -> bool:
    """Is that nothing but replies of these kinds, one or several in a row? ("No no, never mind.") `said` is plain."""
    return 0 < len(said) <= LONGEST and _only(kinds).fullmatch(said + " ") is not None


def kind_of(said: str) -> Kind | None:
    """Which kind of reply that is; None where it is another sentence. "No, never mind" is a never mind; "don't stop" is no reply."""
    for kind in KINDS:
        if is_kind(said, kind):
            return kind
    return "never_mind" if is_kind(said, "opposing", "never_mind") else None


def is_reply(text: str) -> bool:
    """Is that a yes or a no, and nothing else?"""
    return kind_of(plain(text)) in ("yes", "no")


def alternation(phrases: Sequence[str]) -> str:
    """A regular expression that matches any of these phrases, the longest first."""
    return "|".join(re.escape(phrase) for phrase in sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


@lru_cache(maxsize=16)
def _only(kinds: tuple[str, ...]) -> re.Pattern[str]:
    phrases = [phrase for kind in kinds for phrase in wordings()[kind]]
    return re.compile(rf"(?:(?:{alternation(phrases)}) )+")


@lru_cache(maxsize=1)
def _edges() -> re.Pattern[str]:
    phrases = alternation(wordings()["edges"])
    return re.compile(rf"^(?:{phrases}) | (?:{phrases})$")
