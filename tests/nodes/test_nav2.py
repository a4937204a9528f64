"""A drive by Nav2: deadlines and answers of one goal, with a client that answers as each test sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

from action_msgs.msg import GoalInfo, GoalStatus
from action_msgs.srv import CancelGoal
from rclpy.task import Future

from robot_double import KinematicRobot, run, small_map
from sayso.robot import Pose, SkillRunner
from sayso_nodes.nodes.nav2 import Nav2Travel, Patience, cause

pytestmark = pytest.mark.ros
PATIENCE = Patience(answer=2.0, silence=3.0, travel=60.0)


@dataclass
class Client:
    """An ActionClient whose answers come when the test gives them."""

    ready: bool = True
    answer: Future = field(default_factory=Future)  # to the goal
    result: Future = field(default_factory=Future)
    cancelled: Future = field(default_factory=Future)
    goals: list[Any] = field(default_factory=list)
    cancels: int = 0
    feedback: Any = None

    def server_is_ready(self) -> bool:
        return self.ready

    def send_goal_async(self, goal: Any, feedback_callback: Any) -> Future:
        self.goals.append(goal)
        self.feedback = feedback_callback
        return self.answer

    def accept(self, accepted: bool = True) -> None:
        handle = SimpleNamespace(accepted=accepted, get_result_async=lambda: self.result, cancel_goal_async=self.cancel)
        self.answer.set_result(handle)

    def cancel(self) -> Future:
        self.cancels += 1
        return self.cancelled

    def tell(self, rest: float) -> None:
        self.feedback(SimpleNamespace(feedback=SimpleNamespace(distance_remaining=rest)))

    def finish(self, status: int, **fields: Any) -> None:
        self.result.set_result(SimpleNamespace(status=status, result=SimpleNamespace(**fields)))


class Drive:
    """A travel, its client, a clock that the test moves, and the reasons given when the gate was closed."""

    def __init__(self, ready: bool = True) -> None:
        self.time, self.closed = 0.0, []
        self.client = Client(ready=ready)
        self.travel = Nav2Travel(self.client, "goal", lambda: self.time, PATIENCE, self.closed.append)

    def after(self, seconds: float) -> Nav2Travel:
        self.time += seconds
        self.travel.tick()
        return self.travel

    @property
    def reason(self) -> str | None:
        return self.travel.result() if self.travel.done() else None


@pytest.fixture
def drive() -> Drive:
    made = Drive()
    made.client.accept()
    return made


def test_the_goals_status_alone_says_that_the_robot_is_there(drive: Drive) -> None:
    drive.client.tell(0.0)
    assert drive.after(1.0).remaining == 0.0
    assert drive.reason is None
    drive.client.finish(GoalStatus.STATUS_SUCCEEDED)
    assert drive.reason == ""
    assert not drive.closed


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"error_code": 208, "error_msg": ""}, "Nav2 gave up: there is no way there (error 208)"),
        ({"error_code": 208, "error_msg": "the planner is on holiday\nat /opt"}, "Nav2 gave up: the planner is on holiday (error 208)"),
        ({"error_code": 9999, "error_msg": " "}, "Nav2 gave up (error 9999)"),
        ({"error_code": 0, "error_msg": ""}, "Nav2 gave up"),
        ({"result": "std_msgs/Empty of Humble"}, "Nav2 gave up"),
    ],
)
def test_an_aborted_goal_says_why_as_far_as_that_nav2_does(drive: Drive, fields: dict[str, Any], reason: str) -> None:
    drive.client.finish(GoalStatus.STATUS_ABORTED, **fields)
    assert drive.reason == reason
    assert not drive.closed


def test_a_cause_of_nothing_is_nothing() -> None:
    assert cause(object()) == ""


def test_a_refused_goal_says_so() -> None:
    drive = Drive()
    drive.client.accept(accepted=False)
    assert "refused the goal" in drive.reason


def test_a_server_that_comes_late_is_waited_for_and_one_that_never_comes_is_named() -> None:
    late = Drive(ready=False)
    late.after(1.9)
    late.client.ready = True
    late.after(0.05)
    assert late.client.goals == ["goal"]
    never = Drive(ready=False)
    assert never.after(2.1).result() == "no node serves navigate_to_pose: is Nav2 running?"
    assert never.client.goals == []


def test_a_goal_that_is_never_answered_closes_the_gate_for_it_may_be_driven_nevertheless() -> None:
    drive = Drive()
    drive.after(2.1)
    assert drive.reason is None  # it may still be accepted, and would then be cancelled
    drive.after(2.1)
    assert drive.reason == "Nav2 did not answer within 2 s; Nav2 did not stop within 2 s"
    assert drive.closed


def test_a_goal_that_is_accepted_after_it_was_given_up_is_cancelled() -> None:
    drive = Drive()
    drive.travel.cancel()
    assert drive.reason is None
    drive.client.accept()
    assert drive.client.cancels == 1
    lost = Drive()
    lost.after(2.1)
    lost.after(2.1)
    lost.client.accept()
    assert lost.client.cancels == 1


def test_a_cancelled_drive_is_over_when_its_result_is_there_and_not_before(drive: Drive) -> None:
    drive.travel.cancel()
    drive.client.cancelled.set_result(CancelGoal.Response(goals_canceling=[GoalInfo()]))
    drive.after(1.9)
    assert drive.reason is None
    drive.client.finish(GoalStatus.STATUS_CANCELED)
    assert drive.reason == "cancelled"
    assert drive.client.cancels == 1
    assert not drive.closed


def test_a_drive_that_arrives_while_it_is_cancelled_has_arrived(drive: Drive) -> None:
    drive.travel.cancel()
    drive.client.cancelled.set_result(CancelGoal.Response(return_code=CancelGoal.Response.ERROR_GOAL_TERMINATED))
    drive.client.finish(GoalStatus.STATUS_SUCCEEDED)
    assert drive.reason == ""


@pytest.mark.parametrize(
    "code", [CancelGoal.Response.ERROR_REJECTED, CancelGoal.Response.ERROR_UNKNOWN_GOAL_ID, CancelGoal.Response.ERROR_NONE]
)
def test_a_cancellation_that_is_refused_closes_the_gate(drive: Drive, code: int) -> None:
    drive.travel.cancel()
    drive.client.cancelled.set_result(CancelGoal.Response(return_code=code))
    assert drive.reason == f"cancelled; Nav2 refused to cancel the drive (code {code})"
    assert drive.travel.lost
    assert len(drive.closed) == 1


def test_silence_is_death_and_feedback_is_life(drive: Drive) -> None:
    for _ in range(5):
        drive.after(2.9)
        drive.client.tell(1.0)
    assert drive.client.cancels == 0
    drive.after(3.1)
    assert drive.client.cancels == 1
    drive.client.finish(GoalStatus.STATUS_CANCELED)
    assert drive.reason == "nothing was heard of Nav2 for 3 s"


def test_a_drive_that_takes_too_long_is_cancelled(drive: Drive) -> None:
    for _ in range(31):
        drive.client.tell(1.0)
        drive.after(2.0)
    assert drive.client.cancels == 1
    drive.client.finish(GoalStatus.STATUS_CANCELED)
    assert drive.reason == "Nav2 was not there after 60 s"


def test_a_server_that_goes_away_on_the_drive_closes_the_gate(drive: Drive) -> None:
    drive.client.ready = False
    drive.after(0.05)
    assert drive.reason == "Nav2 went away on the drive"
    assert drive.closed == ["Nav2 went away on the drive"]


@pytest.mark.parametrize("status", [GoalStatus.STATUS_UNKNOWN, GoalStatus.STATUS_EXECUTING])
def test_a_result_that_says_nothing_closes_the_gate(drive: Drive, status: int) -> None:
    drive.client.finish(status)
    assert "knows nothing of the goal" in drive.reason
    assert drive.closed


def test_a_goal_cancelled_by_another_client_is_no_success(drive: Drive) -> None:
    drive.client.finish(GoalStatus.STATUS_CANCELED)
    assert drive.reason == "another client cancelled Nav2's goal"


def test_an_error_of_the_client_is_a_reason(drive: Drive) -> None:
    drive.client.result.set_exception(RuntimeError("the network is down"))
    assert drive.reason == "Nav2 failed to drive: the network is down"
    assert drive.closed


@dataclass
class Ride:
    """A navigator that carries the kinematic robot to its goal at once, or fails with a reason."""

    robot: KinematicRobot
    reason: str = ""
    goals: list[Pose] = field(default_factory=list)
    remaining: float | None = None
    cancels: int = 0

    def __call__(self, goal: Pose) -> Ride:
        self.goals.append(goal)
        return self

    def done(self) -> bool:
        if not self.reason:
            self.robot.x, self.robot.y, self.robot.yaw = self.goals[-1].x, self.goals[-1].y, self.goals[-1].yaw
        return True

    def result(self) -> str:
        return self.reason

    def cancel(self) -> None:
        self.cancels += 1


def test_a_place_of_the_domain_is_the_goal_and_the_skills_go_on_from_there() -> None:
    robot = KinematicRobot(things={"red_cup": (7.35, 2.2, 0.95)})
    ride = Ride(robot)
    runner = SkillRunner(small_map(), robot, navigator=ride)
    assert run(runner, robot, "navigate_to", goal="counter").succeeded
    assert (ride.goals[0].x, ride.goals[0].y, ride.goals[0].yaw) == (6.4, 2.0, 0.0)
    assert run(runner, robot, "look_for", theme="red_cup").succeeded
    assert run(runner, robot, "pick", theme="red_cup").succeeded


def test_what_the_navigator_says_is_the_skills_reason() -> None:
    robot = KinematicRobot()
    runner = SkillRunner(small_map(), robot, navigator=Ride(robot, reason="Nav2 gave up: there is no way there (error 208)"))
    outcome = run(runner, robot, "navigate_to", goal="counter")
    assert (outcome.succeeded, outcome.reason) == (False, "Nav2 gave up: there is no way there (error 208)")
