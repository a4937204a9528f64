"""Action + context + belief of the world → the next skill: π* = argmax E[Σ γᵗ R], re-solved after every outcome (eq. 19)."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator

from sayso.domain.model import Domain
from sayso.planning.belief import WorldBelief, begin
from sayso.planning.facts import Facts, GroundSkill
from sayso.planning.mdp import Solution
from sayso.planning.plan import Plan
from sayso.planning.reasons import why_done, why_given_up
from sayso.planning.relevant import goal_of, relevant_skills
from sayso.planning.search import Problem
from sayso.planning.window import Solved, solve
from sayso.types import Action, Context, SkillCall

Solver = Callable[[Facts, tuple[GroundSkill, ...], WorldBelief], Solved]


class Planner:
    """Compiles the domain, for each goal, to an MDP over the relevant facts and solves it by value iteration."""

    def __init__(self, domain: Domain, solver: Solver = solve) -> None:
        """`solver` finds the policy for a goal."""
        self.domain = domain
        self._solve = solver

    def begin(self, action: Action, context: Context, before: WorldBelief | None = None) -> WorldBelief:
        """The initial belief of the action; `before` is the belief after the previous action of the sentence."""
        return begin(self.domain, action, context, before)

    def __call__(self, action: Action, belief: WorldBelief) -> Plan:
        """The plan under this belief; its status says if the goal is reached or unreachable."""
        goal = goal_of(self.domain, action)
        if not goal:
            return Plan(action, "failed", reason=why_given_up(belief, action, frozenset()))
        if goal <= belief.facts:
            return Plan(action, "succeeded", reason=why_done(belief, action))
        skills = relevant_skills(self.domain, goal, belief)
        solved = self._solve(goal, skills, belief)
        ahead = tuple(way_ahead(solved.problem, solved.solution, goal))
        if not ahead:
            return Plan(action, "failed", reason=why_given_up(belief, action, goal))
        return Plan(action, "running", ahead, solved.value, solved.bound)


def way_ahead(problem: Problem, solution: Solution, goal: Facts) -> Iterator[SkillCall]:
    """The skills on the policy's most probable path to the goal; none if it gives up.

    Dijkstra's algorithm on −ln P over the policy's choices.
    """
    open_states: list[tuple[float, int, tuple[int, ...]]] = [(0.0, 0, ())]
    closed: set[int] = set()
    while open_states:
        cost, state, path = heapq.heappop(open_states)
        if state in closed:
            continue
        closed.add(state)
        if goal <= problem.states[state].facts:
            yield from (problem.skills[number].call for number in path)
            return
        choice = int(solution.choices[state])
        for p, following, _ in problem.outcomes[choice]:
            if following not in closed and p > 0.0:
                heapq.heappush(open_states, (cost - math.log(p), following, (*path, problem.taken[choice])))
