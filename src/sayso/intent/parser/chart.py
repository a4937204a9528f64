"""A conditional random field over the structures of a sentence: its normalising sum, and its most probable structures.

A structure is a set of labelled spans of which any two are nested or apart; spans with the same words form one chain of labels. It scores

    s(y) = Σ_(i,j,l) ∈ y  s_ij,l + T[g(parent), outer(l)],    P(y | words) = exp s(y) / Z

where g(parent) is the group of the innermost span around it. Each structure has one derivation: a sequence of items is a sequence and one
more item, an item is a word without a label or a labelled span, and a span holds a word or a sequence of at least two items. So Z is exact
(inside algorithm: Baker 1979), and the k best structures are exact too (Huang & Chiang 2005, algorithm 1). O(n³) for n words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.intent.parser.labels import LabelSet

Scores = NDArray[np.float32]
Structure = dict[tuple[int, int], str]  # (first word, last word) → chain of labels
NONE = np.float32(-1e30)


@dataclass(frozen=True, slots=True)
class Grammar:
    """Which label tends to lie in which group.

    Attributes:
        labels: of the spans.
        within: (G, L) the score of each label in a span of each group, or outside of all spans.
    """

    labels: LabelSet
    within: Scores

    @classmethod
    def of(cls, labels: LabelSet, transitions: Scores) -> Grammar:
        """With (G, singles) scores of single labels."""
        return cls(labels, np.asarray(transitions[:, labels.outer], np.float32))


def spans_of(words: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(S,) the first and last words of all spans of a sentence, shorter ones first."""
    first = np.concatenate([np.arange(words - width) for width in range(words)])
    width = np.concatenate([np.full(words - width, width) for width in range(words)])
    return first, first + width


def log_sum(scores: Scores, words: int, grammar: Grammar) -> float:
    """Ln Z of (S, L) scores of the spans, in the order of `spans_of`."""
    by_group = _grouped(scores, grammar, _log_sum_exp)
    sequences: list[Scores] = [np.empty(0, np.float32)]
    items: list[Scores] = [np.empty(0, np.float32)]
    for width, own in _by_width(by_group, words):
        if width == 1:
            one = np.logaddexp(np.float32(0.0), _log_sum_exp(own))
            sequences.append(one)
            items.append(one)
            continue
        starts = words - width + 1
        split = np.stack([sequences[at][:, :starts] + items[width - at][:, at : at + starts] for at in range(1, width)], -1)
        held = _log_sum_exp(split)
        labelled = _log_sum_exp(own + held.T[None])
        items.append(labelled)
        sequences.append(np.logaddexp(held, labelled))
    return float(sequences[words][0, 0])


def k_best(scores: Scores, words: int, grammar: Grammar, k: int) -> list[tuple[float, Structure]]:
    """The k structures of the highest score s(y), the highest first."""
    return _Best(scores, words, grammar, k).structures()


def score_of(structure: Structure, scores: Scores, words: int, grammar: Grammar) -> float:
    """s(y)."""
    first, last = spans_of(words)
    place = {span: at for at, span in enumerate(zip(first.tolist(), last.tolist(), strict=True))}
    total = 0.0
    for (start, end), chain in structure.items():
        label = grammar.labels.index[chain]
        total += float(scores[place[start, end], label] + grammar.within[parent_group(structure, start, end, grammar.labels), label])
    return total


def parent_group(structure: Structure, start: int, end: int, labels: LabelSet) -> int:
    """The group of the innermost span around those words; 0, the root's, if there is none."""
    around = [(b - a, chain) for (a, b), chain in structure.items() if a <= start and end <= b and (a, b) != (start, end)]
    return int(labels.inner_group[labels.index[min(around)[1]]]) if around else 0


def _grouped(scores: Scores, grammar: Grammar, over: Callable[[Scores], Scores]) -> Scores:
    """(G, S, G') of each group around: `over` the labels whose inner group is G'; NONE where a group has no label."""
    labels, groups = grammar.labels, len(grammar.labels.groups)
    found = np.full((groups, len(scores), groups), NONE, np.float32)
    for inner in range(groups):
        own = np.flatnonzero(labels.inner_group == inner)
        if len(own):
            found[:, :, inner] = over(scores[None, :, own] + grammar.within[:, None, own])
    return found


def _log_sum_exp(values: Scores) -> Scores:
    """The logarithm of Σ exp over the last axis. NumPy's own `logaddexp.reduce` takes several times as long."""
    most = values.max(axis=-1, keepdims=True)
    return np.asarray(most[..., 0] + np.log(np.exp(values - most).sum(axis=-1)), np.float32)


def _by_width(by_group: Scores, words: int) -> Iterator[tuple[int, Scores]]:
    """(width, (G, starts, …)) from 1 to the whole sentence."""
    at = 0
    for width in range(1, words + 1):
        starts = words - width + 1
        yield width, by_group[:, at : at + starts]
        at += starts


