"""Motion by ros2_control: FollowJointTrajectory for the arm, GripperCommand for the fingers. Only their status counts as success."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus
from arm_kinematics import ArmDescription, Joints
from arm_motions import MotionFailed
from rclpy.action import ActionClient
from rclpy.duration import Duration
from rclpy.node import Node

SLOWEST = 0.3  # s: the shortest duration of a motion


class Ros2Control:
    """The arm's controllers, as action clients of the node."""

    def __init__(self, node: Node, arm: ArmDescription) -> None:
        from control_msgs.action import FollowJointTrajectory, GripperCommand

        self._arm, self._node = arm, node
        self._trajectory, self._gripper = FollowJointTrajectory, GripperCommand
        self._at = arm.tucked  # where the last motion ended
        self._mover = ActionClient(node, FollowJointTrajectory, arm.trajectory_action)
        self._closer = ActionClient(node, GripperCommand, arm.gripper_action)

    async def move(self, joints: Joints) -> None:
        """Send a trajectory of one point, at the speed of arm.yaml."""
        from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

        seconds = max(SLOWEST, max(abs(a - b) for a, b in zip(joints, self._at, strict=True)) / self._arm.speed)
        point = JointTrajectoryPoint(positions=list(joints), time_from_start=Duration(seconds=seconds).to_msg())
        goal = self._trajectory.Goal(trajectory=JointTrajectory(joint_names=list(self._arm.joints), points=[point]))
        result = await self._done(self._mover, goal, "the arm")
        if result.error_code != self._trajectory.Result.SUCCESSFUL:
            raise MotionFailed(f"the arm stopped: {result.error_string or 'error'} ({result.error_code})")
        self._at = joints

    async def close(self, width: float) -> float:
        """Close the fingers; they stall on a thing, which is a grasp."""
        goal = self._gripper.Goal()
        goal.command.position, goal.command.max_effort = width, self._arm.effort
        result = await self._done(self._closer, goal, "the gripper")
        return float(result.position)

    async def _done(self, client: ActionClient, goal: Any, who: str) -> Any:
        if not client.server_is_ready():
            raise MotionFailed(f"{who} is not available: is its controller running?")
        handle = await client.send_goal_async(goal)
        if not handle.accepted:
            raise MotionFailed(f"{who} refused to move: is its controller active?")
        answer = await handle.get_result_async()
        if answer.status != GoalStatus.STATUS_SUCCEEDED:
            raise MotionFailed(f"{who} did not reach its goal (status {answer.status})")
        return answer.result
