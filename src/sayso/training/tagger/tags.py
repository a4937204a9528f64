"""BIO tags of words (Ramshaw & Marcus 1995)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive words with a label."""

    label: str
    first: int  # index of the first word
    last: int  # index of the last word

    def moved(self, by: int) -> Span:
        """The span moved by that many words."""
        return Span(self.label, self.first + by, self.last + by)


@dataclass(frozen=True, slots=True)
class TaggedFrame:
    """A request, or a frame of a corpus: its trigger words and their arguments."""

    trigger: Span
    arguments: tuple[Span, ...]

    def moved(self, by: int) -> TaggedFrame:
        """The frame moved by that many words."""
        return TaggedFrame(self.trigger.moved(by), tuple(span.moved(by) for span in self.arguments))


def tag_count(labels: Sequence[str]) -> int:
    """Number of tags: O, and B and I per label."""
    return 2 * len(labels) + 1


def tags_of(spans: Iterable[Span], labels: Sequence[str], count: int) -> list[int]:
    """The tags of `count` words: 0 for O, 2l + 1 for the first word of a span with label l, 2l + 2 for its other words.

    If spans overlap, the first wins.
    """
    tags = [0] * count
    for span in spans:
        if any(tags[span.first : span.last + 1]):
            continue
        label = 2 * list(labels).index(span.label)
        tags[span.first : span.last + 1] = [label + 1] + [label + 2] * (span.last - span.first)
    return tags
