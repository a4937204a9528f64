"""From P(k|c) to P(a|c, ctx): equations 13 and 14, on arrays over K intents, A action names and N grounded candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray


def likelihood_of_intents(p_intents: FloatArray, p_train: FloatArray) -> FloatArray:
    """(K,) P(c|k) ∝ P(k|c) / P_train(k): divides out the classifier's own prior (Bayes). Normalised to sum to 1 by convention."""
    ratio: FloatArray = p_intents / p_train
    total = float(ratio.sum())
    return ratio / total if total > 0.0 else np.full_like(ratio, 1.0 / max(1, len(ratio)))


def intents_of_actions(p_actions: FloatArray, p_intents: FloatArray) -> FloatArray:
    """(A, K) P(k|a) ∝ P(a|k) P(k), from the (A, K) table P(a|k) and the (K,) prior P(k). Rows sum to 1, or to 0 if no intent means a."""
    joint: FloatArray = p_actions * p_intents
    total = joint.sum(axis=1, keepdims=True)
    share: FloatArray = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0.0)
    return share


def direct(p_actions: FloatArray, p_intents_given_c: FloatArray) -> FloatArray:
    """(A,) eq. 13: P(a|c) = Σ_k P(a|k) P(k|c)."""
    result: FloatArray = p_actions @ p_intents_given_c
    return result


def bayes(likelihood: FloatArray, prior: FloatArray) -> FloatArray:
    """(N,) eq. 14: P(a|c, ctx) ∝ P(c|a, ctx) P(a|ctx). Sums to 1, or is all 0 if no permitted action explains the words."""
    joint: FloatArray = likelihood * prior
    total = float(joint.sum())
    return joint / total if total > 0.0 else joint


def likelihood_of_candidates(of: NDArray[np.int64], match: FloatArray, p_k_given_a: FloatArray, p_c_given_k: FloatArray) -> FloatArray:
    """(N,) P(c|a) = Σ_k P(k|a) P(c|k) λ(words of the roles | a, k), over R readings.

    `of` is (3, R): the candidate, action name and intent of each reading; `match` is (R,): its λ.
    """
    candidate, action, intent = of
    contribution = p_k_given_a[action, intent] * p_c_given_k[intent] * match
    return np.bincount(candidate, weights=contribution).astype(np.float64)
