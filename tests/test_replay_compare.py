"""Two configurations on the same bags: McNemar's test, bootstrap intervals, and a table that says what differs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from sayso.replay.paired import mcnemar, mean_interval, median_interval

pairs = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60)


def test_mcnemar_is_the_exact_binomial_of_what_differs() -> None:
    first = [True] * 10 + [True] * 8 + [False] * 1 + [False] * 3
    second = [True] * 10 + [False] * 8 + [True] * 1 + [False] * 3
    found = mcnemar(first, second)
    assert (found.both, found.only_first, found.only_second, found.neither, found.n) == (10, 8, 1, 3, 22)
    assert found.p_value == pytest.approx(2 * binom.cdf(1, 9, 0.5))


@given(pairs)
def test_mcnemar_does_not_care_which_comes_first(rows: list[tuple[bool, bool]]) -> None:
    first, second = [a for a, _ in rows], [b for _, b in rows]
    one, other = mcnemar(first, second), mcnemar(second, first)
    assert one.p_value == pytest.approx(other.p_value)
    assert (one.only_first, one.both, one.neither) == (other.only_second, other.both, other.neither)
    assert 0.0 < one.p_value <= 1.0
    assert one.n == len(rows)


def test_nothing_differs_is_no_evidence() -> None:
    assert mcnemar([True, False], [True, False]).p_value == 1.0


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30))
def test_an_interval_holds_its_own_estimate(values: list[float]) -> None:
    for found in (mean_interval(values), median_interval(values)):
        slack = 1e-6 * (1 + abs(found.value))
        assert min(values) - slack <= found.low <= found.high <= max(values) + slack


def test_the_same_records_give_the_same_interval() -> None:
    values = np.random.default_rng(0).normal(size=50)
    assert mean_interval(values) == mean_interval(values)


def test_the_interval_of_the_mean_covers_it_as_often_as_it_says() -> None:
    generator = np.random.default_rng(1)
    covered = [found.low <= 0.3 <= found.high for found in (mean_interval(generator.normal(0.3, 1.0, 40)) for _ in range(60))]
    assert 0.85 <= np.mean(covered) <= 1.0


def test_utterances_of_one_bag_count_as_one_witness_where_there_are_many_bags() -> None:
    """20 bags of 10 utterances that all go the same way: far less is known than from 200 utterances of their own."""
    by_bag = np.random.default_rng(2).choice([0.0, 1.0], 20)
    values, bags = np.repeat(by_bag, 10), [f"bag{index}" for index in range(20) for _ in range(10)]
    together, apart = mean_interval(values, bags), mean_interval(values)
    assert together.value == pytest.approx(apart.value)
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_too_little_for_an_interval_is_not_made_up() -> None:
    assert math.isnan(mean_interval([]).value)
    assert mean_interval([0.5]).value == 0.5
    assert math.isnan(mean_interval([0.5]).low)
    found = median_interval([2.0, 2.0, 2.0])
    assert (found.low, found.value, found.high) == (2.0, 2.0, 2.0)
