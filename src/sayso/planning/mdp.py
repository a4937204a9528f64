"""Markov decision processes as flat arrays, and their solution: V(s) = max_a Σ P(s'|s,a) (R + γ V(s')) (eq. 19)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.types import FloatArray

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MDP:
    """S states, C choices (pairs of state and action), each with at most B outcomes. State S is terminal, with V = 0."""

    first: IntArray  # (S,) index of each state's first choice; choices are ordered by state, at least one per state
    following: IntArray  # (C, B) next state of each outcome, S if terminal
    probability: FloatArray  # (C, B) P(s' | s, a); rows sum to 1, unused outcomes have 0
    reward: FloatArray  # (C,) expected reward of the choice, Σ P(s'|s,a) R(s,a,s')
    discount: float  # γ in (0, 1)

    @property
    def states(self) -> int:
        """S, the number of states."""
        return len(self.first)

    def choice_values(self, values: FloatArray) -> FloatArray:
        """(C,) Q(s, a) under V of shape (S,)."""
        padded = np.append(values, 0.0)
        result: FloatArray = self.reward + self.discount * np.einsum("cb,cb->c", self.probability, padded[self.following])
        return result


@dataclass(frozen=True, slots=True)
class Solution:
    """The optimal policy of an MDP."""

    values: FloatArray  # (S,) V(s)
    choices: IntArray  # (S,) index of the best choice, the first if tied


def value_iteration(mdp: MDP, tolerance: float = 1e-6, sweeps: int = 10_000) -> Solution:
    """Bellman updates until no value changes by more than `tolerance`; as a γ-contraction, V is then within tolerance·γ/(1−γ)."""
    values: FloatArray = np.zeros(mdp.states)
    for _ in range(sweeps):
        best: FloatArray = np.maximum.reduceat(mdp.choice_values(values), mdp.first)
        change = float(np.max(np.abs(best - values)))
        values = best
        if change <= tolerance:
            break
    return Solution(values, best_choices(mdp, values))


def best_choices(mdp: MDP, values: FloatArray) -> IntArray:
    """(S,) the greedy choice in each state under these values."""
    q = mdp.choice_values(values)
    ends = np.append(mdp.first[1:], len(q))
    return np.array([start + int(np.argmax(q[start:end])) for start, end in zip(mdp.first, ends, strict=True)], dtype=np.int64)
