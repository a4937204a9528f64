"""P(the words were understood): what is unexplained lowers it, and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.representation import Modifiers
from sayso.selection.reliability import MOST, Reliability, evidence_of
from sayso.types import Clause, Role

MODEL = Reliability.shipped()
WORDS = st.lists(st.text("abc", min_size=1, max_size=3), max_size=6).map(tuple)


def clause(*roles: Role, left_over: tuple[str, ...] = (), mood: str = "request", strange: float = -5.0) -> Clause:
    return Clause("words", 0, 5, "bring", np.ones(1), roles, strange, False, Modifiers(mood), left_over)


def named(score: float) -> Role:
    return Role("theme", "cup", 0, 3, "red_cup", "object", score, (("red_cup", score),))


def test_a_clause_that_is_fully_explained_is_nearly_certain() -> None:
    assert MODEL(clause(named(1.0))) > 0.99
    assert evidence_of(clause(named(0.95))).misnamed == 0.0  # kind and attributes are as good as a name


@given(WORDS, st.text("xyz", min_size=1, max_size=3))
def test_a_further_unexplained_word_never_raises_the_probability(words: tuple[str, ...], more: str) -> None:
    assert MODEL(clause(left_over=(*words, more))) <= MODEL(clause(left_over=words))


@given(st.floats(0.5, 1.0), st.floats(0.5, 1.0))
def test_a_worse_name_never_raises_the_probability(one: float, other: float) -> None:
    worse, better = sorted((one, other))
    assert MODEL(clause(named(worse))) <= MODEL(clause(named(better)))


def test_a_hint_deserves_a_question() -> None:
    assert MODEL(clause(named(1.0), mood="hint")) < 0.95


def test_many_unexplained_words_count_as_a_few() -> None:
    assert evidence_of(clause(left_over=("a",) * 50)).left_over == pytest.approx(MOST)


@pytest.mark.parametrize("strange", [float("nan"), float("inf"), -float("inf")])
def test_the_probability_is_a_number_whatever_the_scope(strange: float) -> None:
    assert 0.0 < MODEL(clause(strange=strange)) < 1.0
