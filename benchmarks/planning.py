"""Searches for an object at many places: the planner's reward, what it loses against the exact optimum, and how long it thinks.

Homes are the apartment with shelves at random positions and with random probabilities, drawn from fixed seeds; the object is where the
belief says that it may be, or nowhere. Skills fail as often as the domain says. So this is a test of the planner in its own model of the
world, not of the model. Rewards are discounted as by the planner (equation 19): the goal is worth 10, half an hour costs as much.

Baselines, in the same worlds with the same luck: the four most probable places alone, and two scripts that look at all
places: the most probable first, the nearest first. After the object was found, all do the same.

Planners that know nothing of chance: _planning_against.py. How often the planner keeps what it promises: _planning_promises.py. Robots
that learn how well their skills work: _planning_learnt.py. Value iteration alone: _planning_iteration.py.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import _planning_errands as errands
import _planning_iteration as iteration
from _planning_against import rows as against_rows
from _planning_learnt import rows as learnt_rows
from _planning_promises import rows as promise_rows
from _planning_worlds import ACTIONS, REWARDS, START, THING, carried_out, home_with, mean_within, places_to_look, row_of, solved
from sayso.console.bench import Row, part
from sayso.console.watch import counted
from sayso.domain.model import Domain
from sayso.errors import SaysoError
from sayso.planning import Planner, Task
from sayso.planning.facts import Facts, GroundSkill, position
from sayso.planning.mdp import value_iteration
from sayso.planning.planner import Solver
from sayso.planning.relevant import goal_of, hiding_places, relevant_skills
from sayso.planning.search import Compiler
from sayso.planning.window import WINDOW, Solved, solve
from sayso.types import ObjectBelief

SMALL = (5, 6, 7)  # places, where the exact optimum can be computed
HOMES: tuple[tuple[str, Callable[[random.Random], Domain], int], ...] = (
    ("8 places, 20 m × 20 m", partial(home_with, 8, 10.0), 100),
    ("24 places, 30 m × 30 m", partial(home_with, 24, 15.0), 100),
    ("40 places, 40 m × 40 m", partial(home_with, 40, 20.0), 100),
    ("40 equal places in a row, 9 m apart", partial(row_of, 40, 9.0), 40),
)


def run(quick: bool = False, only: str = "") -> Iterator[Row]:
    """Yield all rows; `only`: searches, against, promises, iteration, learnt or errands; --quick: few worlds."""
    sets = {
        "searches": _searches,
        "against": lambda quick: against_rows(20 if quick else 1000, script(_likely)),
        "promises": lambda quick: promise_rows(20 if quick else 1000),
        "iteration": iteration.rows,
        "learnt": lambda quick: learnt_rows(2 if quick else 40, 12 if quick else 120),
        "errands": errands.rows,
    }
    if only and only not in sets:
        raise SaysoError(f"no set '{only}'; there are: {', '.join(sets)}")
    for name, rows in sets.items():
        if only in ("", name):
            yield from part(name, partial(rows, quick))


def _searches(quick: bool) -> Iterator[Row]:
    """Searches for an object: reward, loss and time."""
    yield from _lost(2 if quick else 20)
    for what, make, worlds in HOMES:
        yield from _rewards(what, make, 3 if quick else worlds)
    yield from _times(3 if quick else 20)


def first_places(goal: Facts, skills: tuple[GroundSkill, ...], belief: Any) -> Solved:
    """The four most probable places, and nothing beyond."""
    spots = frozenset((THING, place) for place in hiding_places(THING, belief)[:WINDOW])
    return solved(Compiler(goal, skills, belief, spots).problem())


def script(key: Callable[[Any, str], float]) -> Solver:
    """Look at all places in the order of a key, and never give up before."""

    def next_place(goal: Facts, skills: tuple[GroundSkill, ...], belief: Any) -> Solved:
        places = sorted(places_to_look(skills, belief), key=lambda place: key(belief, place))
        spots = frozenset((THING, place) for place in places[:1])
        return solved(Compiler(goal, skills, belief, spots, (lambda _: REWARDS.goal / 2) if len(places) > 1 else None).problem())

    return next_place


def _likely(belief: Any, place: str) -> float:
    return -float(belief.probability(THING, place))


def _near(belief: Any, place: str) -> float:
    return math.dist(position(belief.domain, place) or belief.xy, belief.xy)


SOLVERS: dict[str, Solver] = {
    "ours": solve,
    "the four most probable places": first_places,
    "script: the most probable first": script(_likely),
    "script: the nearest first": script(_near),
}


def _lost(worlds: int) -> Iterator[Row]:
    """What the first step loses against the exact optimum over all orders of places."""
    lost: dict[str, list[float]] = {name: [] for name in SOLVERS}
    gaps = []
    for number in counted(range(worlds), "homes with an exact optimum"):
        for places in SMALL:
            for action in ACTIONS:
                domain = home_with(places, 10.0, random.Random(f"{number} {places}"))
                belief = Planner(domain).begin(action, START)
                goal = goal_of(domain, action)
                skills = relevant_skills(domain, goal, belief)
                whole = Compiler(goal, skills, belief, frozenset((THING, place) for place in hiding_places(THING, belief))).problem()
                exact = value_iteration(whole.mdp, 1e-9)
                best = float(exact.values[0])
                q = whole.mdp.choice_values(exact.values)[: whole.mdp.first[1]]
                worth = {whole.skills[taken].call: float(value) for value, taken in zip(q, whole.taken, strict=False) if taken >= 0}
                for name, solver in SOLVERS.items():
                    found = solver(goal, skills, belief)
                    taken = found.problem.taken[found.solution.choices[0]]
                    lost[name].append(100.0 * (best - (worth[found.problem.skills[taken].call] if taken >= 0 else 0.0)) / best)
                found = solve(goal, skills, belief)
                gaps.append(100.0 * (found.bound - found.value) / best)
    n = len(lost["ours"])
    for which, of in (("mean", statistics.mean), ("largest", max)):
        others = {name: of(values) for name, values in lost.items() if name != "ours"}
        yield Row(f"value that the first step loses, {which}, 5–7 places", of(lost["ours"]), "%", "lower", 0.1, others, n=n)
    yield Row("bound − value, of the optimum, median, 5–7 places", statistics.median(gaps), "%", "lower", n=n)


def _rewards(what: str, make: Callable[[random.Random], Domain], worlds: int) -> Iterator[Row]:
    """Discounted reward and success of whole searches."""
    found: dict[str, list[tuple[float, bool]]] = {name: [] for name in SOLVERS}
    there = []
    for number in counted(range(worlds), f"searches, {what}"):
        chance = random.Random(f"{number} {what}")
        domain = make(chance)
        action = ACTIONS[number % len(ACTIONS)]
        belief: ObjectBelief = Planner(domain).begin(action, START).objects[THING]
        truth = chance.choices(belief.places, [float(p) for p in belief.probabilities])[0]
        there.append(truth in domain.places)
        for name, solver in SOLVERS.items():
            errand = carried_out(Planner(domain, solver=solver), action, truth, random.Random(number))
            found[name].append((errand.reward, errand.done))
    rewards = {name: [reward for reward, _ in each] for name, each in found.items()}
    done = {
        name: 100.0 * sum(ok for (_, ok), is_there in zip(each, there, strict=True) if is_there) / sum(there)
        for name, each in found.items()
    }
    mean = {name: statistics.mean(each) for name, each in rewards.items()}
    _, spread = mean_within(rewards["ours"])
    others = [name for name in SOLVERS if name != "ours"]
    yield Row(
        f"reward, {what} (spread: 95 % of the mean)",
        mean["ours"],
        "",
        "higher",
        None,
        {each: mean[each] for each in others},
        spread,
        worlds,
    )
    yield Row(
        f"found or brought, where it is somewhere, {what}",
        done["ours"],
        "%",
        "higher",
        None,
        {each: done[each] for each in others},
        n=sum(there),
    )


def _times(repeats: int) -> Iterator[Row]:
    """Processor time from the command to the first skill, without understanding it."""
    for what, places, half, objects, goal in (
        ("8 places", 8, 10.0, 0, 15.0),
        ("40 places", 40, 20.0, 0, None),
        ("200 places, 1,000 objects", 200, 40.0, 1000, 15.0),
    ):
        domain = home_with(places, half, random.Random(places), objects)
        taken = []
        for number in range(repeats):
            planner = Planner(domain)
            began = time.process_time()
            Task.start(planner, (ACTIONS[number % 2],), START)
            taken.append(1e3 * (time.process_time() - began))
        low, value, high = statistics.quantiles([*taken, *taken], n=4)
        yield Row(f"command → first skill, {what}, median of processor time", value, "ms", "lower", goal, spread=(low, high), n=repeats)
