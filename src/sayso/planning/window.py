"""The MDP of an action. Where an object may be at many places, it has the first few of a good order, and the value of looking further.

The states of a search are the sets of places searched: 2ⁿ. After every outcome the window moves on, so nothing is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sayso.planning.belief import WorldBelief
from sayso.planning.facts import Facts, GroundSkill, position
from sayso.planning.mdp import Solution, value_iteration
from sayso.planning.relevant import hiding_places
from sayso.planning.search import Compiler, Problem, Spot
from sayso.planning.search_order import Search

WINDOW = 4  # places of an object to look at in every order
PLACES = 64  # places to put in order; less probable ones follow once some of these are searched


@dataclass(frozen=True, slots=True)
class Solved:
    """An MDP and its solution."""

    problem: Problem
    solution: Solution
    relaxed: Callable[[], float]  # a bound on the value of every policy; it costs as much as the solution

    @property
    def bound(self) -> float:
        """What no policy exceeds."""
        return max(self.value, self.relaxed())

    @property
    def value(self) -> float:
        """V(s) of the policy found; the best one's is between this and `bound`."""
        return float(self.solution.values[0])


def solve(goal: Facts, skills: tuple[GroundSkill, ...], belief: WorldBelief) -> Solved:
    """The best policy for a goal under this belief."""
    reached = {skill.destination for skill in skills if belief.success(skill)}
    hidden = {
        skill.senses: tuple(place for place in hiding_places(skill.senses, belief) if place in reached or place == belief.at)
        for skill in skills
        if skill.senses
    }
    (thing, places), *others = hidden.items() or (("", ()),)
    if len(places) > WINDOW and not others:
        return _far_search(goal, skills, belief, thing, places)
    spots = frozenset((each, place) for each, found in hidden.items() for place in found[:WINDOW])
    problem = Compiler(goal, skills, belief, spots).problem()
    solution = value_iteration(problem.mdp)
    is_whole = all(len(found) <= WINDOW for found in hidden.values())
    return Solved(problem, solution, lambda: float(solution.values[0]) + solution.error if is_whole else belief.domain.rewards.goal)


def _far_search(goal: Facts, skills: tuple[GroundSkill, ...], belief: WorldBelief, thing: str, reachable: tuple[str, ...]) -> Solved:
    places = reachable[:PLACES]
    search = _search(goal, skills, belief, thing, places, sure=False)
    start, at = np.array(belief.xy), places.index(belief.at) if belief.at in places else -1
    order = search.best_order(start, at)
    window, rest = order[:WINDOW], order[WINDOW:]
    spots: frozenset[Spot] = frozenset((thing, places[number]) for number in window)
    missed = float(search.probability[window].sum())

    def further(place: str) -> float:
        here = belief.xy if place == belief.at else position(belief.domain, place) or belief.xy
        return max(0.0, float(search.values(rest[None], np.array(here), missed=missed)[0]))

    def relaxed() -> float:
        return _search(goal, skills, belief, thing, reachable, sure=True).bound(start, at)

    problem = Compiler(goal, skills, belief, spots, further).problem()
    return Solved(problem, value_iteration(problem.mdp), relaxed)


def _search(
    goal: Facts, skills: tuple[GroundSkill, ...], belief: WorldBelief, thing: str, places: tuple[str, ...], *, sure: bool
) -> Search:
    """The search for an object. If `sure`, what was found stays found, and the value is too high rather than too low; else too low."""
    rewards = belief.domain.rewards
    per_second = rewards.hour / 3600.0
    compiler = Compiler(goal, skills, belief, frozenset(), sure=sure)
    look = next(skill for skill in skills if skill.senses == thing)
    drives = {skill.destination: skill for skill in skills if skill.destination}
    states = [compiler.found(thing, place) for place in places]
    starts = tuple(dict.fromkeys(state for state in states if state is not None))
    values = value_iteration(compiler.problem(starts).mdp).values[: len(starts)]
    worth = {
        state: rewards.goal if goal <= state.facts else rewards.discount * float(value) for state, value in zip(starts, values, strict=True)
    }
    to_each = [drives.get(place) for place in places]
    costs = [per_second * belief.pace(drive) if drive else 0.0 for drive in to_each]  # of a second that the domain expects
    return Search(
        probability=np.array([belief.probability(thing, place) for place in places]),
        found=np.array([worth.get(state, 0.0) if state is not None else 0.0 for state in states]),
        xy=np.array([position(belief.domain, place) or belief.xy for place in places]),
        drive_success=np.array([belief.success(drive) if drive else 0.0 for drive in to_each]),
        drive_cost=np.array([cost * drive.seconds if drive else 0.0 for cost, drive in zip(costs, to_each, strict=True)]),
        metre_cost=np.array([cost / drive.speed if drive and drive.speed else 0.0 for cost, drive in zip(costs, to_each, strict=True)]),
        look_cost=per_second * belief.pace(look, "") * look.seconds,
        detection=look.success,
        excluded=look.excluded,
        discount=rewards.discount,
    )
