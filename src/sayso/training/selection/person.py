"""The result of a decision, with a simulated person who answers questions truthfully."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sayso.domain import Domain
from sayso.selection.choosing.outcomes import Abilities, missing_roles, outcomes_of
from sayso.selection.choosing.table import CandidateTable
from sayso.training.selection.meanings import ANYTHING, Goal, Meaning, goal_of
from sayso.types import Action, ActionBelief, Decision, FloatArray


@dataclass(frozen=True, slots=True)
class JudgedInteraction:
    """The result of one interaction."""

    decision: Decision
    right: bool  # the most probable action was meant, apart from arguments that were not said
    p: float  # posterior of the meant action
    wrong: bool  # something else was executed
    asked: bool
    utility: float  # 1: the right action


def judged(domain: Domain, belief: ActionBelief, meanings: tuple[Meaning, ...], *, always: bool = False) -> JudgedInteraction:
    """Judge the decision, or (`always`) executing the most probable action; `meanings` has one entry a request, none for chatter."""
    chosen = belief.chosen
    decision: Decision = belief.decision
    if always:
        decision = "execute" if chosen and all(_ready(domain, action) for action in chosen) else "reject"
    pairs = zip(chosen, meanings)  # noqa: B905 - of equal length if right
    right = len(chosen) == len(meanings) and all(
        is_meant(domain, goal_of(domain, action), meaning, loosely=True) for action, meaning in pairs
    )
    p = min((_probability(domain, belief, clause, meaning) for clause, meaning in enumerate(meanings)), default=1.0)
    wrong = decision == "execute" and not right
    return JudgedInteraction(
        decision, right, p, wrong, decision in ("confirm", "ask"), _utility(domain, belief, decision, meanings, right=right)
    )


def goals_of(domain: Domain, belief: ActionBelief, clause: int = 0) -> tuple[tuple[Goal, ...], FloatArray]:
    """The goals of a clause's candidates, and the posterior of each; of a plural, those of its first member."""
    mass: dict[Goal, float] = {}
    part = next((candidate.part for candidate in belief.candidates if candidate.clause == clause), 0)
    for candidate in belief.candidates:
        if (candidate.clause, candidate.part) == (clause, part):
            goal = goal_of(domain, candidate.action)
            mass[goal] = mass.get(goal, 0.0) + candidate.probability
    return tuple(mass), np.array(list(mass.values()), np.float64)


def is_meant(domain: Domain, goal: Goal, meaning: Meaning, *, loosely: bool = False) -> bool:
    """Whether the goal was meant; `loosely`: or will be, once missing arguments are given."""
    return any(_fits(goal_of(domain, action), goal, loosely=loosely) for action in meaning.actions)


def _probability(domain: Domain, belief: ActionBelief, clause: int, meaning: Meaning) -> float:
    goals, p = goals_of(domain, belief, clause)
    return float(sum(p[index] for index, goal in enumerate(goals) if is_meant(domain, goal, meaning, loosely=True)))


def _ready(domain: Domain, action: Action) -> bool:
    """Whether the robot can do it without further questions."""
    outcomes = outcomes_of(Abilities.of(domain), CandidateTable.of(domain, (action,)), np.ones(1), np.zeros(1, np.int64))
    return bool(outcomes.possible[0]) and not missing_roles(domain, action)


def _fits(wanted: Goal, done: Goal, *, loosely: bool = False) -> bool:
    """Whether the literals are equal; `loosely`: `done` may lack arguments, which an answer will give."""
    ours, theirs = sorted(wanted), sorted(done)
    return len(ours) == len(theirs) and all(
        name == other and len(values) == len(others) and all(_same(*pair, loosely=loosely) for pair in zip(values, others, strict=True))
        for (name, values), (other, others) in zip(ours, theirs, strict=True)
    )


def _same(wanted: str, done: str, *, loosely: bool) -> bool:
    return wanted in (done, ANYTHING) or (loosely and not done) or _same_number(wanted, done)


def _same_number(wanted: str, done: str) -> bool:
    try:
        return math.isclose(float(wanted), float(done), rel_tol=1e-3)
    except ValueError:
        return False


def _utility(domain: Domain, belief: ActionBelief, decision: Decision, meanings: tuple[Meaning, ...], *, right: bool) -> float:
    """1 for the right action; the domain's costs for a mistake, a question and a request that is not done."""
    costs = domain.decisions
    if decision == "execute":
        return 1.0 if right else -max(_cost(domain, action) for action in belief.chosen)
    possible = bool(meanings) and all(meaning.possible for meaning in meanings)
    undone = -costs.reject if possible else 0.0
    if decision == "reject":
        return 1.0 if right and meanings and not possible else undone
    question = costs.confirm if decision == "confirm" else costs.ask
    offered = [goal_of(domain, option) for option in belief.options]
    meant = [goal_of(domain, action) for meaning in meanings if meaning.possible for action in meaning.actions]
    found = any(_fits(wanted, goal, loosely=True) for goal in offered for wanted in meant)
    return (1.0 if found else undone) - question


def _cost(domain: Domain, action: Action) -> float:
    care = max((domain.objects[value].care for _, value in action.arguments if value in domain.objects), default=1.0)
    return domain.actions[action.name].wrong * care
