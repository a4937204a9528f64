"""Value iteration alone, on MDPs far larger than those of a home: its time against QuantEcon's, and against what reading the MDP costs.

Random MDPs have four choices a state with four outcomes each, all equally likely to lead anywhere. In the slippery grid a step goes astray
with 20 %, every step costs 1 and the goal ends it: there values do not rise together, and the bounds save nothing. γ = .95; every value is
within .1 % of the largest one. QuantEcon's DiscreteDP gets the same arrays in the form that it takes, and the same accuracy. It is compiled
before it is timed. Times are of the processor, on one core.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import csr_array, csr_matrix, hstack, vstack

from sayso.console.bench import Row, unmeasured
from sayso.planning.mdp import MDP, value_iteration
from sayso.types import FloatArray

CHOICES = OUTCOMES = 4
DISCOUNT = 0.95
EPSILON = 0.001  # of the largest value
SIZES = {10_000: 11, 100_000: 5, 1_000_000: 3}  # states → repetitions
SWEEPS = 30  # of which the time of one is taken
GRID = 316  # cells a side: 100,000 states
BASELINES = {"QuantEcon, value iteration": "value_iteration", "QuantEcon, modified policy iteration": "modified_policy_iteration"}
FASTER, OF_THE_FLOOR = 6.0, 50.0  # goals: times as fast as QuantEcon's value iteration; % of the bandwidth


@dataclass(frozen=True, slots=True)
class Baseline:
    """A solver of QuantEcon with its MDP."""

    solve: Callable[[], FloatArray]  # (S,) the values
    sweeps: int


def rows(quick: bool = False) -> Iterator[Row]:
    """Yield the rows; quick: small MDPs."""
    for states, times in {300: 1}.items() if quick else SIZES.items():
        mdp = random_mdp(states, np.random.default_rng(states))
        yield from _times(f"random MDP, {states:,} states", mdp, times, FASTER)
        yield _bandwidth(f"random MDP, {states:,} states", mdp, times)
    side = 15 if quick else GRID
    yield from _times(f"slippery grid, {side * side:,} states", slippery_grid(side), 3)


def random_mdp(states: int, chance: np.random.Generator) -> MDP:
    """Outcomes anywhere with random probabilities (Dirichlet), rewards of the standard normal distribution."""
    choices = states * CHOICES
    probability = chance.dirichlet(np.ones(OUTCOMES), choices).ravel()
    following = chance.integers(0, states, choices * OUTCOMES, dtype=np.int32)
    begins = np.arange(0, choices * OUTCOMES + 1, OUTCOMES, dtype=np.int32)
    transition = csr_array((probability, following, begins), shape=(choices, states))
    return MDP(np.arange(0, choices, CHOICES), transition, chance.standard_normal(choices), DISCOUNT)


def slippery_grid(side: int) -> MDP:
    """A square with its goal in the middle; a step goes to the left or to the right of where it should with 10 % each."""
    row, column = np.divmod(np.arange(side * side), side)
    ways = [(-1, 0), (0, 1), (1, 0), (0, -1)]
    ends = [np.clip(row + dy, 0, side - 1) * side + np.clip(column + dx, 0, side - 1) for dy, dx in ways]
    goal = (side // 2) * side + side // 2
    probability, following = [], []
    for way in range(4):
        for turn, p in ((0, 0.8), (1, 0.1), (3, 0.1)):
            to = ends[(way + turn) % 4]
            probability.append(np.where((to == goal) | (row * side + column == goal), 0.0, p))
            following.append(to)
    dense = (np.array(probability).reshape(4, 3, -1).transpose(2, 0, 1), np.array(following).reshape(4, 3, -1).transpose(2, 0, 1))
    begins = np.arange(0, 12 * side * side + 1, 3)
    transition = csr_array((dense[0].ravel(), dense[1].ravel(), begins), shape=(4 * side * side, side * side))
    transition.eliminate_zeros()
    reward = np.where(np.repeat(np.arange(side * side), 4) == goal, 0.0, -1.0)
    return MDP(np.arange(0, 4 * side * side, 4), transition, reward, DISCOUNT)


def _times(what: str, mdp: MDP, times: int, goal: float | None = None) -> Iterator[Row]:
    largest = float(np.abs(value_iteration(mdp, 1e-3).values).max())
    tolerance = EPSILON * largest
    solution = value_iteration(mdp, tolerance)
    taken = _seconds(lambda: value_iteration(mdp, tolerance), times)
    measure = f"value iteration to .1 %, {what}"
    try:
        baselines = {name: _quantecon(mdp, method, tolerance) for name, method in BASELINES.items()}
    except ImportError:
        reason = "QuantEcon is not installed: make setup-all"
        yield Row(f"{measure}: time, {solution.sweeps} sweeps", statistics.median(taken), "s", "lower", n=times)
        yield unmeasured(f"{measure}: times as fast as QuantEcon", "×", "higher", reason, goal, "program")
        return
    others = {f"{name}, {each.sweeps} iterations": statistics.median(_seconds(each.solve, times)) for name, each in baselines.items()}
    apart = max(float(np.abs(each.solve()[: mdp.states] - solution.values).max()) for each in baselines.values())
    if apart > 2.0 * tolerance:
        raise AssertionError(f"{what}: the solvers differ by {apart:g}, more than their tolerances {tolerance:g}")
    ours, first, *_ = statistics.median(taken), *others.values()
    spread = (min(taken), max(taken))
    yield Row(f"{measure}: time, {solution.sweeps} sweeps (spread: all)", ours, "s", "lower", None, dict(others), spread, times)
    yield Row(f"{measure}: times as fast as QuantEcon's value iteration", first / ours, "×", "higher", goal, n=times)


def _quantecon(mdp: MDP, method: str, tolerance: float) -> Baseline:
    """QuantEcon's solver, which finds values within epsilon / 2. Where the process ends, it gets one more state without rewards."""
    from quantecon.markov import DiscreteDP

    owner = np.repeat(np.arange(mdp.states), np.diff(mdp.first, append=len(mdp.reward)))
    action = np.arange(len(mdp.reward)) - mdp.first[owner]
    transition, reward = csr_matrix(mdp.transition), mdp.reward
    if mdp.ends:
        lacking = csr_matrix(1.0 - mdp.transition.sum(axis=1)[:, None])
        end = csr_matrix(([1.0], [mdp.states], [0, 1]), shape=(1, mdp.states + 1))
        transition = csr_matrix(vstack([hstack([transition, lacking]), end]))
        reward, owner, action = np.append(reward, 0.0), np.append(owner, mdp.states), np.append(action, 0)
    problem = DiscreteDP(reward, transition, mdp.discount, owner, action)

    def solve() -> FloatArray:
        values: FloatArray = problem.solve(method, epsilon=2.0 * tolerance).v
        return values

    problem.solve(method, epsilon=1e3)  # compiles
    return Baseline(solve, int(problem.solve(method, epsilon=2.0 * tolerance).num_iter))


