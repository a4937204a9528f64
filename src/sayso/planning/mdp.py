"""Markov decision processes as sparse matrices, and their solution: V(s) = max_a Σ P(s'|s,a) (R + γ V(s')) (eq. 19)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.planning.rows import Matrix, rows
from sayso.types import FloatArray

IntArray = NDArray[np.int64]

BLOCK = 1 << 14  # states backed up together: their choices' values stay in the processor's second cache
NARROW = 16  # choices a state, up to which their largest is found faster column by column
ROUNDING = 1e-9  # a row sums to 1 up to this


@dataclass(frozen=True, slots=True)
class MDP:
    """S states and C choices (pairs of state and action). A row of `transition` lacks to 1 the probability to end, with V = 0."""

    first: IntArray  # (S,) index of each state's first choice; choices are ordered by state, at least one per state
    transition: Matrix  # (C, S) P(s' | s, a); rows sum to at most 1
    reward: FloatArray  # (C,) expected reward of the choice, Σ P(s'|s,a) R(s,a,s')
    discount: float  # γ in (0, 1)

    @property
    def states(self) -> int:
        """S, the number of states."""
        return len(self.first)

    @property
    def ends(self) -> bool:
        """Whether any choice may end the process."""
        return bool(self.transition.sum(axis=1).min() < 1.0 - ROUNDING)

    def choice_values(self, values: FloatArray) -> FloatArray:
        """(C,) Q(s, a) under V of shape (S,)."""
        result: FloatArray = self.reward + self.discount * (self.transition @ values)
        return result


@dataclass(frozen=True, slots=True)
class Solution:
    """A policy of an MDP, and how far its values are from the optimal ones."""

    values: FloatArray  # (S,) V(s)
    choices: IntArray  # (S,) index of the best choice, the first if tied
    error: float  # max |V − V*| is at most this
    sweeps: int = 0  # Bellman updates of all states


def value_iteration(mdp: MDP, tolerance: float = 1e-4, sweeps: int = 10_000) -> Solution:
    """Bellman updates until every V(s) is within `tolerance` of the optimum, or for so many sweeps.

    If the changes of an update are between `low` and `high`, V* lies between V + low·γ/(1−γ) and V + high·γ/(1−γ) (MacQueen 1966; Puterman
    1994, theorem 6.6.3). Where the process never ends, V is put in their middle. This needs far fewer updates than a bound on the largest
    change, because all values rise together: 18 instead of 131 on random MDPs with γ = .95.
    """
    ahead, ends = mdp.discount / (1.0 - mdp.discount), mdp.ends
    blocks = tuple(_blocks(mdp))
    values: FloatArray = np.zeros(mdp.states)
    after: FloatArray = np.empty(mdp.states)
    error, swept = math.inf, 0
    while error > tolerance and swept < sweeps:
        low, high = (0.0, 0.0) if ends else (math.inf, -math.inf)
        for block in blocks:
            change = block.back_up(values, after)
            low, high = min(low, float(change.min())), max(high, float(change.max()))
        values, after = after, values
        swept += 1
        error = ahead * (max(-low, high) if ends else (high - low) / 2.0)
    if swept and not ends:
        values += ahead * (low + high) / 2.0
    return Solution(values, best_choices(mdp, values), error, swept)


def best_choices(mdp: MDP, values: FloatArray) -> IntArray:
    """(S,) the greedy choice in each state under these values."""
    q = mdp.choice_values(values)
    counts = np.diff(mdp.first, append=len(q))
    best = np.flatnonzero(q == np.repeat(np.maximum.reduceat(q, mdp.first), counts))
    choices: IntArray = best[np.searchsorted(best, mdp.first)].astype(np.int64, copy=False)
    return choices


@dataclass(frozen=True, slots=True)
class _StateBlock:
    """Neighbouring states with their choices."""

    states: slice
    first: IntArray  # of each state, counted from the block's first choice
    width: int  # choices a state, 0 if they differ
    transition: Matrix  # γ P of the block's choices
    reward: FloatArray

    def back_up(self, values: FloatArray, after: FloatArray) -> FloatArray:
        """Write max_a Q(s, a) of the block's states to `after`; the changes against `values`."""
        q = self.transition @ values
        q += self.reward
        best = after[self.states]
        if self.width:
            each = q.reshape(-1, self.width)
            best[:] = each[:, 0]
            for column in range(1, self.width):
                np.maximum(best, each[:, column], out=best)
        else:
            np.maximum.reduceat(q, self.first, out=best)
        change: FloatArray = best - values[self.states]
        return change


def _blocks(mdp: MDP) -> Iterator[_StateBlock]:
    transition = mdp.transition
    discounted = mdp.discount * transition.data
    bounds = np.append(mdp.first, len(mdp.reward))
    for start in range(0, mdp.states, BLOCK):
        stop = min(start + BLOCK, mdp.states)
        choices = slice(int(bounds[start]), int(bounds[stop]))
        begins = transition.indptr[choices.start : choices.stop + 1]
        stored = slice(int(begins[0]), int(begins[-1]))
        block = rows(discounted[stored], transition.indices[stored], begins - begins[0], (choices.stop - choices.start, mdp.states))
        counts = np.diff(bounds[start : stop + 1])
        width = int(counts[0]) if counts[0] <= NARROW and (counts == counts[0]).all() else 0
        yield _StateBlock(slice(start, stop), bounds[start:stop] - bounds[start], width, block, mdp.reward[choices])
