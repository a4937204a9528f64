"""Worlds of the searches: the apartment with shelves, and errands that are carried out there as the planner believes that the world is."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from sayso.domain import load_domain
from sayso.domain.model import Domain, Rewards
from sayso.planning import Planner, Task, WorldBelief
from sayso.planning.experience import PRIOR_TRIALS
from sayso.planning.facts import GroundSkill, ground_skill, position, travel_seconds
from sayso.planning.mdp import value_iteration
from sayso.planning.relevant import hiding_places
from sayso.planning.search import Problem
from sayso.planning.window import Solved
from sayso.types import Action, Context, SkillOutcome

THING = "red_cup"
ACTIONS = (Action("bring", (("recipient", "operator"), ("theme", THING))), Action("find", (("theme", THING),)))
START = Context(x=0.0, y=0.0)
REWARDS = Rewards()
LONGEST = 400  # calls


def home_with(places: int, half: float, chance: random.Random, objects: int = 0) -> Domain:
    """The apartment with shelves at random positions up to `half` m from its origin, and so many more objects."""
    positions = [(chance.uniform(-half, half), chance.uniform(-half, half)) for _ in range(places)]
    home = with_shelves(positions, [chance.random() ** 2 + 0.01 for _ in range(places)])
    shelves = list(home.objects[THING].usual)
    more = {f"thing_{n}": home.objects[THING].model_copy(update={"usual": {chance.choice(shelves): 1.0}}) for n in range(objects)}
    return home.model_copy(update={"objects": {**home.objects, **more}})


def row_of(places: int, gap: float, _: random.Random) -> Domain:
    """The apartment with equally probable shelves in a row, `gap` m apart."""
    return with_shelves([(gap * number, 0.0) for number in range(places)], [1.0] * places)


def with_shelves(positions: list[tuple[float, float]], weights: list[float]) -> Domain:
    """The apartment with shelves there, where the red cup is with these weights."""
    home = load_domain()
    made = {
        f"shelf_{number}": home.places["counter"].model_copy(update={"pose": (x, y, 0.0), "inside": ""})
        for number, (x, y) in enumerate(positions)
    }
    cup = home.objects[THING].model_copy(update={"usual": dict(zip(made, weights, strict=True))})
    return home.model_copy(update={"places": {**home.places, **made}, "objects": {**home.objects, THING: cup}})


Success = Callable[[GroundSkill], float]


def alike(skill: GroundSkill) -> float:
    """As often as the domain says."""
    return skill.success


def of_its_own(chance: random.Random) -> Success:
    """Each call has a success of its own, drawn from the planner's prior (equation 20)."""
    return cache(lambda skill: chance.betavariate(PRIOR_TRIALS * skill.success, PRIOR_TRIALS * (1.0 - skill.success)))


@dataclass(frozen=True)
class CarriedOut:
    """One errand."""

    reward: float  # discounted
    done: bool  # in truth
    promised: tuple[float, ...]  # P(done) that each plan announced, first to last


def places_to_look(skills: tuple[GroundSkill, ...], belief: WorldBelief) -> list[str]:
    """Where the thing may be and the robot can go, the most probable place first."""
    reached = {skill.destination for skill in skills if belief.success(skill)} | {belief.at}
    return [place for place in hiding_places(THING, belief) if place in reached]


def solved(problem: Problem) -> Solved:
    """A baseline's problem with its solution, and no bound."""
    return Solved(problem, value_iteration(problem.mdp), lambda: REWARDS.goal, lambda: math.nan)


def mean_within(values: Sequence[float]) -> tuple[float, tuple[float, float]]:
    """The mean and its 95 % interval."""
    mean = statistics.mean(values)
    error = 1.96 * statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return mean, (mean - error, mean + error)


def carried_out(planner: Planner, action: Action, truth: str, chance: random.Random, success: Success = alike) -> CarriedOut:
    """One errand with the red cup at `truth`, with the luck of `chance`; `success`: P(a skill succeeds) that looks for nothing."""
    domain = planner.domain
    task, xy, reward, discount = Task.start(planner, (action,), START), (START.x, START.y), 0.0, 1.0
    held, promised = False, list[float]()
    for _ in range(LONGEST):
        if task.next is None:
            break
        promised.append(task.plan.p_done)
        skill = ground_skill(domain, task.next)
        seconds = skill.seconds
        if skill.destination:
            to = position(domain, skill.destination)
            seconds += travel_seconds(xy, to, skill.speed)
        luck = chance.random()
        done = luck < success(skill)
        is_here = task.belief.at == truth
        if skill.senses:
            done = luck < (skill.success if is_here else skill.false_alarm)
        if skill.call.name == "pick":
            done = done and is_here
            held = held or done
        if skill.destination and done and to is not None:
            xy = to
        task = task.after(SkillOutcome(skill.call, done), Context(x=xy[0], y=xy[1]))
        reward -= discount * REWARDS.hour / 3600.0 * seconds
        discount *= REWARDS.discount
    right = task.status == "succeeded" and (held or task.belief.sighted.get(THING) == truth)
    return CarriedOut(reward + (discount / REWARDS.discount * REWARDS.goal if right else 0.0), right, tuple(promised))
