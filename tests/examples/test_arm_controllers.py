"""The example arm behind ros2_control's actions: real goals over DDS to controllers that obey, refuse or fail on request."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")
pytest.importorskip("control_msgs", reason="control_msgs is not installed")

from rclpy.action import ActionServer, GoalResponse

from ros_nodes import Peer, peer

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "arm"
sys.path.insert(0, str(EXAMPLE))

from arm_controllers import Ros2Control  # noqa: E402 - a folder, no package
from arm_kinematics import ArmDescription, hand_at  # noqa: E402
from arm_motions import grip  # noqa: E402
from control_msgs.action import FollowJointTrajectory, GripperCommand  # noqa: E402

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 61
ARM = ArmDescription.load(EXAMPLE / "arm.yaml")
CUP = (0.7, 0.1, 0.95)


class Controllers:
    """Both controllers, which move instantly; a cup of 8 cm stands at CUP."""

    def __init__(self, robot: Peer) -> None:
        self.robot, self.at, self.refuse, self.error = robot, ARM.tucked, False, 0
        self.points: list[Any] = []
        node, answer = robot.node, lambda _: GoalResponse.REJECT if self.refuse else GoalResponse.ACCEPT
        self.servers = [
            ActionServer(node, FollowJointTrajectory, ARM.trajectory_action, self.move, goal_callback=answer),
            ActionServer(node, GripperCommand, ARM.gripper_action, self.close),
        ]
        self.arm = Ros2Control(node, ARM)
        robot.until(lambda: self.arm._mover.server_is_ready() and self.arm._closer.server_is_ready())

    def move(self, goal: Any) -> Any:
        trajectory = goal.request.trajectory
        assert tuple(trajectory.joint_names) == ARM.joints
        self.points.append(trajectory.points[-1])
        self.at = tuple(trajectory.points[-1].positions)
        goal.abort() if self.error else goal.succeed()
        return FollowJointTrajectory.Result(error_code=self.error)

    def close(self, goal: Any) -> Any:
        width = goal.request.command.position
        if math.dist(hand_at(ARM, self.at), CUP) < 0.02:
            width = max(width, 0.08)
        goal.succeed()
        return GripperCommand.Result(position=width, stalled=True)

    def grip(self, command: str, target: Any) -> tuple[bool, str]:
        task = self.robot.executor.create_task(grip(ARM, self.arm, command, target))
        self.robot.until(task.done)
        return task.result()


@pytest.fixture(scope="module")
def controllers() -> Iterator[Controllers]:
    with peer(DOMAIN) as robot:
        made = Controllers(robot)
        yield made
        for server in made.servers:
            server.destroy()


def test_the_controllers_bring_the_hand_to_the_cup_and_tuck_it(controllers: Controllers) -> None:
    assert controllers.grip("grasp", CUP) == (True, "holds something 8 cm wide")
    assert controllers.at == pytest.approx(ARM.tucked)
    fastest = max(abs(a - b) for a, b in zip(controllers.points[0].positions, ARM.tucked, strict=True)) / ARM.speed
    first = controllers.points[0].time_from_start
    assert first.sec + first.nanosec * 1e-9 == pytest.approx(fastest, abs=1e-6)
    assert controllers.grip("grasp", (0.6, -0.2, 0.9)) == (False, "there was nothing between the fingers")


def test_a_controller_that_refuses_or_fails_is_named(controllers: Controllers) -> None:
    controllers.refuse = True
    assert "refused to move" in controllers.grip("release", CUP)[1]
    controllers.refuse, controllers.error = False, FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED
    assert "did not reach its goal (status 6)" in controllers.grip("release", CUP)[1]
    controllers.error = 0


def test_a_missing_controller_is_named(controllers: Controllers) -> None:
    controllers.arm = Ros2Control(controllers.robot.node, replace(ARM, gripper_action="nowhere"))
    assert controllers.grip("grasp", CUP) == (False, "the gripper is not available: is its controller running?")
