"""Value iteration against closed forms and against policy iteration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.planning.mdp import MDP, value_iteration


def chain(success: float, cost: float, prize: float, discount: float) -> MDP:
    """One state with two choices, try (and stay on failure) or give up, and the terminal state; success earns the prize."""
    return MDP(
        first=np.array([0]),
        following=np.array([[1, 0], [1, 1]]),
        probability=np.array([[success, 1 - success], [1.0, 0.0]]),
        reward=np.array([success * prize - cost, 0.0]),
        discount=discount,
    )


@given(st.floats(0.05, 1.0), st.floats(0.0, 5.0), st.floats(0.0, 10.0), st.floats(0.1, 0.99))
def test_two_state_chain_has_its_closed_form(success, cost, prize, discount):
    solution = value_iteration(chain(success, cost, prize, discount), tolerance=1e-10)
    trying = (success * prize - cost) / (1 - discount * (1 - success))
    assert solution.values[0] == pytest.approx(max(0.0, trying), abs=1e-6)
    if abs(trying) > 1e-6:
        assert solution.choices[0] == (0 if trying > 0 else 1)


def random_mdp(seed: int) -> MDP:
    rng = np.random.default_rng(seed)
    states, branches = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    counts = rng.integers(1, 4, size=states)
    choices = int(counts.sum())
    return MDP(
        first=np.concatenate([[0], np.cumsum(counts)[:-1]]),
        following=rng.integers(0, states + 1, size=(choices, branches)),
        probability=rng.dirichlet(np.ones(branches), size=choices),
        reward=rng.normal(size=choices),
        discount=0.9,
    )


def policy_iteration(mdp: MDP) -> np.ndarray:
    """Howard's algorithm with exact evaluation: solve (I − γ P_π) V = R_π, then choose greedily, until the policy is stable."""
    ends = np.append(mdp.first[1:], len(mdp.reward))
    policy = mdp.first.copy()
    while True:
        transition = np.zeros((mdp.states, mdp.states + 1))
        for state, choice in enumerate(policy):
            for following, p in zip(mdp.following[choice], mdp.probability[choice], strict=True):
                transition[state, following] += p
        values = np.linalg.solve(np.eye(mdp.states) - mdp.discount * transition[:, :-1], mdp.reward[policy])
        better = policy.copy()
        for state in range(mdp.states):
            later = np.append(values, 0.0)
            own = range(mdp.first[state], ends[state])
            q = [mdp.reward[c] + mdp.discount * mdp.probability[c] @ later[mdp.following[c]] for c in own]
            if max(q) > q[policy[state] - mdp.first[state]] + 1e-10:
                better[state] = mdp.first[state] + int(np.argmax(q))
        if (better == policy).all():
            return values
        policy = better


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_agrees_with_policy_iteration(seed):
    mdp = random_mdp(seed)
    assert value_iteration(mdp, tolerance=1e-10).values == pytest.approx(policy_iteration(mdp), abs=1e-7)
