"""The policy tree says what the planner does and what may come of it."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.planning import Planner
from sayso.planning.policy import AGAIN, DONE, GIVES_UP, RARE, PolicyNode, policy_tree
from sayso.planning.relevant import goal_of, relevant_skills
from sayso.planning.window import Solved, solve
from sayso.types import Action, Context

HOME = load_domain()
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
GOAL = goal_of(HOME, BRING)


@pytest.fixture(scope="module")
def solved() -> Solved:
    belief = Planner(HOME).begin(BRING, Context(x=2.6, y=2.3, place="living_room"))
    return solve(GOAL, relevant_skills(HOME, GOAL, belief), belief)


def nodes(node: PolicyNode) -> list[PolicyNode]:
    return [node, *(below for outcome in node.outcomes for below in nodes(outcome.then))]


def test_the_tree_begins_with_the_planners_next_skill_and_its_probabilities_sum_to_one(solved: Solved) -> None:
    tree = policy_tree(solved, GOAL, least=0.01)
    plan = Planner(HOME)(BRING, Planner(HOME).begin(BRING, Context(x=2.6, y=2.3, place="living_room")))
    assert tree.call == plan.next
    assert tree.value == plan.value
    for node in nodes(tree):
        assert (node.call is None) == (node.end in (DONE, GIVES_UP, AGAIN, RARE))
        assert not node.outcomes or sum(outcome.probability for outcome in node.outcomes) == pytest.approx(1.0)
        assert all(value <= node.value + 1e-5 for _, value in node.others)
        assert [value for _, value in node.others] == sorted((value for _, value in node.others), reverse=True)
    leaves = [node for node in nodes(tree) if node.call is None]
    assert sum(leaf.reached for leaf in leaves) == pytest.approx(1.0)


def test_less_is_shown_if_only_the_probable_is_asked_for(solved: Solved) -> None:
    assert len(nodes(policy_tree(solved, GOAL, 0.3))) < len(nodes(policy_tree(solved, GOAL, 0.01)))
