"""The words of a sentence by their index."""

from __future__ import annotations

from dataclasses import dataclass, field

from sayso.intent.clauses import Word


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a sentence."""

    words: tuple[Word, ...]
    text: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", tuple(word.text for word in self.words))

    def word(self, at: int) -> str:
        """The word at that index, empty outside of the sentence."""
        return self.text[at] if 0 <= at < len(self.text) else ""

    def said(self, start: int, end: int) -> str:
        """The words [start, end) as text."""
        return " ".join(self.text[start:end])
