"""A world for measurements in Gazebo: it runs as fast as it can, and tells the robot's true pose."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import yaml
from geometry_msgs.msg import PoseStamped, Twist
from rclpy.qos import QoSProfile
from std_msgs.msg import String

from sayso.errors import RosError
from sayso.gazebo.elements import add_pose_publisher
from sayso.gazebo.topics import ROBOT
from sayso.robot.follow import Limits, Ramp
from sayso.scene import Scene
from sayso.types import FloatArray
from sayso_nodes.camera import matrix
from sayso_nodes.commands.demo import free_domain
from sayso_nodes.conversions import from_time
from sayso_nodes.graph import interface
from sayso_nodes.running.gazebo_server import GazeboPrograms, RunningGazebo
from sayso_nodes.running.gazebo_world import BRIDGE, write
from sayso_nodes.running.processes import RunningGraph

TRUTH = f"gazebo/pose/{ROBOT}"
RATE = 50.0  # Hz: also at the moments of pictures, and few enough that none is lost
PATIENCE = 120.0  # s for Gazebo, bridge and nodes to be there


def write_measured(folder: Path, pace: float = 0.0) -> None:
    """Write the default home's world, with a free pace or this one. The robot's model tells its pose as Gazebo has it, not by odometry."""
    write(folder, pace=pace)
    path = folder / "world.sdf"
    tree = ET.parse(path)  # noqa: S314 - our own file
    robot = tree.find(f"world/model[@name='{ROBOT}']")
    assert robot is not None
    add_pose_publisher(robot, RATE)
    tree.write(path)
    lines = yaml.safe_load((folder / BRIDGE).read_text())
    pattern = next(line for line in lines if line["ros_topic_name"].startswith("gazebo/pose/"))
    lines.append({**pattern, "ros_topic_name": TRUTH, "gz_topic_name": f"/model/{ROBOT}/pose"})
    (folder / BRIDGE).write_text(yaml.safe_dump(lines))


class GazeboListener:
    """A node beside the others that hears."""

    def __init__(self, domain_id: int, check: Callable[[], None]) -> None:
        """`check` raises when what is listened to has ended."""
        import rclpy
        from rclpy.context import Context
        from rclpy.executors import SingleThreadedExecutor

        from sayso_nodes.environment import set_client_defaults

        set_client_defaults()
        self._context, self._check = Context(), check
        rclpy.init(args=[], context=self._context, domain_id=domain_id)
        self.node = rclpy.create_node("onlooker", context=self._context, start_parameter_services=False, enable_rosout=False)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave."""
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def wait(self, until: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
        """Hear until a condition holds.

        Raises:
            RosError: it does not within these seconds of wall time, or Gazebo ended.
        """
        end = time.monotonic() + seconds
        while not until():
            self._check()
            if time.monotonic() > end:
                raise RosError(f"timed out while waiting for {what}")
            self._executor.spin_once(0.05)

    def hear(self, topic: str, kind: Any, callback: Callable[[Any], object]) -> None:
        """Call back with each message."""
        self.node.create_subscription(kind, topic, callback, QoSProfile(depth=50))


class Onlooker(GazeboListener):
    """A listener that drives the robot and notes what it hears."""

    def __init__(self, domain_id: int, scene: Scene, check: Callable[[], None]) -> None:
        super().__init__(domain_id, check)
        self.scene = scene
        self._velocity, self._ramp = self.node.create_publisher(Twist, "cmd_vel", 1), Ramp(Limits())
        self.seconds = 0.0  # simulated
        self.magnets: dict[str, str] = {}
        self.truth: dict[float, FloatArray] = {}  # stamp → (4, 4) base in the map, by Gazebo's model
        self.odometry: list[tuple[float, FloatArray]] = []
        self.cameras: list[tuple[float, FloatArray]] = []  # what the node gazebo says
        self.hear("/clock", interface("/clock"), self._on_clock)
        self.hear(TRUTH, PoseStamped, lambda m: self.truth.update({from_time(m.header.stamp): matrix(m.pose)}))
        self.hear("odom", interface("odom"), lambda m: self.odometry.append((from_time(m.header.stamp), matrix(m.pose.pose))))
        self.hear("camera/pose", PoseStamped, lambda m: self.cameras.append((from_time(m.header.stamp), matrix(m.pose))))
        for name in scene.objects:
            self.hear(f"gazebo/magnet/{name}", String, lambda m, name=name: self.magnets.update({name: m.data}))

    @property
    def free(self) -> bool:
        """Whether every magnet has said that it holds nothing."""
        return all(self.magnets.get(name) == "detached" for name in self.scene.objects)

    def hear_for(self, seconds: float) -> None:
        """Hear for that long, in wall time."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end, "time to pass", seconds + 1.0)

    def drive(self, v: float, w: float, seconds: float) -> None:
        """Keep this velocity for some simulated seconds, once the robot has it: it accelerates as our own driving does."""
        end = self.seconds + seconds
        message = Twist()
        while self.seconds < end:
            now = self.seconds
            message.linear.x, message.angular.z = self._ramp(v, w, now)
            self._velocity.publish(message)
            self.wait(lambda now=now: self.seconds > now + 0.02, "simulated time to pass", 60.0)

    def standing(self) -> FloatArray:
        """(4, 4) the newest true pose."""
        return self.truth[max(self.truth)]

    def _on_clock(self, message: Any) -> None:
        self.seconds = from_time(message.clock)


@contextmanager
def measured(
    programs: GazeboPrograms, folder: Path, scene: Scene, late: float = 0.0, nodes: tuple[str, ...] = ("gazebo",)
) -> Iterator[Onlooker]:
    """These nodes and a Gazebo that starts `late` seconds after them, or before them if negative; until all magnets are free.

    Raises:
        RosError: they are not there in time, or a magnet holds.
    """
    domain_id = free_domain()
    env = {"ROS_DOMAIN_ID": str(domain_id), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    gazebo = RunningGazebo(programs, folder, env, folder / "log")
    graph = RunningGraph("gazebo", nodes=nodes, env=env, log_dir=folder / "log")
    with ExitStack() as stack:
        onlooker = Onlooker(domain_id, scene, gazebo.check)
        stack.callback(onlooker.close)
        for part in (gazebo, graph) if late < 0 else (graph, gazebo):
            stack.enter_context(part)
            onlooker.hear_for(abs(late))
            late = 0.0
        onlooker.wait(lambda: onlooker.free, "all magnets to be free")
        onlooker.wait(lambda: onlooker.truth and onlooker.cameras, "the robot's pose and a picture")
        yield onlooker


def angle(one: FloatArray, other: FloatArray) -> float:
    """Degrees between two rotations, (3, 3) or poses (4, 4)."""
    cosine = (np.trace(one[:3, :3].T @ other[:3, :3]) - 1.0) / 2.0
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
