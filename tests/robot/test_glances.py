"""How a person looks, by several reports: Bayes' rule over reports that are independent, and no more than that over those that are not."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.looks import COLOURS, GENDERS, GESTURES
from sayso.robot.glances import LASTS, posterior

P = st.floats(0.0, 1.0)


def test_one_report_is_believed_as_it_is() -> None:
    assert posterior([(1.0, "waving", 0.7)]) == pytest.approx({"waving": 0.7})


@given(st.lists(st.floats(0.05, 0.95), min_size=2, max_size=5))
def test_reports_a_long_time_apart_are_combined_by_bayes_rule(given_p: list[float]) -> None:
    reports = [(LASTS * number * len(given_p) / (len(given_p) - 1), "female", p) for number, p in enumerate(given_p)]
    odds = math.prod(p / (1.0 - p) for p in given_p)
    assert posterior(reports)["female"] == pytest.approx(odds / (1.0 + odds))


def test_two_reports_outweigh_one_and_leave_less_doubt_than_their_mean() -> None:
    told = posterior([(0.0, "female", 0.9), (1.5 * LASTS, "male", 0.9), (3.0 * LASTS, "female", 0.9)])
    assert told == pytest.approx({"female": 0.9, "male": 0.1})
    told = posterior([(0.0, "red_coat", 0.9), (1.5 * LASTS, "blue_coat", 0.9), (3.0 * LASTS, "red_coat", 0.9)])
    others = (0.1 / (len(COLOURS) - 1)) / 0.9
    assert told["red_coat"] == pytest.approx(1.0 / (1.0 + others + (len(COLOURS) - 2) * others**2))


def test_a_mistake_that_is_repeated_at_once_counts_once() -> None:
    many = [(0.01 * number, "waving", 0.9) for number in range(50)]
    assert posterior(many) == pytest.approx({"waving": 0.9})


def test_looks_of_different_kinds_do_not_contradict_each_other() -> None:
    told = posterior(
        [(0.0, "waving", 0.9), (0.0, "sitting", 0.8), (0.0, "red_coat", 0.9), (0.0, "blue_trousers", 0.9), (0.0, "shirt", 0.6)]
    )
    assert told == pytest.approx({"waving": 0.9, "sitting": 0.8, "red_coat": 0.9, "blue_trousers": 0.9, "shirt": 0.6})


@given(
    st.lists(
        st.tuples(st.floats(0.0, 3.0), st.sampled_from([*GESTURES, *GENDERS, "red_coat", "blue_coat", "shirt", "tall"]), P), max_size=20
    )
)
def test_the_labels_of_a_kind_never_sum_to_more_than_one(reports: list[tuple[float, str, float]]) -> None:
    told = posterior(reports)
    assert set(told) == {look for _, look, _ in reports}
    for kind in (GESTURES, GENDERS, ("red_coat", "blue_coat"), ("shirt",), ("tall",)):
        assert 0.0 <= sum(told.get(look, 0.0) for look in kind) <= 1.0 + 1e-9
