"""With too little charge an errand is not begun, and one that is under way ends; going to the dock and speaking always work."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from robot_double import at_home
from sayso.domain import load_domain
from sayso.domain.battery import BatteryModel
from sayso.domain.model import Domain
from sayso.planning import Planner, Task
from sayso.planning.charge import expected_use
from sayso.types import Action, Context, SkillCall, SkillOutcome

HOME = load_domain()
SOFA = Context(x=1.42, y=1.85, place="sofa")
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
GO, GO_TO_DOCK, DOCK = Action("go_to", (("goal", "kitchen"),)), Action("go_to", (("goal", "dock"),)), Action("dock")
GREET, WAIT, STOP = Action("greet", (("message", "hello"), ("recipient", "operator"))), Action("wait", (("extent", "5"),)), Action("stop")
TURN = Action("turn", (("direction", "left"), ("extent", "1")))
DECLINED = "My battery is at 3%. That would take about 1%, and I keep 5% in reserve: I should charge first."


def begun(*actions: Action, battery: float, domain: Domain = HOME) -> Task:
    return Task.start(Planner(domain), actions, replace(SOFA, battery=battery))


def home_with(battery: BatteryModel | None) -> Domain:
    return HOME.model_copy(update={"battery": battery})


@pytest.mark.parametrize("actions", [(BRING,), (GO,), (TURN,), (GREET, BRING), (GO, DOCK)])
def test_at_three_per_cent_nothing_that_moves_begins_and_the_reason_names_charge_and_need(actions: tuple[Action, ...]) -> None:
    task = begun(*actions, battery=0.03)
    assert (task.status, task.next, task.done) == ("failed", None, ())
    assert task.reason == DECLINED


@pytest.mark.parametrize("action", [DOCK, GO_TO_DOCK, GREET, WAIT, STOP])
def test_the_way_to_the_dock_speaking_waiting_and_stopping_work_at_any_charge(action: Action) -> None:
    assert begun(action, battery=0.0).status == "running"


@pytest.mark.parametrize(("battery", "domain"), [(1.0, HOME), (0.2, HOME), (math.nan, HOME), (0.03, home_with(None))])
def test_enough_charge_or_an_unknown_one_or_a_home_without_a_battery_changes_nothing(battery: float, domain: Domain) -> None:
    assert begun(BRING, battery=battery, domain=domain).ahead(SOFA) == begun(BRING, battery=1.0, domain=home_with(None)).ahead(SOFA)


def test_an_errand_needs_its_driving_its_time_the_way_to_the_dock_and_the_reserve() -> None:
    battery = BatteryModel(idle_hours=1, metres=500, reserve=0.1)
    start, kitchen, dock = (SOFA.x, SOFA.y), HOME.places["kitchen"].pose[:2], HOME.places["dock"].pose[:2]
    there, back = math.dist(start, kitchen), math.dist(kitchen, dock)
    need = (there + back) / 500 + (6 + there / 0.4 + 40) / 3600 + 0.1
    assert begun(GO, battery=need - 0.001, domain=home_with(battery)).status == "failed"
    assert begun(GO, battery=need + 0.001, domain=home_with(battery)).status == "running"


def test_a_sentence_that_ends_at_the_dock_needs_no_further_way_there() -> None:
    calls = (SkillCall("navigate_to", (("goal", "kitchen"),)), SkillCall("dock"))
    battery = BatteryModel(idle_hours=1, metres=500, reserve=0.1)
    used, end = expected_use(HOME, battery, calls, (SOFA.x, SOFA.y))
    assert end == HOME.places["dock"].pose[:2]
    assert begun(GO, DOCK, battery=used + 0.101, domain=home_with(battery)).status == "running"


def test_a_home_without_a_dock_keeps_the_reserve_alone() -> None:
    places = {name: place for name, place in HOME.places.items() if name != "dock"}
    domain = HOME.model_copy(update={"places": places})
    assert begun(TURN, battery=0.052, domain=domain).status == "running"
    assert begun(TURN, battery=0.049, domain=domain).status == "failed"


def test_an_errand_ends_with_the_reason_when_the_charge_falls_below_the_way_to_the_dock() -> None:
    task = begun(BRING, battery=0.5)
    there = replace(SOFA, battery=0.051)
    task = task.after(SkillOutcome(task.next, succeeded=True), there)
    assert (task.status, task.next) == ("failed", None)
    assert task.reason == "I stopped because my battery is at 5%. I should charge now."


def test_of_several_things_none_more_is_fetched_once_the_charge_is_low() -> None:
    both = (BRING, Action("bring", (("recipient", "operator"), ("theme", "bread"))))
    task = begun(*both, battery=0.5)
    task = task.after(SkillOutcome(task.next, succeeded=True), replace(SOFA, battery=0.04))
    assert (task.status, task.next) == ("failed", None)


def test_what_is_done_is_done_also_with_a_low_charge() -> None:
    task = begun(GO, battery=0.5)
    assert task.after(SkillOutcome(task.next, succeeded=True), replace(SOFA, battery=0.01)).status == "succeeded"


def test_the_robot_rests_when_its_charge_ends_the_errand() -> None:
    runner, robot = at_home()
    runner.battery.read(0.5)
    task = Task.start(Planner(runner._body.domain), (Action("go_to", (("goal", "counter"),)),), runner.context(robot.time))
    runner.start(task.next)
    while not task.out_of_charge(runner.context(robot.time)):
        assert runner.tick(robot.time) is None
        robot.advance()
        runner.battery.read(0.04 if robot.time > 3.0 else 0.5)
    assert robot.speeds != (0.0, 0.0)
    outcome = runner.cancel()
    assert robot.speeds == (0.0, 0.0)
    task = task.after(outcome, runner.context(robot.time))
    assert task.reason == "I stopped because my battery is at 4%. I should charge now."
