"""Conformal sets: coverage holds however wrong the posterior is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sayso.selection.choosing.conformal import ConformalSet, members, quantile

Floats = NDArray[np.float64]
EPSILONS = (0.01, 0.05, 0.1)


@st.composite
def posteriors(draw: st.DrawFn) -> Floats:
    weights = np.array(draw(st.lists(st.integers(0, 50), min_size=1, max_size=12)), np.float64) + draw(st.sampled_from((0.0, 0.5)))
    return weights / weights.sum() if weights.sum() else np.full(len(weights), 1.0 / len(weights))


levels = st.floats(0.0, 1.0)


def drawn(rng: np.random.Generator, count: int, sharpness: float) -> tuple[Floats, NDArray[np.int64]]:
    """(count, 6) posteriors whose logits are scaled by `sharpness`, and (count,) the meant labels."""
    logits = rng.normal(0.0, 2.0, (count, 6))
    truth = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    meant = (truth.cumsum(1) > rng.random((count, 1))).argmax(1)
    scaled = np.exp(sharpness * logits)
    return scaled / scaled.sum(1, keepdims=True), meant


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sharpness", [0.3, 1.0, 3.0])
def test_coverage_holds_however_wrong_the_posterior(epsilon: float, sharpness: float) -> None:
    rng = np.random.default_rng(7)
    covered = []
    for _ in range(60):  # coverage is an average over calibrations too
        p, meant = drawn(rng, 1_000, sharpness)
        of_meant = p[np.arange(len(p)), meant]
        level = quantile(1.0 - of_meant[:500], epsilon)
        covered.append(members(of_meant[500:], level).mean())
    assert np.mean(covered) == pytest.approx(1.0 - epsilon, abs=0.005)


@given(posteriors(), levels)
def test_a_set_always_holds_the_most_probable_action(p: Floats, level: float) -> None:
    inside = ConformalSet(0.1, level, level)(p)
    assert inside[int(np.argmax(p))]


@given(posteriors(), levels, levels)
def test_a_higher_quantile_never_shrinks_a_set(p: Floats, one: float, other: float) -> None:
    few, many = (ConformalSet(0.1, level, level)(p) for level in sorted((one, other)))
    assert not (few & ~many).any()


@given(st.lists(levels, min_size=1, max_size=60), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_smaller_epsilon_never_gives_a_lower_quantile(score: list[float], one: float, other: float) -> None:
    strict, loose = sorted((one, other))
    assert quantile(np.array(score), strict) >= quantile(np.array(score), loose)


@given(posteriors(), levels, st.randoms(use_true_random=False))
def test_sets_do_not_depend_on_the_order_of_candidates(p: Floats, level: float, chance: object) -> None:
    order = np.array(chance.sample(range(len(p)), len(p)))  # type: ignore[attr-defined]
    assert (members(p[order], level) == members(p, level)[order]).all()


@given(posteriors(), levels)
def test_members_are_at_least_as_probable_as_the_others(p: Floats, level: float) -> None:
    inside = ConformalSet(0.1, level, level)(p)
    assert not inside.any() or inside.all() or p[inside].min() >= p[~inside].max()


@given(st.integers(1, 400), st.floats(0.01, 0.5))
def test_the_next_score_exceeds_the_quantile_with_probability_at_most_epsilon(n: int, epsilon: float) -> None:
    """Exact: of n + 1 exchangeable scores without ties, the last exceeds q with probability 1 − ⌈(n+1)(1−ε)⌉/(n+1)."""
    level = quantile(np.arange(n) / n, epsilon)
    at_most = 0.0 if math.isinf(level) else 1.0 - (round(level * n) + 1) / (n + 1)
    assert at_most <= epsilon + 1e-9
    assert math.isinf(level) == (n + 1 < (1 - 1e-9) / epsilon)


def test_too_few_interactions_rule_nothing_out() -> None:
    level = quantile(np.zeros(50), 0.01)
    assert math.isinf(level)
    assert ConformalSet(0.01, level, level)(np.array([1.0, 0.0, 0.0])).all()


def test_a_large_epsilon_keeps_only_the_most_probable_action() -> None:
    assert ConformalSet(0.5, 1e-6, 1e-6)(np.array([0.3, 0.4, 0.3])).tolist() == [False, True, False]


def test_no_candidates_give_an_empty_set() -> None:
    assert len(ConformalSet(0.1, 0.5, 0.5)(np.zeros(0))) == 0


@pytest.mark.parametrize("epsilon", [0.0, 1.0, -0.1, math.nan])
def test_an_epsilon_outside_0_to_1_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        quantile(np.zeros(3), epsilon)


def test_a_nan_score_is_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        quantile(np.array([0.1, math.nan]), 0.1)


def test_what_is_as_probable_as_the_best_is_offered_with_it() -> None:
    p = np.array([0.24, 0.24, 0.24, 0.24, 0.02])
    assert ConformalSet(0.05, 0.05, 0.757)(p).tolist() == [True, True, True, True, False]
