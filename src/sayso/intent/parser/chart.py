"""A conditional random field over the structures of a sentence: its normalising sum, and its most probable structures.

A structure is a set of labelled spans of which any two are nested or apart; spans with the same words form one chain of labels. It scores

    s(y) = Σ_(i,j,l) ∈ y  s_ij,l + T[g(parent), outer(l)],    P(y | words) = exp s(y) / Z

where g(parent) is the group of the innermost span around it. Each structure has one derivation: a sequence of items is a sequence and one
more item, an item is a word without a label or a labelled span, and a span holds a word or a sequence of at least two items. So Z is exact
(inside algorithm: Baker 1979), and the k best structures are exact too (Huang & Chiang 2005, algorithm 3). O(n³) for n words.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heapify, heappop, heappush, nsmallest
from typing import Literal

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
    return float(_inside(scores, words, grammar, _log_sum_exp).sequences[words][0, 0])


def k_best(scores: Scores, words: int, grammar: Grammar, k: int, least: float = -math.inf) -> list[tuple[float, Structure]]:
    """The k structures of the highest score s(y), the highest first; after the first, none with a score below `least`."""
    return _Best(scores, words, grammar, k).structures(least)


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


@dataclass(frozen=True, slots=True)
class _Inside:
    """By width, the (G, starts) sum over what a run of words may be in a span of each group; entry 0 is empty."""

    sequences: list[Scores]  # anything
    items: list[Scores]  # a single item
    several: list[Scores]  # a sequence of at least two items


def _inside(scores: Scores, words: int, grammar: Grammar, over: Callable[[Scores], Scores]) -> _Inside:
    """The chart, where `over` sums the last axis: the logarithm of a sum of exponentials, or the greatest."""
    by_group, nothing = _grouped(scores, grammar, over), np.empty(0, np.float32)
    found, at = _Inside([nothing], [nothing], [nothing]), 0
    for width in range(1, words + 1):
        starts = words - width + 1
        own = by_group[:, at : at + starts]
        at += starts
        if width == 1:
            several = np.zeros(own.shape[:2], np.float32)  # the word itself
            labelled = over(own)
        else:
            parts = [found.sequences[n][:, :starts] + found.items[width - n][:, n : n + starts] for n in range(1, width)]
            several = over(np.stack(parts, -1))
            labelled = over(own + several.T[None])
        sequence = over(np.stack([several, labelled], -1))
        found.several.append(several)
        found.items.append(labelled if width > 1 else sequence)
        found.sequences.append(sequence)
    return found


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


def _greatest(values: Scores) -> Scores:
    return np.asarray(values.max(axis=-1), np.float32)


# What a run of words may be: (what, group around, first word, number of words).
Vertex = tuple[Literal["sequence", "several", "labelled"], int, int, int]


@dataclass(frozen=True, slots=True, order=True)
class _Derivation:
    """One way to make a vertex, with the ranks of its parts among their own derivations."""

    loss: float  # the negative score: the least is the best
    label: int  # of a labelled span; −1: none
    parts: tuple[Vertex, ...]
    ranks: tuple[int, ...]


class _Best:
    """The best derivations of each vertex, one by one, as far as they are asked for."""

    def __init__(self, scores: Scores, words: int, grammar: Grammar, k: int) -> None:
        self._scores, self._words, self._grammar, self._k = scores, words, grammar, k
        inside = _inside(scores, words, grammar, _greatest)
        self._several = inside.several
        self._sequences, self._items = ([each.tolist() for each in some] for some in (inside.sequences, inside.items))
        self._begins = [words * (width - 1) - (width - 1) * (width - 2) // 2 for width in range(1, words + 1)]  # in `spans_of`
        self._found: dict[Vertex, list[_Derivation]] = {}
        self._next: dict[Vertex, list[_Derivation]] = {}  # heaps

    def structures(self, least: float) -> list[tuple[float, Structure]]:
        """The k best, the best first."""
        root: Vertex = ("sequence", 0, 0, self._words)
        found = []
        for rank in range(self._k):
            if (derived := self._derived(root, rank)) is None or (rank and -derived.loss < least):
                break
            structure: Structure = {}
            self._collect(structure, root, rank)
            found.append((-derived.loss, structure))
        return found

    def _derived(self, vertex: Vertex, rank: int) -> _Derivation | None:
        """The derivation of that rank; None if there are fewer."""
        found = self._found.setdefault(vertex, [])
        if vertex not in self._next:
            self._next[vertex] = self._first(vertex)
            heapify(self._next[vertex])
        heap = self._next[vertex]
        while len(found) <= rank:
            if found:
                self._add_next(heap, found[-1])
            if not heap:
                return None
            found.append(heappop(heap))
        return found[rank]

    def _add_next(self, heap: list[_Derivation], last: _Derivation) -> None:
        """Those that differ in the rank of one part; parts after one that is not the best stay, so that none comes twice."""
        for at, part in enumerate(last.parts):
            before, after = self._derived(part, last.ranks[at]), self._derived(part, last.ranks[at] + 1)
            if before is not None and after is not None:
                ranks = (*last.ranks[:at], last.ranks[at] + 1, *last.ranks[at + 1 :])
                heappush(heap, _Derivation(last.loss + after.loss - before.loss, last.label, last.parts, ranks))
            if last.ranks[at]:
                break

    def _first(self, vertex: Vertex) -> list[_Derivation]:
        """Each way to make a vertex, of the best parts."""
        what, group, first, width = vertex
        if what == "labelled":
            return self._labelled(group, first, width)
        if what == "several":
            if width == 1:
                return [_Derivation(0.0, -1, (), ())]
            found = []
            for at in range(1, width):
                score = self._sequences[at][group][first] + self._items[width - at][group][first + at]
                parts: tuple[Vertex, ...] = (("sequence", group, first, at), _item(group, first + at, width - at))
                found.append(_Derivation(-score, -1, parts, (0, 0)))
            return nsmallest(self._k, found)
        both: tuple[Vertex, ...] = (("several", group, first, width), ("labelled", group, first, width))
        return [_Derivation(best.loss, -1, (part,), (0,)) for part in both if (best := self._derived(part, 0)) is not None]

    def _labelled(self, group: int, first: int, width: int) -> list[_Derivation]:
        inner = self._grammar.labels.inner_group
        scores = self._scores[self._begins[width - 1] + first] + self._grammar.within[group] + self._several[width][inner, first]
        best = np.argpartition(-scores, min(self._k, len(scores) - 1))[: self._k].tolist()
        if width == 1:
            return [_Derivation(-float(scores[label]), label, (), ()) for label in best]
        return [_Derivation(-float(scores[label]), label, (("several", int(inner[label]), first, width),), (0,)) for label in best]

    def _collect(self, structure: Structure, vertex: Vertex, rank: int) -> None:
        derived = self._derived(vertex, rank)
        assert derived is not None, "a derivation is made of derivations"
        if derived.label >= 0:
            _, _, first, width = vertex
            structure[first, first + width - 1] = self._grammar.labels.names[derived.label]
        for part, own in zip(derived.parts, derived.ranks, strict=True):
            self._collect(structure, part, own)


def _item(group: int, first: int, width: int) -> Vertex:
    """A single item: a word, or a labelled span."""
    return ("sequence" if width == 1 else "labelled", group, first, width)
