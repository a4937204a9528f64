r"""Sets of actions with coverage 1 − ε: split conformal prediction (Vovk et al. 2005; Angelopoulos & Bates 2021).

Let s_1 … s_n be the scores of the meant actions in n calibration interactions, and q the ⌈(n+1)(1−ε)⌉-th smallest. The set {a : s_a ≤ q}
of a new interaction holds the meant action with probability at least 1 − ε, and at most 1 − ε + 1/(n+1) without ties. This holds however
wrong the posterior is, as long as the new interaction is exchangeable with the calibration ones. Ties only enlarge the sets.

Clear interactions, in which one action has nearly all the mass, have a separate quantile (Mondrian: Vovk et al. 2005, ch. 4). Coverage
therefore also holds among the unclear ones, about which the robot asks; the many clear ones cannot make up for them.

The score 1 − p_a yields the smallest sets on average (Sadinle, Lei & Wasserman 2019), and a question can offer only three options.
Adaptive sets (Romano, Sesia & Candès 2020) cover unclear words as well as clear ones. But where one action nearly always has all the mass,
they reach 1 − ε only by leaving actions out at random; `sayso bench selection` compares both. If ε exceeds the error rate, sets can be
empty; the most probable action is then forced in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray

CLEAR = 0.95  # posterior of the best action above which an interaction is clear: not worth a question


@dataclass(frozen=True, slots=True)
class ConformalSet:
    """Posterior → the actions that a question should offer."""

    epsilon: float  # maximum rate at which the meant action is left out
    clear: float  # q of clear interactions; inf: too few, or too many without the meant action, to rule anything out
    unclear: float  # q of the others

    def __call__(self, p: FloatArray) -> NDArray[np.bool_]:
        """(N,) membership in the set, from the (N,) posterior; the most probable action is always in."""
        inside = self.unforced(p)
        if len(p):
            inside[int(np.argmax(p))] = True
        return inside

    def unforced(self, p: FloatArray) -> NDArray[np.bool_]:
        """(N,) membership before the most probable action is forced in; the set may be empty."""
        return members(p, self.clear if is_clear(p) else self.unclear)


def is_clear(p: FloatArray) -> bool:
    """Whether one action has nearly all of the (N,) posterior."""
    return bool(p.max(initial=0.0) >= CLEAR)


def members(p: FloatArray, limit: float) -> NDArray[np.bool_]:
    """(N,) whether the score 1 − p is at most `limit`."""
    inside: NDArray[np.bool_] = 1.0 - p <= limit
    return inside


def quantile(meant: FloatArray, epsilon: float) -> float:
    """The ⌈(n+1)(1−ε)⌉-th smallest of the (n,) scores of the meant actions; inf if n is too small for ε.

    Raises:
        ValueError: ε is not between 0 and 1, or a score is NaN.
    """
    if not 0.0 < epsilon < 1.0:
        raise ValueError(f"epsilon {epsilon} is not between 0 and 1")
    if np.isnan(meant).any():
        raise ValueError("a score is not a number")
    rank = math.ceil((len(meant) + 1) * (1.0 - epsilon) - 1e-9)  # guards against 0.95 · 100 = 95.00000000000001
    return float(np.sort(meant)[rank - 1]) if rank <= len(meant) else math.inf
