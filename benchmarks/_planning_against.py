"""Errands with failing skills and wrong beliefs: the planner's reward against planners that know nothing of chance.

Homes and luck are those of _planning_promises.py, with a success of its own for each call. In three errands of ten the thing is at any of
its places alike, whatever the belief says. Every planner has the same belief, updated by Bayes' rule, and the same three tries of a call.

script: to the most probable place, look, take, bring; then to the next one. Determinise and replan (Yoon, Fern and Givan 2007): the thing
is where it most probably is, every skill succeeds, and the shortest plan in time is made anew after each outcome. The same by
unified-planning with pyperplan: the plan of the fewest skills, by A* with the heuristic LM-cut.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from _planning_promises import failing_home
from _planning_worlds import ACTIONS, START, THING, CarriedOut, carried_out, mean_within, of_its_own, places_to_look, solved
from sayso.console.bench import Row
from sayso.console.watch import counted
from sayso.planning import Experience, Planner, WorldBelief
from sayso.planning.facts import Fact, Facts, GroundSkill, without
from sayso.planning.planner import Solver
from sayso.planning.search import Compiler
from sayso.planning.window import Solved, solve
from sayso.types import ObjectBelief, SkillCall

WRONG = 0.3  # share of errands in which the belief says nothing about where the thing is
CLASSICAL = "unified-planning with pyperplan"
NEEDS = "pip install unified-planning up-pyperplan"


def rows(errands: int, script: Solver) -> Iterator[Row]:
    """Yield the rows of so many errands; `script` looks at the most probable place first."""
    solvers: dict[str, Solver] = {"ours": solve, "script": script, "determinise and replan": determinised}
    has_classical = find_spec("unified_planning") is not None and find_spec("up_pyperplan") is not None
    if has_classical:
        solvers[CLASSICAL] = classical
    found: dict[str, list[CarriedOut]] = {name: [] for name in solvers}
    ways = list[bool]()
    for number in counted(range(errands), "errands", errands):
        chance = random.Random(f"against {number}")
        domain, action = failing_home(chance), ACTIONS[number % len(ACTIONS)]
        whereabouts = Planner(domain).begin(action, START).objects[THING]
        places = [place for place in whereabouts.places if place in domain.places]
        usual = chance.choices(whereabouts.places, [float(p) for p in whereabouts.probabilities])[0]
        truth = chance.choice(places) if chance.random() < WRONG else usual
        ways.append(truth in places)
        for name, solver in solvers.items():
            luck = random.Random(number)
            found[name].append(carried_out(Planner(domain, solver=solver), action, truth, luck, of_its_own(random.Random(f"own {number}"))))
    reason = "" if has_classical else f"without {CLASSICAL}: {NEEDS}"
    yield from _told("reward", "", {name: [each.reward for each in errands] for name, errands in found.items()}, reason)
    there = [number for number, way in enumerate(ways) if way]
    done = {name: [100.0 * errands[number].done for number in there] for name, errands in found.items()}
    yield from _told("done, where the thing is somewhere", "%", done, reason)


def _told(what: str, unit: str, values: Mapping[str, list[float]], reason: str) -> Iterator[Row]:
    """The row of a measure, and of how much more it is than that of the best baseline, pair by pair. Ours is the first."""
    (_, ours), *others = values.items()
    (mean, spread), n = mean_within(ours), len(ours)
    means = {name: statistics.mean(each) for name, each in others}
    yield Row(
        f"{what}, errands with failing skills and wrong beliefs (spread: 95 % of the mean)",
        mean,
        unit,
        "higher",
        None,
        means,
        spread,
        n,
        reason,
    )
    best = max(means, key=lambda name: means[name])
    gain, spread = mean_within([one - other for one, other in zip(ours, values[best], strict=True)])
    yield Row(f"{what}: more than {best}, errand by errand", gain, unit, "higher", 0.0, {}, spread, n)


def determinised(goal: Facts, skills: tuple[GroundSkill, ...], belief: WorldBelief) -> Solved:
    """The fastest plan in a world without chance: the thing is where it most probably is, and every skill succeeds."""
    place = next(iter(places_to_look(skills, belief)), "")
    spots = frozenset({(THING, place)} if place else ())
    there = {THING: ObjectBelief(THING, (place,), np.ones(1))} if place else {}
    certain = replace(belief, objects={**belief.objects, **there}, trials={}, experience=Experience())
    sure = tuple(replace(skill, success=1.0, false_alarm=0.0) for skill in skills)
    return solved(Compiler(goal, sure, certain, spots, sure=True).problem())


def classical(goal: Facts, skills: tuple[GroundSkill, ...], belief: WorldBelief) -> Solved:
    """The same with the skills of the shortest plan that pyperplan finds, and no others."""
    place = next(iter(places_to_look(skills, belief)), "")
    calls = shortest_plan(goal, [skill for skill in skills if belief.success(skill)], belief, place)
    return determinised(goal, tuple(skill for skill in skills if skill.call in calls), belief)


def shortest_plan(goal: Facts, skills: list[GroundSkill], belief: WorldBelief, place: str) -> set[SkillCall]:
    """The skills of the plan of the fewest skills to a goal, by pyperplan; none if there is no plan.

    Args:
        goal: facts.
        skills: grounded, each an action with preconditions and effects; all succeed.
        belief: what holds now.
        place: where looking for the thing finds it.
    """
    from unified_planning.shortcuts import BoolType, Fluent, OneshotPlanner, Problem, get_environment

    get_environment().credits_stream = None
    known = belief.facts.union(goal, *(skill.adds | skill.requires for skill in skills))
    spots = {belief.at, place, *(skill.destination for skill in skills if skill.destination)}
    facts = {fact: Fluent(f"f{number}", BoolType()) for number, fact in enumerate(sorted(known, key=str))}
    at = {spot: Fluent(f"at{number}", BoolType()) for number, spot in enumerate(sorted(spots))}
    problem = Problem("errand")
    for fact, fluent in facts.items():
        problem.add_fluent(fluent, default_initial_value=fact in belief.facts)
    for spot, fluent in at.items():
        problem.add_fluent(fluent, default_initial_value=spot == belief.at)
    problem.add_actions([_action(f"a{number}", skill, facts, at, place) for number, skill in enumerate(skills)])
    for fact in goal:
        problem.add_goal(facts[fact])
    with OneshotPlanner(name="pyperplan", params={"search": "astar", "heuristic": "lmcut"}) as planner:
        plan = planner.solve(problem).plan
    return {skills[int(each.action.name[1:])].call for each in plan.actions} if plan is not None else set()


def _action(name: str, skill: GroundSkill, facts: Mapping[Fact, Any], at: Mapping[str, Any], place: str) -> Any:
    """A skill that succeeds, as an action of unified-planning."""
    from unified_planning.shortcuts import InstantaneousAction

    action, known = InstantaneousAction(name), frozenset(facts)
    for fact in skill.requires:
        action.add_precondition(facts[fact])
    if skill.senses:
        action.add_precondition(at[place])
    for fact in known - skill.adds - without(known, skill.removes):
        action.add_effect(facts[fact], False)
    for fact in skill.adds:
        action.add_effect(facts[fact], True)
    for spot, fluent in at.items() if skill.destination else ():
        action.add_effect(fluent, spot == skill.destination)
    return action
