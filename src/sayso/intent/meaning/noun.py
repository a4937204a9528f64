"""A noun phrase without restrictions, as it is read."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.representation import Description


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase without restrictions. Indices count the words of the sentence."""

    description: Description
    first: int
    end: int  # one past the last word
    kind: str = ""  # "place", "object" or "person" of its best candidate; empty if unknown
    plural: bool = False
    headless: bool = False  # attributes alone: "the red", of "the red and the blue cup"
    apart: frozenset[int] = frozenset()  # words of its order and partitive: "biggest", "smaller of the two"
