"""The n-gram baseline of the transformer: interpolated modified Kneser–Ney (Chen & Goodman 1999, section 3)."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sayso.intent.command_lm import START
from sayso.types import FloatArray

Gram = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Order:
    """The n-grams of one length."""

    counts: dict[Gram, int]  # occurrences of the longest n-grams; for shorter ones the number of distinct left continuations
    totals: dict[Gram, int]  # sums of the counts by context
    kept: dict[Gram, float]  # probability mass that each context leaves to shorter n-grams
    discounts: tuple[float, float, float, float]  # for counts of 0, 1, 2, 3 and more


class NGram:
    """P(w | the n−1 pieces before it), from encoded texts that begin with START and end with END; a distribution over all V pieces."""

    def __init__(self, texts: Sequence[Sequence[int]], order: int, vocabulary: int) -> None:
        """Count the texts; `order` is 2 for pairs, 3 for triples."""
        self.order, self.vocabulary = order, vocabulary
        counts: list[Counter[Gram]] = [Counter() for _ in range(order)]
        for text in texts:
            for length in range(1, order + 1):
                counts[length - 1].update(tuple(text[at : at + length]) for at in range(len(text) - length + 1))
        self._orders = [_counted(_continued(counts, length)) for length in range(1, order + 1)]

    def probability(self, word: int, before: Sequence[int]) -> float:
        """P(w | before); only the last n−1 pieces of `before`, which begins with START, are used."""
        p = 1.0 / self.vocabulary
        for length, order in enumerate(self._orders, start=1):
            if length - 1 > len(before):
                break
            context = tuple(before[len(before) - length + 1 :])
            total = order.totals.get(context, 0)
            if total:
                count = order.counts.get((*context, word), 0)
                p = (count - order.discounts[min(count, 3)]) / total + order.kept[context] * p
        return p

    def log_p(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """(N,) ln P of each text given its START."""
        return np.array([sum(math.log(self.probability(text[at], text[:at])) for at in range(1, len(text))) for text in texts])


def _continued(counts: list[Counter[Gram]], length: int) -> dict[Gram, int]:
    """The Kneser–Ney counts of n-grams of that length; START is never predicted."""
    if length == len(counts):
        return {gram: count for gram, count in counts[-1].items() if gram != (START,)}
    ways: Counter[Gram] = Counter(gram[1:] for gram in counts[length])
    # START has no left continuation: such n-grams keep their counts.
    begun = {gram: count for gram, count in counts[length - 1].items() if gram[0] == START and length > 1}
    return {**ways, **begun}


def _counted(counts: dict[Gram, int]) -> _Order:
    totals: dict[Gram, int] = defaultdict(int)
    kinds: dict[Gram, list[int]] = defaultdict(lambda: [0, 0, 0])  # continuations counted once, twice, more often
    for gram, count in counts.items():
        totals[gram[:-1]] += count
        kinds[gram[:-1]][min(count, 3) - 1] += 1
    discounts = _discounts(Counter(counts.values()))
    kept = {
        context: sum(d * n for d, n in zip(discounts[1:], numbers, strict=True)) / totals[context] for context, numbers in kinds.items()
    }
    return _Order(counts, dict(totals), kept, discounts)


def _discounts(number: Counter[int]) -> tuple[float, float, float, float]:
    """D_c = c − (c + 1) Y n_{c+1} / n_c with Y = n₁ / (n₁ + 2 n₂), clipped to the possible range; 0.5, 1, 1.5 with too little text."""
    if not all(number[count] for count in (1, 2, 3, 4)):
        return 0.0, 0.5, 1.0, 1.5
    y = number[1] / (number[1] + 2 * number[2])
    found = (count - (count + 1) * y * number[count + 1] / number[count] for count in (1, 2, 3))
    first, second, third = (min(max(d, 0.05), count) for count, d in enumerate(found, start=1))
    return 0.0, first, second, third
