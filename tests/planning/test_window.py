"""A search of many places: nothing is left out, and the first step is the best one."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from sayso.domain import load_domain
from sayso.domain.model import Domain
from sayso.planning import Planner, Task
from sayso.planning.facts import Facts
from sayso.planning.mdp import value_iteration
from sayso.planning.relevant import goal_of, hiding_places, relevant_skills
from sayso.planning.search import Compiler
from sayso.planning.window import PLACES, solve
from sayso.types import Action, Context, SkillCall, SkillOutcome

HOME = load_domain()
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
FIND = Action("find", (("theme", "red_cup"),))
START = Context(x=0.0, y=0.0)


def home_with(shelves: list[tuple[float, float, float]]) -> Domain:
    """The apartment with shelves at these positions (m), where the red cup is with these weights."""
    table = HOME.places["counter"]
    made = {f"shelf_{n}": table.model_copy(update={"pose": (x, y, 0.0), "inside": ""}) for n, (x, y, _) in enumerate(shelves)}
    usual = {f"shelf_{n}": weight for n, (*_, weight) in enumerate(shelves)}
    cup = HOME.objects["red_cup"].model_copy(update={"usual": usual})
    return HOME.model_copy(update={"places": {**HOME.places, **made}, "objects": {**HOME.objects, "red_cup": cup}})


@pytest.mark.parametrize(("count", "action"), [(5, BRING), (6, FIND), (7, BRING), (7, FIND)])
@pytest.mark.parametrize("seed", range(3))
def test_the_first_step_loses_less_than_a_thousandth_against_the_exact_optimum(count: int, action: Action, seed: int) -> None:
    chance = random.Random(f"{seed} {count} {action}")
    domain = home_with([(chance.uniform(-10, 10), chance.uniform(-10, 10), chance.random() ** 2 + 0.01) for _ in range(count)])
    belief = Planner(domain).begin(action, START)
    goal: Facts = goal_of(domain, action)
    skills = relevant_skills(domain, goal, belief)
    found = solve(goal, skills, belief)
    whole = Compiler(goal, skills, belief, frozenset(("red_cup", place) for place in hiding_places("red_cup", belief))).problem()
    exact = value_iteration(whole.mdp)
    best = float(exact.values[0])
    step = found.problem.skills[found.problem.taken[found.solution.choices[0]]].call
    q = whole.mdp.choice_values(exact.values)[: whole.mdp.first[1]]
    loss = best - next(value for value, taken in zip(q, whole.taken, strict=False) if taken >= 0 and whole.skills[taken].call == step)
    assert loss <= 0.001 * best
    assert 0.99 * best <= found.value <= best + 1e-4 <= found.bound + 2e-4


def searched(domain: Domain, succeeds: Callable[[SkillCall, str], bool]) -> tuple[Task, list[str]]:
    """The task after a search, and the places that the robot reached; `succeeds` gets each call and where the robot is."""
    task, at, visited = Task.start(Planner(domain), (FIND,), START), START, list[str]()
    for _ in range(200):
        if task.next is None:
            break
        call, done = task.next, succeeds(task.next, task.belief.at)
        if call.name == "navigate_to" and done:
            visited.append(str(call.argument("goal")))
            x, y, _ = domain.places[visited[-1]].pose
            at = Context(x=x, y=y)
        task = task.after(SkillOutcome(call, done, "blocked"), at)
    return task, visited


def test_forty_shelves_in_a_row_are_searched_one_after_the_other_until_the_cup_is_found() -> None:
    domain = home_with([(9.0 * n, 0.0, 1.0) for n in range(40)])
    task, visited = searched(domain, lambda call, at: call.name != "look_for" or at == "shelf_30")
    assert task.status == "succeeded"
    assert visited == [f"shelf_{n}" for n in range(31)]


def test_places_that_cannot_be_reached_are_left_out_and_the_others_searched() -> None:
    domain = home_with([(float(n), 0.0, 1.0) for n in range(8)])
    task, visited = searched(domain, lambda call, _: call.argument("goal") in ("shelf_2", "shelf_6"))
    assert (task.status, visited) == ("failed", ["shelf_2", "shelf_6"])


def test_a_home_with_more_places_than_can_be_put_in_order_is_searched_too() -> None:
    count = PLACES + 20
    domain = home_with([(n % 10, n // 10, 10.0 if n == count - 1 else 1.0) for n in range(count)])
    belief = Planner(domain).begin(FIND, START)
    plan, goal = Planner(domain)(FIND, belief), goal_of(domain, FIND)
    assert plan.status == "running"
    assert 0.0 < plan.value < plan.bound == solve(goal, relevant_skills(domain, goal, belief), belief).bound < domain.rewards.goal


def test_a_home_may_say_what_a_goal_is_worth_and_what_time_costs() -> None:
    hurried = HOME.model_copy(update={"rewards": HOME.rewards.model_copy(update={"hour": 2000.0})})
    assert Planner(HOME)(BRING, Planner(HOME).begin(BRING, START)).status == "running"
    assert Planner(hurried)(BRING, Planner(hurried).begin(BRING, START)).status == "failed"  # a minute costs more than the cup is worth
