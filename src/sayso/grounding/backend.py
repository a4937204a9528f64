"""What a grounding backend does: it looks at one picture for several plain phrases ("red cup"), and tells all things that fit each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from sayso.types import Candidate, FloatArray, Image, WordAttention


@dataclass(frozen=True, slots=True)
class Look:
    """What one plain phrase finds in one picture."""

    phrase: str
    attention: FloatArray  # (rows, cols) over the picture, sums to 1
    presence: float  # P(at least one thing that the phrase describes is in the picture)
    candidates: tuple[Candidate, ...]  # the most probable first; empty if nothing is like it
    unknown: tuple[str, ...] = ()  # words of the phrase that the backend has no idea of
    words: tuple[WordAttention, ...] = ()  # the attention of each part of the phrase, if there are several and the backend tells


class Backend(Protocol):
    """A network that finds things. Relations, superlatives and counts are resolved on its candidates, by the same code for all backends."""

    @property
    def threshold(self) -> float:
        """Probability above which a candidate counts as found."""
        ...

    def look(self, image: Image, phrases: Sequence[str]) -> tuple[Look, ...]:
        """One result for each phrase, in order. The picture is encoded once.

        Args:
            image: of any size.
            phrases: plain noun phrases, a kind with attributes: "red cup", "bottle", "green thing".
        """
        ...
