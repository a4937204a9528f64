"""Both heads: their formulas, their common interface, and the fitting of the kernel's widths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.domain import load_domain
from sayso.intent import IntentClassifier
from sayso.intent.calibration import temperature
from sayso.intent.geometry import ndcg
from sayso.intent.head import KINDS, IntentHead, Kind
from sayso.intent.kernel_head import NEAREST, KernelHead, fitted_precision, kernel_logits
from sayso.intent.linear_head import LinearHead, log_sum_exp, softmax
from sayso.intent.scope import nearness
from sayso.models import model_path
from sayso.training.intents.evaluation import transcript_of


def unit(rng: np.random.Generator, *shape: int) -> np.ndarray:
    rows = rng.normal(size=shape)
    return np.asarray(rows / np.linalg.norm(rows, axis=-1, keepdims=True), np.float32)


def slow_kernel(h: np.ndarray, head: KernelHead) -> np.ndarray:
    """Reference: ln of the mean of exp(−‖h − e‖² / 2σ²) over each intent's nearest prototypes, with loops."""
    logits = np.zeros((len(h), len(head.precision)))
    for row, x in enumerate(h.astype(float)):
        for intent, precision in enumerate(head.precision):
            squared = sorted(((x - e) ** 2).sum() for e in head.prototypes[head.owners == intent].astype(float))[:NEAREST] or [4.0]
            logits[row, intent] = np.log(np.mean(np.exp(-np.array(squared) * precision)))
    return logits


@examples(30)
@given(st.integers(0, 2**32 - 1), st.floats(0.15, 1.5), st.integers(2, 6))
def test_with_one_width_and_one_prototype_each_the_kernel_head_is_a_linear_head(seed: int, sigma: float, count: int) -> None:
    rng = np.random.default_rng(seed)
    e, h = unit(rng, count, 8), unit(rng, 5, 8)
    kernel = KernelHead(e, np.arange(count), np.full(count, 1 / (2 * sigma**2)))
    linear = LinearHead(e / sigma**2, -(e**2).sum(1) / (2 * sigma**2))
    assert softmax(kernel.logits(h)) == pytest.approx(softmax(linear.logits(h)), abs=1e-4)


@examples(30)
@given(st.integers(0, 2**32 - 1))
def test_the_kernel_head_equals_its_formula_even_without_prototypes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    head = KernelHead(unit(rng, 12, 6), rng.integers(0, 4, 12), rng.uniform(0.5, 20, 5))  # the fifth has none
    h = unit(rng, 4, 6)
    assert head.logits(h) == pytest.approx(slow_kernel(h, head), abs=1e-4)


def test_the_number_of_examples_does_not_raise_the_probability() -> None:
    e = unit(np.random.default_rng(0), 2, 8)
    few = KernelHead(e, np.array([0, 1]), np.full(2, 5.0))
    many = KernelHead(e[[0, 1, 1, 1]], np.array([0, 1, 1, 1]), np.full(2, 5.0))
    assert many.logits(e) == pytest.approx(few.logits(e), abs=1e-5)


def test_fitting_recovers_the_true_widths() -> None:
    rng, true = np.random.default_rng(3), np.array([2.0, 4.0, 8.0])
    nearest = rng.uniform(0.2, 2.0, (8000, 3, NEAREST))
    labels = np.array([rng.choice(3, p=p) for p in softmax(kernel_logits(nearest, true))])
    assert fitted_precision(nearest, labels, np.ones(8000)) == pytest.approx(true, rel=0.15)


def test_fitted_widths_are_at_the_minimum() -> None:
    rng = np.random.default_rng(4)
    nearest, labels = rng.uniform(0.2, 2.0, (60, 3, NEAREST)), rng.integers(0, 3, 60)
    nearest[np.arange(60), labels] *= 0.6
    best = fitted_precision(nearest, labels, np.ones(60))

    def loss(precision: np.ndarray) -> float:
        logits, spread = kernel_logits(nearest, precision), np.log(precision) - np.log(precision).mean()
        return float((log_sum_exp(logits) - logits[np.arange(60), labels]).mean()) + 0.02 / 2 * float((spread**2).mean())

    for intent in range(3):
        for factor in (0.9, 1.1):
            other = best.copy()
            other[intent] *= factor
            assert loss(other) >= loss(best) - 1e-7


def test_a_temperature_corrects_overconfidence() -> None:
    rng = np.random.default_rng(5)
    honest = rng.normal(size=(4000, 4)) * 2
    labels = np.array([rng.choice(4, p=p) for p in softmax(honest)])
    assert temperature(lambda t: 3 * honest / t, labels, np.ones(4000)) == pytest.approx(3.0, rel=0.1)


@pytest.mark.parametrize("kind", KINDS)
def test_each_head_gives_a_posterior_and_a_scope_score(kind: Kind) -> None:
    head = IntentHead.load(model_path("intents.safetensors")).reading(kind)
    commands, chatter = head.kernel.prototypes, head.around.chatter
    assert head.probabilities(commands).sum(1) == pytest.approx(1.0)
    assert (head.probabilities(commands).argmax(1) == head.kernel.owners).mean() > 0.97
    assert (head.out_of_scope(commands) <= 0).mean() > 0.97
    assert (head.out_of_scope(chatter) > 0).mean() > 0.97


@pytest.mark.parametrize("kind", KINDS)
def test_the_classifier_uses_the_requested_head(kind: Kind) -> None:
    belief = IntentClassifier(load_domain(), head=kind)(transcript_of("bring me the red cup"))
    assert belief.clauses[0].intent == "bring"


def test_the_heads_differ() -> None:
    beliefs = [
        IntentClassifier(load_domain(), head=kind, parser=False)(transcript_of("get the plate")).clauses[0].probabilities for kind in KINDS
    ]
    assert not np.allclose(*beliefs, atol=1e-4)


def test_nearness_is_the_mean_cosine_to_the_nearest_three() -> None:
    e = np.eye(4, dtype=np.float32)
    h = np.array([[0.5, 0.5, 0.5, 0.5]], np.float32)
    assert nearness(h, e) == pytest.approx([0.5])
    assert nearness(e[:1], e) == pytest.approx([1 / 3])
    assert nearness(h, e[:0]) == pytest.approx([0.0])


@pytest.mark.long("compares with another program")
@examples(40)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_ndcg_equals_scikit_learn(seed: int, tied: bool) -> None:
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(seed)
    relevance, scores = rng.uniform(0, 3, (6, 9)), rng.uniform(size=(6, 9))
    scores = np.round(scores, 1) if tied else scores
    assert ndcg(relevance, scores) == pytest.approx(ndcg_score(relevance, scores))
    assert ndcg(relevance, relevance) == pytest.approx(1.0)