def _bandwidth(what: str, mdp: MDP, times: int) -> Row:
    """The share of a sweep's time that it would take to read P, R and V once in their order, as fast as this machine does."""
    begun, more = (_least(partial(value_iteration, mdp, 0.0, sweeps), times) for sweeps in (2, 2 + SWEEPS))
    sweep = max(more - begun, 1e-9) / SWEEPS
    arrays = (mdp.transition.data, mdp.transition.indices, mdp.reward, np.ones(mdp.states))
    floor = _least(lambda: [each.max() for each in arrays], 10 * times)
    gathered = np.empty(mdp.transition.nnz)
    gather = _least(lambda: np.take(arrays[3], arrays[1], out=gathered, mode="clip"), 10 * times)
    size = sum(each.nbytes for each in arrays)
    others = {
        "sweep, ms": 1e3 * sweep,
        "floor, ms": 1e3 * floor,
        "GB/s": size / floor / 1e9,
        "of it V(s') where P points to, ms": 1e3 * gather,
    }
    return Row(f"bandwidth floor, of a sweep, {what}", 100.0 * floor / sweep, "%", "higher", OF_THE_FLOOR, others, n=times)


def _seconds(work: Callable[[], object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return taken


def _least(work: Callable[[], object], times: int) -> float:
    """The fastest of the runs."""
    return min(_seconds(work, times))
