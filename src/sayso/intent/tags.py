"""Tags of words, B, I and O (Ramshaw & Marcus 1995), and the spans that they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.types import FloatArray


@dataclass(frozen=True, slots=True)
class Span:
    """Some words that stand together."""

    label: str
    first: int  # index of its first word
    last: int  # of its last one

    def moved(self, by: int) -> Span:
        """So many words further on."""
        return Span(self.label, self.first + by, self.last + by)

    def over(self, words: Sequence[tuple[int, int]]) -> Span:
        """The same where each word stands for several others: `words` has their first and last."""
        return Span(self.label, words[self.first][0], words[self.last][1])


@dataclass(frozen=True, slots=True)
class TaggedFrame:
    """Something asked for, or a frame of a corpus: the words that call for it, and those that tell what with."""

    trigger: Span
    arguments: tuple[Span, ...]

    def moved(self, by: int) -> TaggedFrame:
        """So many words further on."""
        return TaggedFrame(self.trigger.moved(by), tuple(span.moved(by) for span in self.arguments))

    def over(self, words: Sequence[tuple[int, int]]) -> TaggedFrame:
        """The same where each word stands for several others."""
        return TaggedFrame(self.trigger.over(words), tuple(span.over(words) for span in self.arguments))


def tag_count(labels: Sequence[str]) -> int:
    """How many tags there are: O, and B and I of each label."""
    return 2 * len(labels) + 1


def tags_of(spans: Iterable[Span], labels: Sequence[str], count: int) -> list[int]:
    """The tag of each of `count` words: 0 for O, 2l + 1 where a span of label l begins, 2l + 2 within it.

    Of spans that overlap the first wins.
    """
    tags = [0] * count
    for span in spans:
        if any(tags[span.first : span.last + 1]):
            continue
        label = 2 * list(labels).index(span.label)
        tags[span.first : span.last + 1] = [label + 1] + [label + 2] * (span.last - span.first)
    return tags


def best_spans(log_p: FloatArray, labels: Sequence[str]) -> tuple[Span, ...]:
    """The likeliest spans: the best path among those in which an I follows only a B or an I of its own label (Viterbi 1967).

    Args:
        log_p: (n, 2L + 1) scores of the tags of each word.
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
