r"""Sets of actions with coverage 1 − ε: split conformal prediction (Vovk et al. 2005; Angelopoulos & Bates 2021).

Let s_1 … s_n be the scores of the meant actions in n calibration interactions, and q the ⌈(n+1)(1−ε)⌉-th smallest. The set {a : s_a ≤ q}
of a new interaction holds the meant action with probability at least 1 − ε, and at most 1 − ε + 1/(n+1) without ties. This holds however
wrong the posterior is, as long as the new interaction is exchangeable with the calibration ones. Ties only enlarge the sets.

Interactions of each kind have a quantile of their own (Mondrian: Vovk et al. 2005, ch. 4): clear ones, in which one action has nearly all
the mass; doubtful ones, whose words were perhaps not understood; and the other unclear ones, in which several things may be meant. Coverage
therefore also holds among those about which the robot asks; the many clear ones cannot make up for them.

The posterior of a doubtful interaction sums to P(the words were understood), and the rest is the probability of something else: an action
that is no candidate, or none. Something else is a member of sets like any action, and is meant if no candidate was, like the "option not
listed here" of KnowNo (Ren et al. 2023). Without it, no set could cover what was misunderstood. A question always leaves it open: it quotes
what was not understood, and "no" and "none of them" are answers.

The score 1 − p_a yields the smallest sets on average (Sadinle, Lei & Wasserman 2019), and a question can offer only three options.
Adaptive sets (Romano, Sesia & Candès 2020) cover unclear words as well as clear ones. But where one action nearly always has all the mass,
they reach 1 − ε only by leaving actions out at random; `sayso bench selection` compares both. If ε exceeds the error rate, sets can be
empty; the most probable action is then forced in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray

CLEAR = 0.95  # posterior of the best action above which an interaction is clear: not worth a question
TIE = 1e-3  # relative difference of two probabilities that are equal
Kind = Literal["clear", "unclear", "doubtful"]  # unclear: several things may be meant. doubtful: the words were perhaps not understood


@dataclass(frozen=True, slots=True)
class ConformalSet:
    """Posterior → the actions that a question should offer."""

    epsilon: float  # maximum rate at which the meant action is left out
    clear: float  # q of clear interactions; inf: too few, or too many without the meant action, to rule anything out
    unclear: float  # q of those in which several things may be meant
    doubtful: float = math.inf  # q of those whose words were perhaps not understood

    def __call__(self, p: FloatArray) -> NDArray[np.bool_]:
        """(N,) membership in the set, from the (N,) posterior; the most probable action is always in, and those that equal it."""
        return np.asarray(self.unforced(p) | (p >= (1.0 - TIE) * p.max(initial=0.0)), np.bool_)

    def unforced(self, p: FloatArray) -> NDArray[np.bool_]:
        """(N,) membership before the most probable actions are forced in; the set may be empty."""
        return members(p, self._limit(p))

    def holds_others(self, p: FloatArray) -> bool:
        """Whether something else than the candidates is in the set."""
        return bool(members(others(p), self._limit(p))[0])

    def _limit(self, p: FloatArray) -> float:
        return {"clear": self.clear, "unclear": self.unclear, "doubtful": self.doubtful}[kind_of(p)]


def kind_of(p: FloatArray) -> Kind:
    """The kind of an interaction with this (N,) posterior."""
    if p.max(initial=0.0) >= CLEAR:
        return "clear"
    return "unclear" if p.sum() >= CLEAR else "doubtful"


def others(p: FloatArray) -> FloatArray:
    """(1,) the probability of something else than the candidates with this (N,) posterior."""
    return np.array([max(0.0, 1.0 - float(p.sum()))])


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
