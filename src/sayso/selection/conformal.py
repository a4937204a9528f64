r"""Sets of actions that hold the meant one in 1 − ε of all cases: split conformal prediction (Vovk et al. 2005; Angelopoulos & Bates 2021).

With s_1 … s_n the scores of what was meant in n calibration interactions, and q their ⌈(n+1)(1−ε)⌉-th smallest, the set of a new
interaction {a : s_a ≤ q} holds what is meant with probability at least 1 − ε, and at most 1 − ε + 1/(n+1) where scores do not tie, however
wrong the posterior may be, as long as the new interaction is exchangeable with those calibrated on. Ties make sets larger, never less sure.

Two scores, both higher for what is less expected:

    threshold   1 − p_a                        the smallest sets on average (Sadinle, Lei & Wasserman 2019)
    adaptive    Σ_{b: p_b > p_a} p_b + u p_a   as sure for the unclear interactions as for the clear ones (Romano, Sesia & Candès 2020)

Sayso uses the threshold: a question can offer three things, so sets must be small, and without a random u the adaptive sets hold more than
1 − ε promises. Both can be empty for the threshold, where ε is above the error rate; the most probable action is then forced in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray

Score = Literal["threshold", "adaptive"]
SCORES: tuple[Score, ...] = ("threshold", "adaptive")


@dataclass(frozen=True, slots=True)
class ConformalSet:
    """Posterior → the actions that a question should offer."""

    epsilon: float  # the meant action is left out at most so often
    quantile: float  # q, of the calibration scores; inf: too few interactions, or too often nothing fitting, to rule anything out
    score: Score = "threshold"

    def __call__(self, p: FloatArray) -> NDArray[np.bool_]:
        """(N,) which of these belong to the set, from (N,) their posterior; the most probable one always does."""
        inside = members(scores(p, self.score), self.quantile)
        if len(p):
            inside[int(np.argmax(p))] = True
        return inside


def scores(p: FloatArray, score: Score = "threshold", u: float = 1.0) -> FloatArray:
    """(N,) how unexpected each would be, from (N,) posterior; `u` in [0, 1] spreads the adaptive scores of what has much mass.

    Those of equal probability have equal scores, so the order in which they are given means nothing.
    """
    if score == "threshold":
        return 1.0 - p
    values, group = np.unique(-p, return_inverse=True)
    mass = np.bincount(group.reshape(-1), weights=p, minlength=len(values)).astype(np.float64)
    above: FloatArray = (np.cumsum(mass) - mass)[group.reshape(-1)]
    return above + u * p


def members(score: FloatArray, quantile: float) -> NDArray[np.bool_]:
    """(N,) the set before anything is forced in; may be empty."""
    inside: NDArray[np.bool_] = score <= quantile
    return inside


def quantile(meant: FloatArray, epsilon: float) -> float:
    """The ⌈(n+1)(1−ε)⌉-th smallest of the (n,) scores of what was meant; inf where n is too small for so small an ε.

    Raises:
        ValueError: ε is not between 0 and 1, or a score is NaN.
    """
    if not 0.0 < epsilon < 1.0:
        raise ValueError(f"epsilon {epsilon} is not between 0 and 1")
    if np.isnan(meant).any():
        raise ValueError("a score is not a number")
    rank = math.ceil((len(meant) + 1) * (1.0 - epsilon) - 1e-9)  # 0.95 · 100 is not to be 95.00000000000001
    return float(np.sort(meant)[rank - 1]) if rank <= len(meant) else math.inf
