r"""Sets of actions that hold the meant one in 1 − ε of all cases: split conformal prediction (Vovk et al. 2005; Angelopoulos & Bates 2021).

With s_1 … s_n the scores of what was meant in n calibration interactions, and q their ⌈(n+1)(1−ε)⌉-th smallest, the set of a new
interaction {a : s_a ≤ q} holds what is meant with probability at least 1 − ε, and at most 1 − ε + 1/(n+1) where scores do not tie, however
wrong the posterior may be, as long as the new interaction is exchangeable with those calibrated on. Ties make sets larger, never less sure.

Clear interactions, in which one action has nearly all the mass, and unclear ones have a quantile each (Mondrian: Vovk et al. 2005, ch. 4),
so that the promise holds among those that are asked about, and is not kept by the many that are not.

The score is 1 − p_a, which makes the smallest sets on average (Sadinle, Lei & Wasserman 2019): a question can offer three things. Adaptive
sets (Romano, Sesia & Candès 2020) are as sure for unclear words as for clear ones, but where one action nearly always has all the mass they
keep their promise only by leaving something out at random; `sayso bench selection` has the figures of both. Where ε is above the error rate
sets become empty; the most probable action is then forced in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray

CLEAR = 0.95  # of the posterior: with so much on one action, the others are not worth a question


@dataclass(frozen=True, slots=True)
class ConformalSet:
    """Posterior → the actions that a question should offer."""

    epsilon: float  # the meant action is left out at most so often
    clear: float  # q of clear interactions; inf: too few of them, or too often nothing fitting, to rule anything out
    unclear: float  # q of the others

    def __call__(self, p: FloatArray) -> NDArray[np.bool_]:
        """(N,) which of these belong to the set, from (N,) their posterior; the most probable one always does."""
        inside = self.unforced(p)
        if len(p):
            inside[int(np.argmax(p))] = True
        return inside

    def unforced(self, p: FloatArray) -> NDArray[np.bool_]:
        """(N,) the set before the most probable one is forced in; may be empty."""
        return members(p, self.clear if is_clear(p) else self.unclear)


def is_clear(p: FloatArray) -> bool:
    """Has one action nearly all of the (N,) posterior?"""
    return bool(p.max(initial=0.0) >= CLEAR)


def members(p: FloatArray, limit: float) -> NDArray[np.bool_]:
    """(N,) which have a score of at most that, by their posterior."""
    inside: NDArray[np.bool_] = 1.0 - p <= limit
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
