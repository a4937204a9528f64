"""The MDP of an action. Where an object may be at many places, it has the first few of a good order, and the value of looking further.

The states of a search are the sets of places searched: 2ⁿ. After every outcome the window moves on, so nothing is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from sayso.planning.belief import WorldBelief
from sayso.planning.facts import Facts, GroundSkill, position
from sayso.planning.mdp import Solution, value_iteration
from sayso.planning.prospect import Prospect, persistent
from sayso.planning.relevant import hiding_places
from sayso.planning.search import Compiler, Problem, Spot
from sayso.planning.search_order import Search
from sayso.types import FloatArray

WINDOW = 4  # places of an object to look at in every order
PLACES = 64  # places to put in order; less probable ones follow once some of these are searched


@dataclass(frozen=True, slots=True)
class Solved:
    """An MDP and its solution."""

    problem: Problem
    solution: Solution
    relaxed: Callable[[], float]  # a bound on the value of every policy; it costs as much as the solution
    prospect: Callable[[], float]  # P(the goal is reached) under the policy

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
    return Solved(
        problem,
        solution,
        lambda: float(solution.values[0]) + solution.error if is_whole else belief.domain.rewards.goal,
        Prospect(problem, solution, goal, belief),
    )


def _far_search(goal: Facts, skills: tuple[GroundSkill, ...], belief: WorldBelief, thing: str, reachable: tuple[str, ...]) -> Solved:
    places = reachable[:PLACES]
    finds = _from_finds(Compiler(goal, skills, belief, frozenset()), thing, places)
    search = _search(goal, skills, belief, thing, places, finds)
    start, at = np.array(belief.xy), places.index(belief.at) if belief.at in places else -1
    order = search.best_order(start, at)
    window, rest = order[:WINDOW], order[WINDOW:]
    spots: frozenset[Spot] = frozenset((thing, places[number]) for number in window)
    missed = float(search.probability[window].sum())

    def there(place: str) -> FloatArray:
        return np.array(belief.xy if place == belief.at else position(belief.domain, place) or belief.xy)

    def further(place: str) -> float:
        return max(0.0, float(search.values(rest[None], there(place), missed=missed)[0]))

    def relaxed() -> float:
        sure = _from_finds(Compiler(goal, skills, belief, frozenset(), sure=True), thing, reachable)
        return _search(goal, skills, belief, thing, reachable, sure).bound(start, at)

    @cache
    def done() -> FloatArray:
        prospect = Prospect(finds.problem, finds.solution, goal, belief)
        return np.array([0.0 if state is None else prospect(state) for state in finds.states])

    def found_further(place: str) -> float:
        return search.chance(rest, there(place), missed, done())

    problem = Compiler(goal, skills, belief, spots, further).problem()
    solution = value_iteration(problem.mdp)
    return Solved(problem, solution, relaxed, Prospect(problem, solution, goal, belief, found_further))


class Finds(NamedTuple):
    """What follows once the object was found, wherever that is."""

    states: tuple[int | None, ...]  # for each place the number of the state in the problem; None where no skills find the object there
    problem: Problem
    solution: Solution


def _from_finds(compiler: Compiler, thing: str, places: tuple[str, ...]) -> Finds:
    states = [compiler.found(thing, place) for place in places]
    starts = tuple(dict.fromkeys(state for state in states if state is not None))
    problem = compiler.problem(starts)
    return Finds(tuple(None if state is None else starts.index(state) for state in states), problem, value_iteration(problem.mdp))


def _search(goal: Facts, skills: tuple[GroundSkill, ...], belief: WorldBelief, thing: str, places: tuple[str, ...], finds: Finds) -> Search:
    """The search for an object. If what was found surely stays found, the value is too high rather than too low; else too low."""
    rewards = belief.domain.rewards
    per_second = rewards.hour / 3600.0
    look = next(skill for skill in skills if skill.senses == thing)
    drives = {skill.destination: skill for skill in skills if skill.destination}
    worth = [
        rewards.goal if goal <= state.facts else rewards.discount * float(value)
        for state, value in zip(finds.problem.states, finds.solution.values, strict=True)
    ]
    to_each = [drives.get(place) for place in places]
    costs = [per_second * belief.pace(drive) if drive else 0.0 for drive in to_each]  # of a second that the domain expects
    return Search(
        probability=np.array([belief.probability(thing, place) for place in places]),
        found=np.array([0.0 if state is None else worth[state] for state in finds.states]),
        xy=np.array([position(belief.domain, place) or belief.xy for place in places]),
        drive_success=np.array([belief.success(drive) if drive else 0.0 for drive in to_each]),
        arrival=np.array([persistent(belief, drive) if drive else 0.0 for drive in to_each]),
        drive_cost=np.array([cost * drive.seconds if drive else 0.0 for cost, drive in zip(costs, to_each, strict=True)]),
        metre_cost=np.array([cost / drive.speed if drive and drive.speed else 0.0 for cost, drive in zip(costs, to_each, strict=True)]),
        look_cost=per_second * belief.pace(look, "") * look.seconds,
        detection=look.success,
        false_alarm=look.false_alarm,
        excluded=look.excluded,
        discount=rewards.discount,
    )
