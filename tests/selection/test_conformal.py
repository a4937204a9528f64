"""Conformal sets: they hold what was meant as often as promised, whatever the posterior is worth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sayso.selection.conformal import ConformalSet, members, quantile

Floats = NDArray[np.float64]
EPSILONS = (0.01, 0.05, 0.1)


@st.composite
def posteriors(draw: st.DrawFn) -> Floats:
    weights = np.array(draw(st.lists(st.integers(0, 50), min_size=1, max_size=12)), np.float64) + draw(st.sampled_from((0.0, 0.5)))
    return weights / weights.sum() if weights.sum() else np.full(len(weights), 1.0 / len(weights))


levels = st.floats(0.0, 1.0)


def drawn(rng: np.random.Generator, count: int, sharpness: float) -> tuple[Floats, NDArray[np.int64]]:
    """(count, 6) posteriors, `sharpness` times too sure or too timid, and the labels that were meant."""
    logits = rng.normal(0.0, 2.0, (count, 6))
    truth = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    meant = (truth.cumsum(1) > rng.random((count, 1))).argmax(1)
    told = np.exp(sharpness * logits)
    return told / told.sum(1, keepdims=True), meant


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sharpness", [0.3, 1.0, 3.0])
def test_sets_hold_what_was_meant_as_often_as_promised_however_wrong_the_posterior(epsilon: float, sharpness: float) -> None:
    rng = np.random.default_rng(7)
    held = []
    for _ in range(60):  # coverage is promised on average over calibrations too
        p, meant = drawn(rng, 1_000, sharpness)
        of_meant = p[np.arange(len(p)), meant]
        level = quantile(1.0 - of_meant[:500], epsilon)
        held.append(members(of_meant[500:], level).mean())
    assert np.mean(held) == pytest.approx(1.0 - epsilon, abs=0.005)


@given(posteriors(), levels)
def test_a_set_is_never_empty_and_holds_the_most_probable(p: Floats, level: float) -> None:
    inside = ConformalSet(0.1, level, level)(p)
    assert inside[int(np.argmax(p))]


@given(posteriors(), levels, levels)
def test_a_higher_quantile_never_takes_anything_out(p: Floats, one: float, other: float) -> None:
    few, many = (ConformalSet(0.1, level, level)(p) for level in sorted((one, other)))
    assert not (few & ~many).any()


@given(st.lists(levels, min_size=1, max_size=60), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_smaller_epsilon_never_gives_a_lower_quantile(score: list[float], one: float, other: float) -> None:
    strict, loose = sorted((one, other))
    assert quantile(np.array(score), strict) >= quantile(np.array(score), loose)


@given(posteriors(), levels, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_no_set(p: Floats, level: float, chance: object) -> None:
    order = np.array(chance.sample(range(len(p)), len(p)))  # type: ignore[attr-defined]
    assert (members(p[order], level) == members(p, level)[order]).all()


@given(posteriors(), levels)
def test_nothing_is_in_the_set_while_something_more_probable_is_not(p: Floats, level: float) -> None:
    inside = ConformalSet(0.1, level, level)(p)
    assert not inside.any() or inside.all() or p[inside].min() >= p[~inside].max()


@given(st.integers(1, 400), st.floats(0.01, 0.5))
def test_the_quantile_leaves_at_most_epsilon_of_the_next_score_above_it(n: int, epsilon: float) -> None:
    """Exactly: of n + 1 exchangeable scores without ties, the last is above with probability 1 − ⌈(n+1)(1−ε)⌉/(n+1)."""
    level = quantile(np.arange(n) / n, epsilon)
    at_most = 0.0 if math.isinf(level) else 1.0 - (round(level * n) + 1) / (n + 1)
    assert at_most <= epsilon + 1e-9
    assert math.isinf(level) == (n + 1 < (1 - 1e-9) / epsilon)


def test_too_few_interactions_rule_nothing_out() -> None:
    level = quantile(np.zeros(50), 0.01)
    assert math.isinf(level)
    assert ConformalSet(0.01, level, level)(np.array([1.0, 0.0, 0.0])).all()


def test_an_epsilon_above_the_error_rate_leaves_the_most_probable_action() -> None:
    assert ConformalSet(0.5, 1e-6, 1e-6)(np.array([0.3, 0.4, 0.3])).tolist() == [False, True, False]


def test_nothing_to_choose_among_gives_an_empty_set() -> None:
    assert len(ConformalSet(0.1, 0.5, 0.5)(np.zeros(0))) == 0


@pytest.mark.parametrize("epsilon", [0.0, 1.0, -0.1, math.nan])
def test_an_epsilon_that_is_no_share_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile(np.zeros(3), epsilon)


def test_a_score_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        quantile(np.array([0.1, math.nan]), 0.1)
