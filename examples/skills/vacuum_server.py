"""A skill of one's own as a process of its own: an action server for `vacuum`, in any language of ROS 2.

python examples/skills/vacuum_server.py --ros-args -p seconds:=5.0
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any

import rclpy
from diagnostic_msgs.msg import KeyValue
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, MultiThreadedExecutor
from rclpy.node import Node
from sayso_msgs.action import ExecuteSkill

SKILL = "skill/vacuum"  # skill/ and the name in the domain file


class VacuumServer(Node):
    """Pretends to vacuum."""

    def __init__(self) -> None:
        super().__init__("vacuum_server")
        self.seconds = float(self.declare_parameter("seconds", 5.0).value or 0.0)
        several = ReentrantCallbackGroup()  # a cancellation may come while the skill runs
        self.server = ActionServer(
            self, ExecuteSkill, SKILL, self.execute, cancel_callback=lambda _: CancelResponse.ACCEPT, callback_group=several
        )
        # Signs of life, so that its death is noticed within a second. Without them, it takes up to 20 s.
        sign = KeyValue(key=SKILL, value=f"{os.getpid()}-{time.monotonic_ns()}")
        signs = self.create_publisher(KeyValue, "alive", 5)
        self.create_timer(0.05, lambda: signs.publish(sign), callback_group=several)

    def execute(self, goal: Any) -> ExecuteSkill.Result:
        """Vacuum the place, or stop when asked to."""
        place = dict(zip(goal.request.call.argument_names, goal.request.call.argument_values, strict=True))["goal"]
        self.get_logger().info(f"vacuuming {place}")
        began = time.monotonic()
        while (passed := time.monotonic() - began) < self.seconds:
            if goal.is_cancel_requested:
                goal.canceled()
                return ExecuteSkill.Result(succeeded=False, reason="cancelled", seconds=passed)
            goal.publish_feedback(ExecuteSkill.Feedback(progress=passed / self.seconds, status=f"vacuuming {place}"))
            time.sleep(0.05)
        goal.succeed()
        return ExecuteSkill.Result(succeeded=True, seconds=passed)


def main() -> None:
    """Serve until Ctrl-C."""
    rclpy.init()
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        rclpy.spin(VacuumServer(), MultiThreadedExecutor(2))


if __name__ == "__main__":
    main()
