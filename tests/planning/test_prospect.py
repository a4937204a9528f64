"""P(done): what a plan announces is how often it comes true in a world as the robot believes it to be."""

from __future__ import annotations

import math
import random

import pytest

from sayso.console.bench import load_benchmark
from sayso.domain import load_domain
from sayso.domain.model import Domain
from sayso.paths import project_root
from sayso.planning import Plan, Planner, Task
from sayso.planning.belief import WorldBelief
from sayso.planning.facts import Facts, ground_skill
from sayso.planning.prospect import Prospect, false_finds, persistent
from sayso.types import Action, Context, SkillCall, SkillOutcome

HOME = load_domain()
WORLDS = load_benchmark(project_root() / "benchmarks" / "_planning_worlds.py")
START = Context(x=2.6, y=2.3, place="living_room")
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
FIND = Action("find", (("theme", "red_cup"),))


def with_success(**success: float) -> Domain:
    changed = {name: HOME.skills[name].model_copy(update={"success": p}) for name, p in success.items()}
    return HOME.model_copy(update={"skills": {**HOME.skills, **changed}})


class RememberingPlanner(Planner):
    """Plans once under each belief: many errands begin alike."""

    def __init__(self, domain: Domain) -> None:
        super().__init__(domain)
        self._plans = dict[tuple[Action, str, Facts | None], Plan]()

    def __call__(self, action: Action, belief: WorldBelief, goal: Facts | None = None) -> Plan:
        key = action, repr(belief), goal
        if key not in self._plans:
            self._plans[key] = super().__call__(action, belief, goal)
        return self._plans[key]


def is_done(planner: Planner, action: Action, chance: random.Random) -> bool:
    """One errand in a world in which each call has its own success, drawn from the prior."""
    belief = planner.begin(action, WORLDS.START).objects["red_cup"]
    truth = chance.choices(belief.places, [float(p) for p in belief.probabilities])[0]
    return bool(WORLDS.carried_out(planner, action, truth, chance, WORLDS.of_its_own(chance)).done)


@pytest.mark.parametrize(
    ("action", "domain"),
    [(FIND, HOME), (BRING, HOME), (BRING, with_success(pick=0.4, navigate_to=0.8))],
    ids=["found", "brought", "brought by a poor arm on bad ways"],
)
def test_it_is_how_often_errands_are_done(action: Action, domain: Domain) -> None:
    chance, runs = random.Random(7), 250
    announced = Planner(domain)(action, Planner(domain).begin(action, WORLDS.START)).p_done
    planner = RememberingPlanner(domain)
    share = sum(is_done(planner, action, chance) for _ in range(runs)) / runs
    assert announced == pytest.approx(share, abs=3.0 * math.sqrt(announced * (1.0 - announced) / runs))


def test_each_failure_lowers_it_and_the_last_one_ends_it() -> None:
    planner, chances = Planner(with_success(pick=0.9)), list[float]()
    task = Task.start(planner, (BRING,), START)
    while task.next is not None and len(chances) < 20:
        if task.next.name == "pick":
            chances.append(task.plan.p_done)
        task = task.after(SkillOutcome(task.next, succeeded=task.next.name != "pick"), START)
    assert len(chances) == 3
    assert chances == sorted(chances, reverse=True)
    assert task.status == "failed"
    assert math.isnan(task.plan.p_done)


def test_a_thing_in_sight_is_surer_than_one_to_be_looked_for() -> None:
    planner = Planner(HOME)
    task = Task.start(planner, (BRING,), START)
    before = task.plan.p_done
    while task.next is not None and task.next.name != "pick":
        task = task.after(SkillOutcome(task.next, succeeded=True), START)
    assert 0.0 < before < task.plan.p_done <= 1.0


def test_a_skill_that_works_every_second_time_mostly_works_in_three_tries() -> None:
    belief = Planner(with_success(pick=0.5)).begin(BRING, START)
    pick = ground_skill(belief.domain, SkillCall("pick", (("theme", "red_cup"),)))
    assert persistent(belief, pick) == pytest.approx(1.0 - 0.5 * (1.0 - 1.5 / 4.0) * (1.0 - 1.5 / 5.0))


def test_a_look_that_never_deceives_has_no_false_finds() -> None:
    assert false_finds(found=0.3, detection=0.9, false_alarm=0.0) == 0.0
    assert false_finds(found=0.0, detection=0.9, false_alarm=0.02) == pytest.approx(0.02)
    assert false_finds(found=0.9, detection=0.9, false_alarm=0.02) == 0.0


class _Wandering(Prospect):
    """Follows the policy also where the goal is out of reach, because a skill is given up."""

    def _reaching(self, given_up: frozenset[int]) -> set[int]:
        return set(range(len(self._problem.states)))


@pytest.mark.parametrize("domain", [HOME, with_success(pick=0.4, navigate_to=0.8), with_success(hand_over=0.3)])
def test_what_is_out_of_reach_need_not_be_followed(domain: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    found = dict[type[Prospect], list[float]]()
    visited = dict[type[Prospect], int]()
    for kind in (Prospect, _Wandering):
        made = list[Prospect]()
        monkeypatch.setattr("sayso.planning.window.Prospect", lambda *of, kind=kind, made=made: made.append(kind(*of)) or made[-1])
        planner = Planner(domain)
        values = found.setdefault(kind, [])
        task = Task.start(planner, (BRING,), START)
        while task.next is not None and len(values) < 12:
            values.append(task.plan.p_done)
            task = task.after(SkillOutcome(task.next, succeeded=task.next.name != "pick"), START)
        visited[kind] = sum(len(each._known) for each in made)
    assert found[Prospect] == found[_Wandering]
    assert visited[Prospect] < visited[_Wandering]
