"""Tasks become due, wait, are missed, repeated and taken back; nothing becomes due while the robot is stopped."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.agenda import Agenda, DeferredTask, Facts, Now, Observable
from sayso.agenda.book import LATE, MOST
from sayso.agenda.times import DAY, HOUR
from sayso.agenda.wording import agenda_entry
from sayso.domain import load_domain
from sayso.types import Action

HOME = load_domain()
START = Now(100.0, 2e9)
KITCHEN, STUDY = (Action("go_to", (("goal", place),)) for place in ("kitchen", "study"))
COMES = Observable("seen", "anna", event=True, text="Anna comes")
HERE = Observable("seen", "anna", text="if Anna is here")
ANNA = Facts(visible=("anna",), idle=True)


def task(due: float = -math.inf, **fields: object) -> DeferredTask:
    given = {"created": START.wall, "created_ros": START.ros, **fields}
    return DeferredTask("", "u1", "as said", "go to the kitchen", (KITCHEN,), due=due, **given)  # type: ignore[arg-type]


def later(seconds: float) -> Now:
    return Now(START.ros + seconds, START.wall + seconds)


@pytest.fixture
def agenda() -> Agenda:
    return Agenda(HOME)


def states(agenda: Agenda) -> list[str]:
    return [each.state for each in agenda.tasks]


def test_a_task_is_due_at_its_time_and_stays_due_until_it_is_carried_out(agenda: Agenda) -> None:
    kept = agenda.add_task(task(START.wall + 60.0))
    assert kept.id == "1"
    assert agenda.due(later(59.9), Facts()) == ()
    (found,) = agenda.due(later(60.0), Facts())
    assert (found.id, found.state) == ("1", "due")
    assert agenda.due(later(3 * LATE), Facts()) == (found,)  # the robot was busy: it is not missed
    agenda.carry_out(found, later(61.0))
    assert agenda.due(later(62.0), Facts()) == ()
    assert states(agenda) == ["done"]


def test_a_delay_counts_on_the_robots_clock(agenda: Agenda) -> None:
    agenda.add_task(task(START.ros + 300.0, clock="ros"))
    assert agenda.due(Now(START.ros + 299.0, START.wall + 1e4), Facts()) == ()
    assert agenda.due(Now(START.ros + 300.0, START.wall + 1.0), Facts())


def test_tasks_come_in_the_order_of_their_times(agenda: Agenda) -> None:
    for seconds in (30.0, 10.0, 20.0):
        agenda.add_task(task(START.wall + seconds))
    assert [found.id for found in agenda.due(later(40.0), Facts())] == ["2", "3", "1"]


def test_an_event_must_come_after_the_words(agenda: Agenda) -> None:
    agenda.add_task(task(trigger=COMES))
    assert agenda.due(later(1.0), ANNA) == ()  # she is here already
    assert agenda.due(later(2.0), Facts()) == ()
    assert len(agenda.due(later(3.0), ANNA)) == 1


def test_a_state_may_hold_already(agenda: Agenda) -> None:
    agenda.add_task(task(trigger=replace(COMES, event=False)))
    assert agenda.due(later(1.0), Facts()) == ()
    assert len(agenda.due(later(2.0), ANNA)) == 1


def test_an_event_before_the_time_does_not_count(agenda: Agenda) -> None:
    agenda.add_task(task(START.wall + 60.0, trigger=COMES))
    assert agenda.due(later(1.0), Facts()) == ()
    assert agenda.due(later(2.0), ANNA) == ()
    assert agenda.due(later(61.0), ANNA) == ()
    assert agenda.due(later(62.0), Facts()) == ()
    assert len(agenda.due(later(63.0), ANNA)) == 1


def test_after_an_action_means_its_success(agenda: Agenda) -> None:
    agenda.add_task(task(trigger=Observable("finished", "dock", event=True)))
    assert agenda.due(later(1.0), Facts(finished=("go_to",))) == ()
    assert len(agenda.due(later(2.0), Facts(finished=("dock",)))) == 1


def test_before_an_action_it_is_asked_for(agenda: Agenda) -> None:
    kept = agenda.add_task(task(trigger=Observable("before", "dock")))
    assert agenda.due(later(1.0), ANNA) == ()
    assert agenda.before("go_to", later(1.0)) == ()
    assert agenda.before("dock", later(1.0)) == (kept,)
    agenda.carry_out(kept, later(1.0))
    assert agenda.before("dock", later(2.0)) == ()


@pytest.mark.parametrize(("facts", "found"), [(ANNA, "due"), (Facts(), "missed")])
def test_a_condition_is_checked_when_the_time_comes(agenda: Agenda, facts: Facts, found: str) -> None:
    agenda.add_task(task(START.wall + 60.0, guards=(HERE,)))
    agenda.due(later(1.0), Facts())
    agenda.due(later(60.0), facts)
    assert states(agenda) == [found]
    assert [each.reason for each in agenda.missed] == ["the condition was not met: if Anna is here"] * (found == "missed")


def test_a_condition_that_cannot_be_checked_is_not_taken_for_met(agenda: Agenda) -> None:
    agenda.add_task(task(START.wall + 60.0, guards=(Observable("robot_at", "kitchen", text="if I am in the kitchen"),)))
    assert agenda.due(later(60.0), Facts()) == ()
    assert agenda.missed[0].reason == "I could not tell: if I am in the kitchen"


def test_nothing_becomes_due_while_the_robot_is_stopped(agenda: Agenda) -> None:
    agenda.add_task(task(START.wall + 10.0))
    agenda.add_task(task(START.wall + 20.0))
    agenda.add_task(task(START.wall + 99.0))
    agenda.add_task(task(trigger=COMES))
    assert len(agenda.due(later(10.0), Facts())) == 1
    assert agenda.due(later(20.0), Facts(stopped=True, visible=("anna",))) == ()
    assert states(agenda) == ["missed", "missed", "waiting", "missed"]
    assert {each.reason for each in agenda.missed} == {"the robot was stopped"}
    assert agenda.due(later(21.0), ANNA) == ()  # after the stop nothing moves by itself
    assert [found.id for found in agenda.due(later(99.0), Facts())] == ["3"]


def test_a_repeated_task_waits_for_its_next_time(agenda: Agenda) -> None:
    agenda.add_task(task(START.wall + HOUR, period=DAY))
    (found,) = agenda.due(later(HOUR), Facts())
    agenda.carry_out(found, later(HOUR + 5.0))
    (kept,) = agenda.tasks
    assert (kept.state, kept.due) == ("waiting", START.wall + HOUR + DAY)
    agenda.due(later(HOUR + DAY), Facts(stopped=True))
    (kept,) = agenda.tasks
    assert (kept.state, kept.due) == ("waiting", START.wall + HOUR + 2 * DAY)
    assert kept.reason.endswith("the robot was stopped")
    agenda.not_done(kept.id, "the gripper is broken")
    assert [(each.state, each.reason) for each in agenda.tasks] == [("waiting", "the gripper is broken")]


def test_repetitions_end(agenda: Agenda) -> None:
    agenda.add_task(task(START.wall + 60.0, period=60.0, until=START.wall + 150.0))
    for seconds in (60.0, 120.0):
        (found,) = agenda.due(later(seconds), Facts())
        agenda.carry_out(found, later(seconds))
    assert states(agenda) == ["done"]


def test_a_task_that_failed_says_why(agenda: Agenda) -> None:
    kept = agenda.add_task(task(START.wall))
    agenda.carry_out(kept, later(1.0))
    agenda.not_done(kept.id, "the door is shut")
    assert [(each.state, each.reason) for each in agenda.tasks] == [("missed", "the door is shut")]
    agenda.not_done("99", "no such task")


def test_taking_back_by_id_by_action_by_utterance_and_all(agenda: Agenda) -> None:
    first, second, third = (agenda.add_task(replace(task(), actions=(action,))) for action in (KITCHEN, STUDY, KITCHEN))
    assert [each.id for each in agenda.take_back(second.id)] == ["2"]
    assert agenda.take_back(second.id) == ()
    assert agenda.take_back("u1") == ()  # an utterance is no id
    assert [each.id for each in agenda.take_back(KITCHEN)] == [first.id, third.id]
    assert states(agenda) == ["taken back"] * 3
    agenda.add_task(replace(task(), utterance_id="u2"))
    assert len(agenda.take_back_utterance("u2", "never mind")) == 1
    agenda.add_task(task())
    assert len(agenda.take_back("all")) == 1
    assert agenda.due(later(1e6), ANNA) == ()


def test_the_agenda_has_a_limit_and_forgets_what_is_long_over(agenda: Agenda) -> None:
    for _ in range(MOST):
        assert not agenda.full
        agenda.add_task(task(START.wall + 60.0))
    assert agenda.full
    agenda.take_back("all")
    for _ in range(3 * MOST):
        agenda.add_task(task(START.wall))
        agenda.take_back("all")
    assert len(agenda.tasks) <= MOST + 1
    assert not agenda.full


def test_a_row_of_the_list(agenda: Agenda) -> None:
    timed = agenda.add_task(task(START.ros + 300.0, clock="ros"))
    event = agenda.add_task(task(trigger=COMES, guards=(HERE,)))
    daily = agenda.add_task(task(START.wall + 60.0, period=DAY))
    rows = [agenda_entry(each, START) for each in (timed, event, daily)]
    assert [row.when for row in rows[:2]] == ["in 5 minutes", "when Anna comes if Anna is here"]
    assert rows[2].when.startswith("every day at ")
    assert [row.due for row in rows[:1]] == [START.wall + 300.0]
    assert math.isnan(rows[1].due)
    assert {(row.kind, row.what, row.text, row.state) for row in rows} == {("task", "go to the kitchen", "as said", "waiting")}


@given(
    st.lists(st.tuples(st.floats(0.0, 1e5), st.sampled_from([0.0, 60.0, DAY])), max_size=8), st.lists(st.floats(0.0, 400.0), max_size=30)
)
def test_a_task_is_never_early_and_never_lost(dues: list[tuple[float, float]], steps: list[float]) -> None:
    """Looked at often enough, each task is carried out once at each of its times, and none before."""
    agenda = Agenda(HOME)
    kept = {agenda.add_task(task(START.wall + due, period=period)).id: period for due, period in dues}
    now, done = 0.0, dict.fromkeys(kept, 0)
    for step in steps:
        now += step
        for found in agenda.due(later(now), Facts(idle=True)):
            assert found.due <= START.wall + now
            done[found.id] += 1
            agenda.carry_out(found, later(now))
    for found in agenda.tasks:
        if found.state == "waiting":
            assert found.due > START.wall + now or not steps
        assert done[found.id] <= 1 or kept[found.id]
    assert not [each for each in agenda.missed if each.reason != "the robot was off"]
