"""Action + context + belief of the world → the next skill: π* = argmax E[Σ γᵗ R], re-solved after every outcome (eq. 19)."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Sequence

from sayso.domain.model import Domain, Skill
from sayso.planning.belief import WorldBelief, begin
from sayso.planning.errands import together
from sayso.planning.experience import Experience
from sayso.planning.facts import Facts, GroundSkill
from sayso.planning.mdp import Solution
from sayso.planning.plan import Plan
from sayso.planning.reasons import why_done, why_given_up, why_lacking
from sayso.planning.relevant import goal_of, relevant_skills
from sayso.planning.search import Problem
from sayso.planning.window import Solved, solve
from sayso.types import Action, Context, SkillCall

Solver = Callable[[Facts, tuple[GroundSkill, ...], WorldBelief], Solved]


class Planner:
    """Compiles the domain, for each goal, to an MDP over the relevant facts and solves it by value iteration."""

    def __init__(
        self, domain: Domain, served: Collection[str] | None = None, solver: Solver = solve, experience: Experience | None = None
    ) -> None:
        """Prepare.

        Args:
            domain: the home.
            served: the skills of the domain that the robot really has; None: all of them.
            solver: finds the policy for a goal.
            experience: what was learnt about the skills; None: nothing.
        """
        self.experience = experience or Experience()
        self.domain = self.experience.displaced(domain)
        self._able = self.domain if served is None else self.domain.model_copy(update={"skills": _those(domain, served)})
        self._solve = solver

    @property
    def complete(self) -> bool:
        """Whether the robot has all skills of the domain."""
        return len(self._able.skills) == len(self.domain.skills)

    def begin(self, action: Action, context: Context, before: WorldBelief | None = None) -> WorldBelief:
        """The initial belief of the action; `before` is the belief after the previous action of the sentence."""
        return begin(self.domain, action, context, before, self.experience)

    def together(self, actions: Sequence[Action], belief: WorldBelief) -> tuple[Action, ...]:
        """The first of the actions, with those after it that are done together."""
        return together(self._able, actions, belief)

    def __call__(self, action: Action, belief: WorldBelief, goal: Facts | None = None) -> Plan:
        """The plan under this belief; its status says if the goal is reached or unreachable. `goal`: a step on the action's way."""
        goal = goal or goal_of(self.domain, action)
        if not goal:
            return Plan(action, "failed", reason=why_given_up(belief, action, frozenset()))
        if goal <= belief.facts:
            return Plan(action, "succeeded", reason=why_done(belief, action))
        solved = self._solve(goal, relevant_skills(self._able, goal, belief, action), belief)
        ahead = tuple(way_ahead(solved.problem, solved.solution, goal))
        if ahead:
            return Plan(action, "running", ahead, solved.value, solved.bound, solved.prospect())
        lacking = self._lacking(action, goal, belief)
        if lacking:
            return Plan(action, "failed", reason=why_lacking(self.domain, action, lacking), lacking=lacking)
        return Plan(action, "failed", reason=why_given_up(belief, action, goal))

    def _lacking(self, action: Action, goal: Facts, belief: WorldBelief) -> tuple[str, ...]:
        """The skills that the robot lacks on the way that it would take with all of them. After a failure, that is the reason to give."""
        if self.complete or belief.last_failure is not None:
            return ()
        solved = self._solve(goal, relevant_skills(self.domain, goal, belief, action), belief)
        ahead = way_ahead(solved.problem, solved.solution, goal)
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
        for p, following, _ in problem.outcomes[choice]:
            if following not in closed and p > 0.0:
                heapq.heappush(open_states, (cost - math.log(p), following, (*path, problem.taken[choice])))
