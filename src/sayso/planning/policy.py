"""The policy of a plan as a tree: in each state the best skill with V and Q, then what may come of it, with probabilities."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.planning.facts import Facts
from sayso.planning.search import GIVE_UP, LOOK_FURTHER
from sayso.planning.window import Solved
from sayso.types import SkillCall

DONE, GIVES_UP, FURTHER = "done", "gives up", "looks at further places"
AGAIN, RARE = "again as above", "less probable than shown"


@dataclass(frozen=True, slots=True)
class PolicyNode:
    """What the robot does in one state."""

    call: SkillCall | None  # None: it does nothing more here, and `end` says why
    value: float  # V(s)
    reached: float  # P(it gets here)
    others: tuple[tuple[SkillCall | None, float], ...] = ()  # Q of the other choices, best first; None: to give up
    outcomes: tuple[PolicyOutcome, ...] = ()
    end: str = ""


@dataclass(frozen=True, slots=True)
class PolicyOutcome:
    """What a skill may come to."""

    probability: float
    succeeded: bool
    then: PolicyNode


def policy_tree(solved: Solved, goal: Facts, least: float = 0.02) -> PolicyNode:
    """The tree from now on; states reached with a probability below `least` are cut off, and loops are not unrolled."""
    problem, solution = solved.problem, solved.solution
    q = problem.mdp.choice_values(solution.values)
    ends = (*problem.mdp.first[1:], len(q))

    def skill(choice: int) -> SkillCall | None:
        taken = problem.taken[choice]
        return problem.skills[taken].call if taken >= 0 else None

    def node(state: int, reached: float, above: frozenset[int]) -> PolicyNode:
        value, best = float(solution.values[state]), int(solution.choices[state])
        end = _end(problem.taken[best], goal <= problem.states[state].facts, state in above, reached < least)
        if end:
            return PolicyNode(None, value, reached, end=end)
        others = sorted(
            (choice for choice in range(int(problem.mdp.first[state]), int(ends[state])) if choice != best), key=lambda choice: -q[choice]
        )
        outcomes = tuple(
            PolicyOutcome(p, succeeded, node(following, reached * p, above | {state})) for p, following, succeeded in problem.outcomes[best]
        )
        return PolicyNode(skill(best), value, reached, tuple((skill(choice), float(q[choice])) for choice in others), outcomes)

    return node(0, 1.0, frozenset())


def _end(taken: int, is_done: bool, is_loop: bool, is_rare: bool) -> str:
    reasons = ((is_done, DONE), (taken == GIVE_UP, GIVES_UP), (taken == LOOK_FURTHER, FURTHER), (is_loop, AGAIN), (is_rare, RARE))
    return next((name for holds, name in reasons if holds), "")
