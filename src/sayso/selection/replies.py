"""Replies, which only make sense as answers: yes, no, "never mind", "both", "pardon?". The wordings are in replies.yaml."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

from sayso.yaml_source import read_plain

Kind = Literal["yes", "no", "never_mind", "both", "any", "again"]
LONGEST = 200  # characters; a longer text is not matched
KINDS: tuple[Kind, ...] = ("yes", "no", "never_mind", "both", "any", "again")


@lru_cache(maxsize=1)
def wordings() -> dict[str, tuple[str, ...]]:
    """The lists of replies.yaml, by name."""
    held = read_plain(Path(__file__).with_name("replies.yaml"))
    return {name: tuple(phrases) for name, phrases in held.items()}


def plain(text: str) -> str:
    """The text in lower case, without punctuation or polite words and hesitations at either end: "Um, yes please!" → "yes"."""
    words = " ".join(re.sub(r"[^\w' ]", " ", text.lower().replace("’", "'")).split())
    if len(words) > LONGEST:
        return words
    bare = _edges().sub(" ", words).strip()
    while bare and bare != words:
        words, bare = bare, _edges().sub(" ", bare).strip()
    return words


def is_kind(text: str, *kinds: Kind | Literal["opposing"]) -> bool:
    """Whether a plain text consists only of replies of these kinds, one or several in a row ("no no never mind")."""
    return 0 < len(text) <= LONGEST and _only(kinds).fullmatch(text + " ") is not None


def kind_of(text: str) -> Kind | None:
    """The kind of reply, or None. "No, never mind" counts as never mind; "don't stop" is not a reply."""
    for kind in KINDS:
        if is_kind(text, kind):
            return kind
    return "never_mind" if is_kind(text, "opposing", "never_mind") else None


def is_reply(text: str) -> bool:
    """Whether the text is just a yes or a no."""
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
