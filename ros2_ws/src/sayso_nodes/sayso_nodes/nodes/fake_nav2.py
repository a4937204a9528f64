"""fake_nav2: a NavigateToPose server with selectable failures, for tests and to try `backend:=nav2` without Nav2.

    ros2 run sayso_nodes fake_nav2 --ros-args -p autostart:=true -p behaviour:=abort -p error_code:=208

It drives a point along the straight line to the goal and publishes it as odometry in the map's frame; no wheel turns.
"""

from __future__ import annotations

import os
from typing import Any

from nav_msgs.msg import Odometry
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.duration import Duration
from rclpy.task import Future

from sayso.robot import Pose
from sayso_nodes.conversions import MAP, header
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.nodes.nav2 import ACTION, navigate_to_pose
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run
from sayso_nodes.transforms import HALF_TURN, quaternion_of, yaw_of

BEHAVIOURS = ("succeed", "reject", "abort", "hang", "refuse_cancel", "ignore_cancel", "die")
PERIOD = 0.05  # s
HALFWAY = 0.5  # of the way: from there on it aborts, hangs or dies


class FakeNav2Node(SaysoNode):
    """One goal at a time; a new one replaces the current one, as in Nav2."""

    NAME = "fake_nav2"
    PARAMETERS = (
        Parameter("behaviour", "succeed", "result of goals; the last five from half way on", choices=BEHAVIOURS, dynamic=True),
        Parameter("error_code", 0, "of an aborted goal (Jazzy and newer)", 0, 65535, dynamic=True),
        Parameter("error_msg", "", "of an aborted goal (Jazzy and newer)", dynamic=True),
        Parameter("speed", 0.5, "m/s", 0.05, 20.0, dynamic=True),
        Parameter("cancel_delay", 0.0, "from a cancellation to its result, s", 0.0, 60.0, dynamic=True),
        Parameter("odometry", True, "publish odom, in the frame map"),
        Parameter("start_x", 0.0, "m", -1000.0, 1000.0),
        Parameter("start_y", 0.0, "m", -1000.0, 1000.0),
        Parameter("start_yaw", 0.0, "rad", -HALF_TURN, HALF_TURN),
    )

    def open(self) -> None:
        """Serve the action."""
        self.kind = navigate_to_pose(self.NAME)
        self._allow("performs", ACTION)
        self.pose = Pose(*(self.value(name) for name in ("start_x", "start_y", "start_yaw")))
        self.goal: Any = None  # handle of the current one
        self.finished: Future | None = None
        self.way = 0.0  # m, from the start to the current goal
        self.began = self.cancelled_at = 0.0  # s
        self.odometry = self.publisher("odom") if self.value("odometry") else None
        server = ActionServer(
            self,
            self.kind,
            ACTION,
            self.execute,
            goal_callback=lambda _: GoalResponse.REJECT if self.value("behaviour") == "reject" or not self.active else GoalResponse.ACCEPT,
            cancel_callback=lambda _: CancelResponse.REJECT if self.value("behaviour") == "refuse_cancel" else CancelResponse.ACCEPT,
        )
        self.on_close(server.destroy)
        self.every(PERIOD, self.on_time)

    async def execute(self, goal: Any) -> Any:
        """Drive to the goal and return its result."""
        if self.finished is not None:
            self.finished.set_result("abort")
        self.goal, self.finished = goal, (end := Future())
        target = goal.request.pose.pose.position
        self.way, self.began, self.cancelled_at = self.remaining(target), self.seconds(), 0.0
        self.get_logger().info(f"goal ({target.x:.2f}, {target.y:.2f}) in {goal.request.pose.header.frame_id or 'no frame'}")
        status = await end
        if self.goal is goal:
            self.goal = self.finished = None
        getattr(goal, status)()
        result = self.kind.Result()
        if status == "abort" and hasattr(result, "error_code"):
            result.error_code, result.error_msg = self.value("error_code"), self.value("error_msg")
        return result

    def on_time(self) -> None:
        """Drive on and publish odometry."""
        if self.goal is not None and self.finished is not None and not self.finished.done():
            self.drive(self.goal, self.finished)
        if self.odometry is not None:
            message = Odometry(header=header(self.seconds(), MAP), child_frame_id="base_link")
            message.pose.pose.position.x, message.pose.pose.position.y = self.pose.xy
            message.pose.pose.orientation = quaternion_of(self.pose.yaw)
            self.odometry.publish(message)

    def drive(self, goal: Any, finished: Future) -> None:
        """Drive one period towards the current goal."""
        behaviour, pose = self.value("behaviour"), goal.request.pose.pose
        rest = self.remaining(pose.position)
        halfway = rest <= self.way * (1 - HALFWAY)
        if goal.is_cancel_requested and behaviour != "ignore_cancel":
            self.cancelled_at = self.cancelled_at or self.seconds()
            if self.seconds() - self.cancelled_at >= self.value("cancel_delay"):
                finished.set_result("canceled")
            return
        if behaviour == "die" and halfway:
            os._exit(1)  # like a crash
        if behaviour in ("hang", "refuse_cancel", "ignore_cancel") and halfway:
            if behaviour != "hang":
                self.report(goal, rest)
            return
        if behaviour == "abort" and halfway:
            finished.set_result("abort")
            return
        step = self.value("speed") * PERIOD
        share = min(1.0, step / rest) if rest > 0 else 1.0
        x, y = self.pose.x + share * (pose.position.x - self.pose.x), self.pose.y + share * (pose.position.y - self.pose.y)
        self.pose = Pose(x, y, yaw_of(pose.orientation) if share == 1.0 else self.pose.yaw)
        self.report(goal, self.remaining(pose.position))
        if share == 1.0:
            finished.set_result("succeed")

    def report(self, goal: Any, rest: float) -> None:
        """Publish feedback."""
        feedback = self.kind.Feedback(distance_remaining=rest, navigation_time=Duration(seconds=self.seconds() - self.began).to_msg())
        feedback.current_pose.header = header(self.seconds(), MAP)
        feedback.current_pose.pose.position.x, feedback.current_pose.pose.position.y = self.pose.xy
        goal.publish_feedback(feedback)

    def remaining(self, target: Any) -> float:
        """Metres to the target."""
        return self.pose.distance((target.x, target.y))


def main() -> None:
    """Run the node."""
    run(FakeNav2Node)


if __name__ == "__main__":
    main()
