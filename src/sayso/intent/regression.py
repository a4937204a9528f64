"""Multinomial logistic regression by SciPy's L-BFGS, so that training needs no further packages."""

from __future__ import annotations

import numpy as np

from sayso.intent.linear_head import Float32Array
from sayso.types import FloatArray

ITERATIONS = 150


def logistic(
    h: FloatArray | Float32Array, targets: FloatArray, weights: FloatArray, ridge: float, iterations: int = ITERATIONS
) -> FloatArray:
    """W and b that minimise the weighted cross-entropy of softmax(W h + b) plus a ridge penalty.

    Args:
        h: (N, D) inputs.
        targets: (N, K) one-hot.
        weights: (N,) of the examples.
        ridge: weight of |W|²/2; the bias is not penalised.
        iterations: upper limit.

    Returns:
        (K, D + 1): W, and b in the last column.
    """
    from scipy.optimize import minimize

    inputs = np.concatenate([h, np.ones((len(h), 1), h.dtype)], axis=1)
    shape = (targets.shape[1], inputs.shape[1])
    share = weights / weights.sum()

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        Wb = flat.reshape(shape)
        logits = (inputs @ Wb.T.astype(inputs.dtype)).astype(np.float64)
        logits -= logits.max(1, keepdims=True)
        p = np.exp(logits)
        total = p.sum(1, keepdims=True)
        value = float(share @ (np.log(total[:, 0]) - (logits * targets).sum(1))) + ridge / 2 * float((Wb[:, :-1] ** 2).sum())
        error = ((p / total - targets) * share[:, None]).astype(inputs.dtype)  # single precision if h is: twice as fast
        gradient = (error.T @ inputs).astype(np.float64)
        gradient[:, :-1] += ridge * Wb[:, :-1]
        return value, gradient.ravel()

    found = minimize(loss, np.zeros(shape[0] * shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return np.asarray(found.x.reshape(shape), np.float64)
