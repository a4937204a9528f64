"""What people show the robot: "this is the bathroom", "in this room there are two chairs"."""

from __future__ import annotations

from sayso.domain.model import Domain
from sayso.types import Clause

UNTOLD = "I can't note what I am told about things: I only know what I see, and what I am asked to do."
_SHOWN = frozenset(("this is", "that is", "these are", "those are", "there is", "there are", "here is", "here are"))
_SHORT = {"that's": "that is", "there's": "there is", "here's": "here is"}
_TOLD = frozenset(("i", "he", "she", "they", "we", "you", "was", "were", "had", "has", "have", "did"))  # words of stories
_CALLING = ("hey", "robot", "okay", "ok", "please", "so", "well")
_BEFORE = 3  # most words before "there is": "in this room"


def is_shown(domain: Domain, clause: Clause) -> bool:
    """Whether the clause only says what is here, of something of the home."""
    words = clause.text.replace(",", "").split()
    while words and words[0] in _CALLING:
        words = words[1:]
    names = (name.lower() for known in (domain.places, domain.objects) for spec in known.values() for name in spec.names)
    said = f" {' '.join(words)}"
    named = any(f" {name}" in said for name in names)
    return named and not _TOLD.intersection(words) and any(_begins(words, at) for at in range(_BEFORE + 1))


def _begins(words: list[str], at: int) -> bool:
    said = " ".join(_SHORT.get(word, word) for word in words[at : at + 2])
    return (at == 0 or words[:1] == ["in"]) and " ".join(said.split()[:2]) in _SHOWN
