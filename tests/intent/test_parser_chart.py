"""The chart of structures: exact sums, exact best structures, against every structure there is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.intent.parser.chart import Grammar, Structure, k_best, log_sum, score_of, spans_of
from sayso.intent.parser.labels import LabelSet

LABELS = LabelSet.of(["act+theme"])
USED = ("act", "theme", "act+theme")


def problem(words: int, seed: int) -> tuple[np.ndarray, Grammar]:
    """Random scores in which only the labels of USED have any mass."""
    rng = np.random.default_rng(seed)
    spans = words * (words + 1) // 2
    scores = np.full((spans, len(LABELS.names)), -1e4, np.float32)
    scores[:, [LABELS.index[name] for name in USED]] = rng.normal(size=(spans, len(USED)))
    return scores, Grammar.of(LABELS, rng.normal(size=(len(LABELS.groups), LABELS.singles)).astype(np.float32))


def every_structure(words: int) -> Iterator[Structure]:
    first, last = spans_of(words)
    spans = list(zip(first.tolist(), last.tolist(), strict=True))
    for count in range(len(spans) + 1):
        for chosen in itertools.combinations(spans, count):
            if any(a < c <= b < d for a, b in chosen for c, d in chosen):
                continue  # they cross
            for names in itertools.product(USED, repeat=count):
                yield dict(zip(chosen, names, strict=True))


@settings(max_examples=8)
@given(words=st.integers(1, 3), seed=st.integers(0, 2**16))
def test_the_sum_counts_every_structure_once(words: int, seed: int) -> None:
    scores, grammar = problem(words, seed)
    total = np.logaddexp.reduce([score_of(each, scores, words, grammar) for each in every_structure(words)])
    assert log_sum(scores, words, grammar) == pytest.approx(total, abs=1e-3)


@settings(max_examples=8)
@given(words=st.integers(1, 3), seed=st.integers(0, 2**16), k=st.integers(1, 5))
def test_the_k_best_structures_are_the_best_of_all(words: int, seed: int, k: int) -> None:
    scores, grammar = problem(words, seed)
    wanted = sorted((score_of(each, scores, words, grammar) for each in every_structure(words)), reverse=True)[:k]
    found = k_best(scores, words, grammar, k)
    assert [score for score, _ in found][: len(wanted)] == pytest.approx(wanted, abs=1e-3)
    assert [score_of(structure, scores, words, grammar) for _, structure in found][: len(wanted)] == pytest.approx(wanted, abs=1e-3)


def test_a_sentence_of_sixty_words_is_read() -> None:
    scores, grammar = problem(60, 0)
    ((score, structure),) = k_best(scores, 60, grammar, 1)
    assert score <= log_sum(scores, 60, grammar)
    assert not any(a < c <= b < d for a, b in structure for c, d in structure)
