"""The robot's pose: from tf2 if it is installed, otherwise from odometry, and which of them counts."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patience import PATIENCE

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")

from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header

from ros_nodes import environment, peer
from sayso.errors import RosError
from sayso.robot import Pose
from sayso.robot.geometry import wrap
from sayso_nodes.transforms import OdometryPose, pose_source, quaternion_of, yaw_of

pytestmark = pytest.mark.ros
DOMAIN = 80


class Node:
    """As much of a node as a source of poses uses."""

    NAME = "skills"

    def __init__(self, pose_from: str = "auto") -> None:
        self.values = {"pose_from": pose_from, "map_frame": "map", "base_frame": "base_link"}
        self.heard: dict[str, Any] = {}
        self.warnings: list[str] = []

    def value(self, name: str) -> str:
        return self.values[name]

    def subscription(self, topic: str, callback: Any, **_: Any) -> None:
        self.heard[topic] = callback

    def get_logger(self) -> Any:
        return SimpleNamespace(warning=self.warnings.append)


def odometry(frame: str, x: float, yaw: float = 0.0) -> Odometry:
    message = Odometry()
    message.header.frame_id, message.header.stamp.sec = frame, 7
    message.pose.pose.position.x, message.pose.pose.orientation = x, quaternion_of(yaw)
    return message


@given(st.floats(-10, 10))
def test_a_heading_survives_its_quaternion(yaw: float) -> None:
    assert wrap(yaw_of(quaternion_of(yaw)) - yaw) == pytest.approx(0.0, abs=1e-9)


def test_odometry_that_is_in_the_map_is_believed_over_tf() -> None:
    node = Node()
    where = OdometryPose(node, lambda: Pose(9.0, 9.0, 0.0))
    node.heard["odom"](odometry("map", 1.5, math.pi / 2))
    assert where() == Pose(1.5, 0.0, pytest.approx(math.pi / 2), 7.0)
    assert not node.warnings


def test_odometry_that_drifts_gives_way_to_tf() -> None:
    node = Node()
    where = OdometryPose(node, lambda: Pose(9.0, 9.0, 0.0))
    assert where() == Pose(9.0, 9.0, 0.0)
    node.heard["odom"](odometry("odom", 1.5))
    assert where() == Pose(9.0, 9.0, 0.0)


def test_odometry_that_drifts_is_used_with_one_warning_where_there_is_no_tf() -> None:
    node = Node()
    where = OdometryPose(node, None)
    assert where() is None
    for x in (1.0, 2.0):
        node.heard["odom"](odometry("odom", x))
    assert where().x == 2.0
    assert len(node.warnings) == 1
    assert "ros-jazzy-tf2-ros" in node.warnings[0]


def test_odometry_declared_to_be_in_the_map_gives_no_warning() -> None:
    node = Node("odom")
    where = pose_source(node)
    node.heard["odom"](odometry("odom", 1.0))
    assert where().x == 1.0
    assert (node.warnings, list(node.heard)) == ([], ["odom"])


@pytest.mark.skipif(find_spec("tf2_ros") is not None, reason="tf2_ros is installed")
def test_tf_without_tf2_ros_says_what_to_install() -> None:
    with pytest.raises(RosError, match="skills needs tf2_ros, which is not installed: apt install ros-jazzy-tf2-ros"):
        pose_source(Node("tf"))


def test_tf2_gives_the_robots_pose_on_the_map() -> None:
    pytest.importorskip("tf2_ros", reason="tf2_ros is not installed")
    from geometry_msgs.msg import TransformStamped
    from tf2_msgs.msg import TFMessage

    node = Node("tf")
    where = pose_source(node)
    assert where() is None

    def frame(parent: str, child: str, x: float, yaw: float) -> TransformStamped:
        made = TransformStamped(child_frame_id=child)
        made.header.frame_id, made.header.stamp.sec = parent, 7
        made.transform.translation.x, made.transform.rotation = x, quaternion_of(yaw)
        return made

    node.heard["tf_static"](TFMessage(transforms=[frame("map", "odom", 1.0, math.pi / 2)]))
    node.heard["tf"](TFMessage(transforms=[frame("odom", "base_link", 2.0, 0.0)]))
    pose = where()
    assert (pose.x, pose.y, pose.yaw, pose.stamp) == (pytest.approx(1.0), pytest.approx(2.0), pytest.approx(math.pi / 2), 7.0)


@pytest.mark.end_to_end
def test_a_picture_gets_the_pose_that_its_frame_had_when_it_was_taken() -> None:
    pytest.importorskip("tf2_ros", reason="tf2_ros is not installed")
    from geometry_msgs.msg import TransformStamped
    from sensor_msgs.msg import CameraInfo
    from tf2_msgs.msg import TFMessage

    def frame(seconds: int, x: float) -> TFMessage:
        made = TransformStamped(child_frame_id="optical")
        made.header.frame_id, made.header.stamp.sec, made.transform.translation.x = "map", seconds, x
        return TFMessage(transforms=[made])

    with peer(DOMAIN) as robot:
        command = [sys.executable, "-m", "sayso_nodes.nodes.camera_pose", "--ros-args", "-p", "autostart:=true", "-p", "use_sim_time:=true"]
        process = subprocess.Popen(command, env={**os.environ, **environment(DOMAIN)})
        try:
            poses, infos, frames = robot.hear("camera/pose"), robot.speaker("camera/camera_info"), robot.speaker("tf")
            clock = robot.speaker("/clock")
            picture = CameraInfo()
            picture.header.frame_id, picture.header.stamp.sec, picture.header.stamp.nanosec = "optical", 10, 500_000_000

            def answered() -> bool:  # which of the topics is first does not matter
                clock.publish(Clock(clock=picture.header.stamp))
                frames.publish(frame(10, 1.0))
                frames.publish(frame(11, 2.0))
                infos.publish(picture)
                robot.spin(0.05)
                return bool(poses)

            robot.until(answered)
            assert poses[0].pose.position.x == pytest.approx(1.5)
            assert poses[0].header == Header(stamp=picture.header.stamp, frame_id="map")
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.mark.end_to_end
@pytest.mark.skipif(find_spec("tf2_ros") is not None, reason="tf2_ros is installed")
def test_the_cameras_poses_without_tf2_ros_say_what_to_install() -> None:
    command = [sys.executable, "-m", "sayso_nodes.nodes.camera_pose", "--ros-args", "-p", "autostart:=true"]
    ended = subprocess.run(
        command, env={**os.environ, **environment(DOMAIN)}, timeout=PATIENCE, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "apt install ros-jazzy-tf2-ros" in ended.stderr.splitlines()[-1]
