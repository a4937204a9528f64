"""Action + context + belief of the world → the next skill: π* = argmax E[Σ γᵗ R], re-solved after every outcome (eq. 19)."""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterator

from sayso.domain.model import Domain, Skill
from sayso.planning.belief import WorldBelief, begin
from sayso.planning.facts import Facts
from sayso.planning.mdp import Solution, value_iteration
from sayso.planning.plan import Plan
from sayso.planning.reasons import why_done, why_given_up, why_lacking
from sayso.planning.relevant import goal_of, relevant_skills
from sayso.planning.search import GIVE_UP, Compiler, Problem
from sayso.types import Action, Context, SkillCall


class Planner:
    """Compiles the domain, for each goal, to an MDP over the relevant facts and solves it by value iteration."""

    def __init__(self, domain: Domain, served: Collection[str] | None = None) -> None:
        """`served`: the skills of the domain that the robot really has; None: all of them."""
        self.domain = domain
        self._able = domain if served is None else domain.model_copy(update={"skills": _those(domain, served)})

    @property
    def complete(self) -> bool:
        """Whether the robot has all skills of the domain."""
        return len(self._able.skills) == len(self.domain.skills)

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
        ahead, value = self._best(self._able, goal, belief)
        if ahead:
            return Plan(action, "running", ahead, value)
        lacking = self._lacking(goal, belief)
        if lacking:
            return Plan(action, "failed", reason=why_lacking(self.domain, action, lacking), lacking=lacking)
        return Plan(action, "failed", reason=why_given_up(belief, action, goal))

    def _best(self, able: Domain, goal: Facts, belief: WorldBelief) -> tuple[tuple[SkillCall, ...], float]:
        """The expected calls to the goal with these skills, none if there is no way, and V(s)."""
        problem = Compiler(goal, relevant_skills(able, goal, belief), belief).problem()
        solution = value_iteration(problem.mdp)
        return tuple(way_ahead(problem, solution, goal)), float(solution.values[0])

    def _lacking(self, goal: Facts, belief: WorldBelief) -> tuple[str, ...]:
        """The skills that the robot lacks on the way that it would take with all of them. After a failure, that is the reason to give."""
        if self.complete or belief.last_failure is not None:
            return ()
        ahead, _ = self._best(self.domain, goal, belief)
        return tuple(dict.fromkeys(call.name for call in ahead if call.name not in self._able.skills))


def _those(domain: Domain, names: Collection[str]) -> dict[str, Skill]:
    return {name: skill for name, skill in domain.skills.items() if name in names}


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
        if problem.taken[choice] == GIVE_UP:
            continue
        for p, following, _ in problem.outcomes[choice]:
            if following not in closed and p > 0.0:
                heapq.heappush(open_states, (cost - math.log(p), following, (*path, problem.taken[choice])))
