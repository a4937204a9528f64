"""A gripper whose answer comes late, or never, although it has gripped: the robot finds out what it holds, and the errand goes on."""

from __future__ import annotations

import math

import pytest

from robot_double import TICK, at_home, run
from sayso.planning import Planner, Task
from sayso.robot import SkillRunner
from sayso.types import Action, SkillCall

CUP = (7.35, 2.2, 0.95)  # on the counter
GIVE = SkillCall("hand_over", (("recipient", "anna"), ("theme", "red_cup")))


def interrupted_in_mid_grasp(**state) -> tuple[SkillRunner, object]:
    """The goal of a pick ends while the arm moves, as when the planner is not heard for a quarter of a second."""
    runner, robot = at_home(x=6.4, things={"red_cup": CUP}, in_hand="", gripping=3.0, **state)
    assert run(runner, robot, "look_for", theme="red_cup").succeeded
    runner.start(SkillCall("pick", (("theme", "red_cup"),)))
    while not robot.gripped:
        assert runner.tick(robot.time) is None
        robot.advance()
    outcome = runner.cancel()
    assert outcome is not None
    assert not outcome.succeeded
    return runner, robot


@pytest.mark.parametrize("answers_lost", [False, True])
@pytest.mark.parametrize("skill", ["look_for", "pick"])
def test_after_a_grasp_that_was_cut_off_the_robot_waits_for_the_arm_and_finds_the_cup_in_its_hand(skill, answers_lost):
    runner, robot = interrupted_in_mid_grasp(answers_lost=answers_lost)
    looks, before = len(robot.looks), robot.time
    outcome = run(runner, robot, skill, theme="red_cup")
    assert outcome.succeeded, outcome.reason
    assert runner.context(robot.time).holding == "red_cup"
    assert len(robot.looks) == looks  # it does not search for what it holds
    assert len(robot.gripped) == 1
    assert robot.time - before < (16.0 if answers_lost else 3.5)


def test_a_grasp_whose_answer_is_lost_fails_with_the_reason_and_the_cup_is_known_to_be_held():
    runner, robot = at_home(x=6.4, things={"red_cup": CUP}, in_hand="", gripping=3.0, answers_lost=True)
    assert run(runner, robot, "look_for", theme="red_cup").succeeded
    outcome = run(runner, robot, "pick", theme="red_cup")
    assert outcome.reason == "the gripper did not answer within 15 s"
    assert run(runner, robot, "pick", theme="red_cup").succeeded
    assert runner.context(robot.time).holding == "red_cup"


def in_mid_release(**state) -> tuple[SkillRunner, object]:
    """The robot holds the red cup before anna, and its goal ends while the arm lets go."""
    runner, robot = at_home(x=1.6, y=3.2, yaw=math.pi, in_hand="red_cup", gripping=3.0, **state)
    runner.tick(robot.time)
    runner.start(GIVE)
    while not robot.gripped:
        assert runner.tick(robot.time) is None
        robot.advance()
    runner.cancel()
    return runner, robot


@pytest.mark.parametrize("answers_lost", [False, True])
def test_a_hand_over_that_was_cut_off_but_done_is_not_done_twice(answers_lost):
    runner, robot = in_mid_release(answers_lost=answers_lost)
    again = run(runner, robot, "hand_over", theme="red_cup", recipient="anna")
    assert again.succeeded, again.reason
    assert runner.context(robot.time).holding == ""
    assert len(robot.gripped) == 1


def test_a_hand_over_that_was_cut_off_and_not_done_is_done():
    runner, robot = in_mid_release(refusals=1)
    again = run(runner, robot, "hand_over", theme="red_cup", recipient="anna")
    assert again.succeeded, again.reason
    assert len(robot.gripped) == 2


def test_a_hand_that_is_empty_for_another_reason_gives_nobody_anything():
    runner, robot = in_mid_release(refusals=1)
    assert run(runner, robot, "navigate_to", goal="counter").succeeded
    robot.in_hand = ""
    robot.time += 3.0
    for _ in range(3):
        runner.tick(robot.time)
        robot.advance()
    again = run(runner, robot, "hand_over", theme="red_cup", recipient="anna")
    assert again.reason == "the robot does not hold the red cup: the hand is empty"


def test_a_hand_over_whose_answer_is_lost_fails_with_the_reason_and_its_repetition_finds_it_done():
    runner, robot = at_home(x=1.6, y=3.2, yaw=math.pi, in_hand="red_cup", gripping=3.0, answers_lost=True)
    runner.tick(robot.time)
    assert run(runner, robot, "hand_over", theme="red_cup", recipient="anna").reason == "the gripper did not answer within 15 s"
    assert run(runner, robot, "hand_over", theme="red_cup", recipient="anna").succeeded


@pytest.mark.parametrize("answers_lost", [False, True])
def test_an_errand_goes_on_and_ends_well_when_its_goal_is_cut_off_in_mid_grasp(answers_lost):
    runner, robot = at_home(x=6.4, things={"red_cup": CUP}, in_hand="", gripping=3.0, answers_lost=False)
    domain = runner._body.domain
    runner.tick(robot.time)
    bring = Action("bring", (("recipient", "anna"), ("theme", "red_cup")))
    task, cut = Task.start(Planner(domain), (bring,), runner.context(robot.time)), False
    for _ in range(30):
        if task.next is None:
            break
        runner.start(task.next)
        robot.answers_lost = answers_lost and not cut
        outcome = None
        while outcome is None:
            outcome = runner.tick(robot.time)
            robot.advance()
            if not cut and robot.gripped:
                outcome, cut = runner.cancel(), True
        task = task.after(outcome, runner.context(robot.time))
    assert cut
    assert task.status == "succeeded", task.reason
    assert [command for command, _ in robot.gripped] == ["grasp", "hand_over"]


def test_what_the_gripper_holds_is_read_also_if_ros_time_stands_still_while_it_grips():
    runner, robot = interrupted_in_mid_grasp()
    runner.start(SkillCall("pick", (("theme", "red_cup"),)))
    for _ in range(50):
        assert runner.tick(robot.time) is None
    robot.time += 3.0 + TICK
    for _ in range(5):
        outcome = runner.tick(robot.time)
        robot.advance()
        if outcome is not None:
            break
    assert outcome is not None
    assert outcome.succeeded
