"""Value iteration against closed forms, linear programming and policy iteration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from budget import examples
from sayso.planning import mdp as mdp_module
from sayso.planning.mdp import MDP, value_iteration


def chain(success: float, cost: float, prize: float, discount: float) -> MDP:
    """One state with two choices, try (and stay on failure) or give up, and the end; success earns the prize."""
    return MDP(np.array([0]), csr_array([[1 - success], [0.0]]), np.array([success * prize - cost, 0.0]), discount)


@given(st.floats(0.05, 1.0), st.floats(0.0, 5.0), st.floats(0.0, 10.0), st.floats(0.1, 0.99))
def test_two_state_chain_has_its_closed_form(success, cost, prize, discount):
    solution = value_iteration(chain(success, cost, prize, discount), tolerance=1e-8)
    trying = (success * prize - cost) / (1 - discount * (1 - success))
    assert solution.values[0] == pytest.approx(max(0.0, trying), abs=1e-6)
    if abs(trying) > 1e-6:
        assert solution.choices[0] == (0 if trying > 0 else 1)


def random_mdp(seed: int, *, ends: bool, even: bool) -> MDP:
    """Up to 40 states. `even`: as many choices in each; `ends`: some choices may end the process."""
    rng = np.random.default_rng(seed)
    states, branches = int(rng.integers(2, 40)), int(rng.integers(1, 5))
    counts = np.full(states, rng.integers(1, 5)) if even else rng.integers(1, 25, size=states)
    choices = int(counts.sum())
    dense = np.zeros((choices, states + 1))
    np.add.at(dense, (np.arange(choices)[:, None], rng.integers(0, states + ends, size=(choices, branches))), 1.0 / branches)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return MDP(first, csr_array(dense[:, :-1]), rng.normal(size=choices), float(rng.uniform(0.3, 0.97)))


def state_of_each_choice(mdp: MDP) -> np.ndarray:
    return np.repeat(np.arange(mdp.states), np.diff(mdp.first, append=len(mdp.reward)))


def linear_program(mdp: MDP) -> np.ndarray:
    """min Σ V(s) with V(s) ≥ R + γ P V for every choice (Puterman 1994, 6.9)."""
    own = np.eye(mdp.states)[state_of_each_choice(mdp)]
    found = linprog(np.ones(mdp.states), mdp.discount * mdp.transition.toarray() - own, -mdp.reward, bounds=(None, None))
    assert found.success
    return np.asarray(found.x)


def policy_iteration(mdp: MDP) -> np.ndarray:
    """Howard's algorithm with exact evaluation: solve (I − γ P_π) V = R_π, then choose greedily, until the policy is stable."""
    owner, dense, policy = state_of_each_choice(mdp), mdp.transition.toarray(), mdp.first.copy()
    while True:
        values = np.linalg.solve(np.eye(mdp.states) - mdp.discount * dense[policy], mdp.reward[policy])
        q = mdp.reward + mdp.discount * dense @ values
        greedy = np.array([max(np.flatnonzero(owner == state), key=lambda choice: q[choice]) for state in range(mdp.states)])
        better = np.where(q[greedy] > q[policy] + 1e-10, greedy, policy)
        if (better == policy).all():
            return values
        policy = better


@examples(60)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_the_values_are_those_of_the_linear_program_and_of_policy_iteration(seed, ends, even):
    mdp = random_mdp(seed, ends=ends, even=even)
    values = value_iteration(mdp, tolerance=1e-8).values
    assert values == pytest.approx(policy_iteration(mdp), abs=2e-8)
    assert values == pytest.approx(linear_program(mdp), abs=1e-5)  # as exact as the linear program


@examples(60)
@given(st.integers(0, 10_000), st.booleans(), st.booleans(), st.floats(1e-6, 10.0), st.integers(1, 30))
def test_the_values_are_as_near_to_the_optimum_as_the_solution_says(seed, ends, even, tolerance, sweeps):
    mdp = random_mdp(seed, ends=ends, even=even)
    solution = value_iteration(mdp, tolerance, sweeps)
    assert np.max(np.abs(solution.values - policy_iteration(mdp))) <= solution.error + 1e-9
    assert solution.error <= tolerance or solution.sweeps == sweeps


@examples(20)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_states_in_several_blocks_have_the_same_values(seed, ends, even):
    mdp = random_mdp(seed, ends=ends, even=even)
    whole = value_iteration(mdp)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mdp_module, "BLOCK", 7)
        parts = value_iteration(mdp)
    assert np.array_equal(whole.values, parts.values)
    assert np.array_equal(whole.choices, parts.choices)


def test_of_tied_choices_the_first_is_taken():
    mdp = MDP(np.array([0, 3]), csr_array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]), np.array([0.0, 0, -1, 0, 0]), 0.9)
    assert value_iteration(mdp).choices.tolist() == [0, 3]


def test_where_nothing_ends_a_sweep_that_raises_all_values_alike_is_the_last():
    mdp = MDP(np.array([0, 1]), csr_array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 1.0]), 0.99)
    solution = value_iteration(mdp, tolerance=1e-9)
    assert solution.sweeps == 1
    assert solution.values == pytest.approx([100.0, 100.0])
