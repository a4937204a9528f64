"""BIO tags of words (Ramshaw & Marcus 1995), and the spans they encode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.types import FloatArray


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive words with a label."""

    label: str
    first: int  # index of the first word
    last: int  # index of the last word

    def moved(self, by: int) -> Span:
        """The span moved by that many words."""
        return Span(self.label, self.first + by, self.last + by)

    def over(self, words: Sequence[tuple[int, int]]) -> Span:
        """The span mapped to another text; `words` maps each word to a (first, last) range there."""
        return Span(self.label, words[self.first][0], words[self.last][1])


@dataclass(frozen=True, slots=True)
class TaggedFrame:
    """A request, or a frame of a corpus: its trigger words and their arguments."""

    trigger: Span
    arguments: tuple[Span, ...]

    def moved(self, by: int) -> TaggedFrame:
        """The frame moved by that many words."""
        return TaggedFrame(self.trigger.moved(by), tuple(span.moved(by) for span in self.arguments))

    def over(self, words: Sequence[tuple[int, int]]) -> TaggedFrame:
        """The frame mapped to another text, as in `Span.over`."""
        return TaggedFrame(self.trigger.over(words), tuple(span.over(words) for span in self.arguments))


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


def best_spans(log_p: FloatArray, labels: Sequence[str]) -> tuple[Span, ...]:
    """The most probable spans: the best path in which an I follows only a B or I of its own label (Viterbi 1967).

    Args:
        log_p: (n, 2L + 1) scores of each word's tags.
        labels: (L,) in the order of the tags.
    """
    inside = np.arange(2, 2 * len(labels) + 1, 2)
    score, back = log_p[:0].sum(0) + 0.0, np.zeros(log_p.shape, np.int64)
    for at, row in enumerate(log_p):
        before = int(score.argmax())
        came_from = np.full(len(row), before)
        if at:
            came_from[inside] = np.where(score[inside] >= score[inside - 1], inside, inside - 1)
        score = score[came_from] + row
        if not at:
            score[inside] = -np.inf
        back[at] = came_from
    path: list[int] = []
    tag = int(score.argmax())
    for at in range(len(log_p) - 1, -1, -1):
        path.append(tag)
        tag = int(back[at][tag])
    return _spans(path[::-1], labels)


def _spans(tags: Sequence[int], labels: Sequence[str]) -> tuple[Span, ...]:
    spans: list[Span] = []
    for at, tag in enumerate(tags):
        if tag and tag % 2:
            spans.append(Span(labels[tag // 2], at, at))
        elif tag:
            spans[-1] = Span(spans[-1].label, spans[-1].first, at)
    return tuple(spans)
