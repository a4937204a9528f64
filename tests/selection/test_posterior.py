"""Equations 13 and 14: from P(k|c) to P(a|c, ctx)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sayso.selection.choosing.posterior import bayes, direct, intents_of_actions, likelihood_of_candidates, likelihood_of_intents


def simplex(size: int) -> st.SearchStrategy[np.ndarray]:
    weights = arrays(np.float64, size, elements=st.floats(0.01, 1.0))
    return weights.map(lambda w: w / w.sum())


def by_definition(p_k: np.ndarray, p_train: np.ndarray, table: np.ndarray, p_world: np.ndarray, prior: np.ndarray) -> list[float]:
    """P(a|c) ∝ P(a) Σ_k P(k|a) P(c|k) with loops, straight from the formulas."""
    joint = []
    for a in range(len(prior)):
        norm = sum(table[a][k] * p_world[k] for k in range(len(p_k)))
        joint.append(prior[a] * sum(table[a][k] * p_world[k] / norm * p_k[k] / p_train[k] for k in range(len(p_k))))
    return [value / sum(joint) for value in joint]


def bayes_14(p_k: np.ndarray, p_train: np.ndarray, table: np.ndarray, p_world: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """Eq. 14 with the functions under test, one reading per pair of action and intent."""
    actions, intents = table.shape
    of = np.array([(a, a, k) for a in range(actions) for k in range(intents)]).T
    likelihood = likelihood_of_candidates(of, np.ones(of.shape[1]), intents_of_actions(table, p_world), likelihood_of_intents(p_k, p_train))
    return bayes(likelihood, prior)


def test_dividing_out_the_training_prior_reverses_case_c():
    p_k, p_train = np.array([0.6, 0.4]), np.array([0.75, 0.25])
    likelihood = likelihood_of_intents(p_k, p_train)
    assert likelihood == pytest.approx([0.8 / 2.4, 1.6 / 2.4], abs=1e-12)
    assert bayes(likelihood, np.array([0.5, 0.5])) == pytest.approx([1 / 3, 2 / 3], abs=1e-12)
    assert bayes(likelihood, np.array([0.9, 0.1])) == pytest.approx([0.818182, 0.181818], abs=5e-7)


@given(simplex(3), st.floats(0.1, 10.0))
def test_flat_prior_changes_nothing(likelihood, height):
    assert bayes(likelihood, np.full(3, height)) == pytest.approx(likelihood, abs=1e-12)


@given(simplex(4), simplex(4), arrays(np.float64, (3, 4), elements=st.floats(0.01, 1.0)))
def test_13_and_14_agree_where_the_priors_agree(p_k, p_train, weights):
    table = weights / weights.sum(axis=0)  # P(a|k): columns sum to 1
    prior = table @ p_train  # P(a) = Σ_k P(a|k) P_train(k)
    assert bayes_14(p_k, p_train, table, p_train, prior) == pytest.approx(direct(table, p_k), abs=1e-9)


@given(simplex(4), simplex(4), simplex(4), simplex(3), arrays(np.float64, (3, 4), elements=st.floats(0.01, 1.0)))
def test_14_equals_the_loops_of_its_definition(p_k, p_train, p_world, prior, weights):
    table = weights / weights.sum(axis=0)
    assert bayes_14(p_k, p_train, table, p_world, prior) == pytest.approx(by_definition(p_k, p_train, table, p_world, prior), abs=1e-9)


def test_an_action_without_an_intent_gets_no_probability():
    table = np.array([[1.0, 1.0], [0.0, 0.0]])
    assert intents_of_actions(table, np.array([0.5, 0.5])).tolist() == [[0.5, 0.5], [0.0, 0.0]]
