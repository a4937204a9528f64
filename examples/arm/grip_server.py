"""An example that serves `grip` (sayso_msgs/srv/Grip) with an arm, so that pick, place and hand_over work on that robot.

python examples/arm/grip_server.py --ros-args -p dry_run:=true     # print the joints instead of moving them
python examples/arm/grip_server.py                                 # move them with ros2_control
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import rclpy
from arm_kinematics import ArmDescription, Joints, Point
from arm_motions import grip
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sayso_msgs.msg import Context
from sayso_msgs.srv import Grip

from sayso_nodes.graph import find_topic


class DryRun:
    """Prints the motions of an arm; its fingers always find something 5 cm wide."""

    def __init__(self, node: Node) -> None:
        self._log = node.get_logger()

    async def move(self, joints: Joints) -> None:
        """Print the joints."""
        self._log.info("move " + " ".join(f"{joint:+.2f}" for joint in joints))

    async def close(self, width: float) -> float:
        """Print the width."""
        self._log.info(f"fingers {width:.3f} m")
        return max(width, 0.05)


class GripServer(Node):
    """Serves one request at a time. The robot's pose comes from `context`, which the skills publish; tf2 would work as well."""

    def __init__(self) -> None:
        super().__init__("grip_server")
        path = self.declare_parameter("arm", str(Path(__file__).with_name("arm.yaml"))).value
        dry = self.declare_parameter("dry_run", False).value
        self.arm = ArmDescription.load(Path(path))
        self.motion = DryRun(self) if dry else self.controllers()
        self.situation: Context | None = None
        self.busy = False
        self.create_subscription(Context, "context", self.on_context, find_topic("context").qos(subscriber=True))
        self.create_service(Grip, "grip", self.on_grip, callback_group=ReentrantCallbackGroup())

    def controllers(self) -> Any:
        """The real arm."""
        from arm_controllers import Ros2Control

        return Ros2Control(self, self.arm)

    def on_context(self, message: Context) -> None:
        """Keep the robot's pose on the map."""
        self.situation = message

    async def on_grip(self, request: Grip.Request, response: Grip.Response) -> Grip.Response:
        """Execute the request. Every path answers, because a skill is waiting."""
        if self.situation is None:
            response.message = "the pose of the robot is unknown: is the skills node running?"
            return response
        if self.busy:
            response.message = "the arm is busy"
            return response
        self.busy = True
        try:
            target = in_base(self.situation, request.target)
            response.success, response.message = await grip(self.arm, self.motion, request.command, target)
        except Exception as error:  # noqa: BLE001 - the client gets the reason of any failure
            response.message = f"the arm failed: {error}"
        finally:
            self.busy = False
        self.get_logger().info(f"{request.command}: {response.message}")
        return response


def in_base(context: Context, target: Any) -> Point:
    """Convert a point from the map to base_link, for a robot at the context's pose on a flat floor."""
    dx, dy = target.x - context.x, target.y - context.y
    cos, sin = math.cos(context.yaw), math.sin(context.yaw)
    return cos * dx + sin * dy, -sin * dx + cos * dy, target.z


def main() -> None:
    """Run the node."""
    rclpy.init()
    node = GripServer()
    try:
        while rclpy.ok():  # not rclpy.spin, whose endless wait sometimes misses a SIGTERM just after a call
            rclpy.spin_once(node, timeout_sec=0.5)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == "__main__":
    main()
