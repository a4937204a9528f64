"""The Laplace posterior of the linear head."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.intent.linear_head import softmax
from sayso.training.intents.laplace import LaplacePosterior


def posterior_of(seed: int, n: int = 40, d: int = 4, k: int = 3) -> tuple[LaplacePosterior, np.ndarray, np.ndarray, np.ndarray]:
    chance = np.random.default_rng(seed)
    x, weights = chance.normal(size=(n, d)), chance.uniform(0.2, 2.0, size=n)
    p = softmax(2.0 * chance.normal(size=(n, k)))
    return LaplacePosterior.fit(x, p, weights, 0.01), x, p, weights


@examples(30)
@given(st.integers(0, 2**32 - 1))
def test_variances_equal_the_inverse_of_the_full_matrix(seed: int) -> None:
    posterior, x, p, weights = posterior_of(seed)
    A = (x.T * weights) @ x
    G = sum(w * (np.diag(each) - np.outer(each, each)) for w, each in zip(weights, p, strict=True)) / weights.sum()
    covariance = np.linalg.inv(np.kron(A, G) + posterior.prior * np.eye(12))
    for row, variance in zip(x[:5], posterior.variances(x[:5]), strict=True):
        J = np.kron(row, np.eye(3))  # logits = J vec(W), the rows of W beside each other
        assert variance == pytest.approx(np.diag(J @ covariance @ J.T), rel=1e-6)


@examples(30)
@given(st.integers(0, 2**32 - 1), st.floats(1.0, 10.0))
def test_variance_grows_with_the_distance_and_is_at_most_the_priors(seed: int, factor: float) -> None:
    posterior, x, _, _ = posterior_of(seed)
    near, far = posterior.variances(x), posterior.variances(factor * x)
    assert far == pytest.approx(factor**2 * near)
    assert (near <= (x**2).sum(1, keepdims=True) / posterior.prior + 1e-9).all()


def test_more_sentences_leave_less_doubt() -> None:
    few, x, p, weights = posterior_of(3)
    many = LaplacePosterior.fit(np.tile(x, (10, 1)), np.tile(p, (10, 1)), np.tile(weights, 10), 0.01 / 10)  # the same prior
    assert (many.variances(x) < few.variances(x)).all()


def test_doubt_flattens_the_probabilities_and_keeps_their_order() -> None:
    posterior, x, _, _ = posterior_of(4)
    logits = np.array([[3.0, -1.0, -2.0]])
    flat = softmax(posterior.probit_logits(logits, 20.0 * x[:1]))
    assert flat.max() < softmax(logits).max()
    assert flat.argmax() == 0