def _top(values: Scores, k: int) -> tuple[Scores, NDArray[np.int64]]:
    """The k greatest of the last axis, the greatest first, and their places; NONE where there are fewer. Quicker than sorting."""
    left = values.reshape(-1, values.shape[-1]).copy()
    rows = np.arange(len(left))
    found, places = np.full((len(left), k), NONE, np.float32), np.zeros((len(left), k), np.int64)
    for rank in range(min(k, left.shape[1])):
        place = left.argmax(-1)
        found[:, rank], places[:, rank] = left[rows, place], place
        left[rows, place] = -np.inf
    shape = (*values.shape[:-1], k)
    return found.reshape(shape), places.reshape(shape)


class _Best:
    """The chart of the k best items and sequences of every group and span, with the places they come from."""

    def __init__(self, scores: Scores, words: int, grammar: Grammar, k: int) -> None:
        labels, self.k, self.words, self.labels = grammar.labels, k, words, grammar.labels
        groups = len(labels.groups)
        self.chosen = np.zeros((groups, len(scores), groups, k), np.int64)  # labels
        best = np.full((groups, len(scores), groups, k), NONE, np.float32)
        for inner in range(groups):
            own = np.flatnonzero(labels.inner_group == inner)
            if len(own):
                best[:, :, inner], place = _top(scores[None, :, own] + grammar.within[:, None, own], k)
                self.chosen[:, :, inner] = own[np.minimum(place, len(own) - 1)]
        first, last = spans_of(words)
        self.place = {span: at for at, span in enumerate(zip(first.tolist(), last.tolist(), strict=True))}
        self.sequences: list[Scores] = [np.empty(0, np.float32)]  # by width: (G, starts, k) scores
        self.items: list[Scores] = [np.empty(0, np.float32)]
        self.from_split: list[NDArray[np.int64]] = [np.empty(0, np.int64)] * 2  # of sequences of two or more items
        self.from_label: list[NDArray[np.int64]] = [np.empty(0, np.int64)]  # of labelled spans
        self.from_kind: list[NDArray[np.int64]] = [np.empty(0, np.int64)]  # below k: a sequence of several; else a labelled span, less k
        for width, scored in _by_width(best, words):
            self._fill(width, scored)

    def _fill(self, width: int, own: Scores) -> None:
        groups, starts, k = own.shape[0], own.shape[1], self.k
        held: Scores = np.full((groups, starts, k), NONE, np.float32)
        if width == 1:
            held[:, :, 0] = 0.0  # the word itself
        else:
            pairs = [
                self.sequences[at][:, :starts, :, None] + self.items[width - at][:, at : at + starts, None, :] for at in range(1, width)
            ]
            held, split = _top(np.stack(pairs, 2).reshape(groups, starts, -1), k)
            self.from_split.append(split)
        inside = held if width > 1 else held[:, :, :1]
        labelled = own[..., None] + inside.transpose(1, 0, 2)[None, :, :, None, :]  # (G, starts, G', k, k')
        found, label = _top(labelled.reshape(groups, starts, -1), k)
        self.from_label.append(label)
        either, kind = _top(np.concatenate([held, found], -1), k)
        self.from_kind.append(kind)
        self.sequences.append(either)
        self.items.append(either if width == 1 else found)

    def structures(self) -> list[tuple[float, Structure]]:
        """The k best, the best first."""
        found = []
        for rank, score in enumerate(self.sequences[self.words][0, 0]):
            if score > NONE / 2:
                structure: Structure = {}
                self._sequence(structure, 0, 0, self.words, rank)
                found.append((float(score), structure))
        return found

    def _sequence(self, structure: Structure, group: int, start: int, width: int, rank: int) -> None:
        kind = int(self.from_kind[width][group, start, rank])
        if kind >= self.k:
            self._label(structure, group, start, width, kind - self.k)
        elif width > 1:
            self._split(structure, group, start, width, kind)

    def _split(self, structure: Structure, group: int, start: int, width: int, rank: int) -> None:
        at, left, right = np.unravel_index(int(self.from_split[width][group, start, rank]), (width - 1, self.k, self.k))
        before = int(at) + 1
        self._sequence(structure, group, start, before, int(left))
        if width - before == 1:
            self._sequence(structure, group, start + before, 1, int(right))
        else:
            self._label(structure, group, start + before, width - before, int(right))

    def _label(self, structure: Structure, group: int, start: int, width: int, rank: int) -> None:
        inside = self.k if width > 1 else 1
        shape = (len(self.labels.groups), self.k, inside)
        inner, choice, held = np.unravel_index(int(self.from_label[width][group, start, rank]), shape)
        span = (start, start + width - 1)
        structure[span] = self.labels.names[int(self.chosen[group, self.place[span], inner, choice])]
        if width > 1:
            self._split(structure, int(inner), start, width, int(held))
