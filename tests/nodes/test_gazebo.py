"""The node between Gazebo and the graph, over DDS. The test publishes what the bridge would bring from Gazebo."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from geometry_msgs.msg import Point, PoseStamped
from nav_msgs.msg import Odometry
from sayso_msgs.srv import Grip
from sensor_msgs.msg import CameraInfo, JointState
from std_msgs.msg import Empty, Float64, String

from patience import PATIENCE
from ros_nodes import Peer, environment
from sayso.gazebo.families import members
from sayso.gazebo.people import AXES, motor, walkers
from sayso.scene import load_scene
from sayso.scene.bodies import loose_bodies, standing_bodies
from sayso.scene.fittings import fittings
from sayso.scene.layout import hand_of
from sayso.sim.robot_body import CAMERA
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 93


class Gazebo(Peer):
    """A robot beside its things, an arm that obeys, and magnets."""

    def __init__(self) -> None:
        super().__init__(DOMAIN)
        self.scene = load_scene()
        self.things = {body.name: np.array(body.at) for body in loose_bodies(self.scene)}
        self.robot = (0.0, 0.0, 0.0)
        self.began = {"lift": 0.6, "yaw": -math.pi / 2, "stretch": 0.22}  # the joints count from there
        self.arm = dict(self.began)
        self.held = set(self.things)  # every detachable joint attaches at the start
        self.magnet_works = True
        self.seconds = 0  # of the odometry's stamp
        self.odometry = self.node.create_publisher(Odometry, "odom", 5)
        self.joints = self.node.create_publisher(JointState, "gazebo/joints", 5)
        self.info = self.node.create_publisher(CameraInfo, "camera/camera_info", 5)
        self.poses = {name: self.node.create_publisher(PoseStamped, f"gazebo/pose/{name}", 2) for name in self.things}
        for joint in self.arm:
            self.node.create_subscription(Float64, f"gazebo/arm/{joint}", lambda position, joint=joint: self.move(joint, position.data), 5)
        self.states = {name: self.node.create_publisher(String, f"gazebo/magnet/{name}", 2) for name in self.things}
        self.deaf = 0  # how many of the next releases are lost
        for name in self.things:
            self.node.create_subscription(Empty, f"gazebo/attach/{name}", lambda _, name=name: self.attach(name), 5)
            self.node.create_subscription(Empty, f"gazebo/detach/{name}", lambda _, name=name: self.let_go(name), 5)
        self.parts = {name: self.node.create_publisher(PoseStamped, f"gazebo/part_pose/{name}", 2) for name in members(self.scene)["part"]}
        self.fridge = next(body for body in standing_bodies(self.scene) if body.name == "fridge")
        self.opened = 0.0  # rad, of the fridge
        self.node.create_subscription(Float64, "gazebo/part/fridge/opens", lambda angle: setattr(self, "opened", angle.data), 5)
        self.walked = {name: [0.0, 0.0, 0.0] for name in walkers(self.scene)}
        for name in self.walked:
            for index, axis in enumerate(AXES):
                topic = f"gazebo/part/{motor(name, axis)}"
                self.node.create_subscription(Float64, topic, partial(self.walk, name, index), 5)
        self.node.create_timer(0.1, self.tell)

    def walk(self, name: str, index: int, message: Float64) -> None:
        self.walked[name][index] = message.data

    def attach(self, name: str) -> None:
        if self.magnet_works:
            self.held.add(name)
            self.states[name].publish(String(data="attached"))

    def let_go(self, name: str) -> None:
        if self.deaf:
            self.deaf -= 1
        elif name in self.held:
            self.held.discard(name)
            self.states[name].publish(String(data="detached"))

    def move(self, joint: str, value: float) -> None:
        self.arm[joint] = self.began[joint] + value
        for name in self.held:
            if len(self.held) == 1:
                self.things[name] = self.fingers() - (0.0, 0.0, self.scene.hull(name).half[2])

    def fingers(self) -> np.ndarray:
        x, y, yaw = self.robot
        angle = yaw + self.arm["yaw"]
        return np.array([x + math.cos(angle) * self.arm["stretch"], y + math.sin(angle) * self.arm["stretch"], self.arm["lift"]])

    def tell(self) -> None:
        message = Odometry()
        message.header.stamp.sec = self.seconds
        x, y, yaw = self.robot
        message.pose.pose.position = Point(x=x, y=y)
        message.pose.pose.orientation.z, message.pose.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
        self.odometry.publish(message)
        self.joints.publish(
            JointState(name=[f"arm/{joint}" for joint in self.arm], position=[self.arm[joint] - self.began[joint] for joint in self.arm])
        )
        for name, publisher in self.poses.items():
            pose = PoseStamped()
            pose.pose.position = Point(x=float(self.things[name][0]), y=float(self.things[name][1]), z=float(self.things[name][2]))
            publisher.publish(pose)
        for name, publisher in self.parts.items():
            pose = PoseStamped()
            yaw = self.fridge.yaw + self.opened if name == "fridge/opens" else 0.0
            if name in self.walked:
                ahead, aside, turned = self.walked[name]
                figure = self.scene.people[name]
                first = math.radians(figure.yaw)
                pose.pose.position.x = figure.at[0] + ahead * math.cos(first) - aside * math.sin(first)
                pose.pose.position.y = figure.at[1] + ahead * math.sin(first) + aside * math.cos(first)
                yaw = first + turned
            pose.pose.orientation.z, pose.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
            publisher.publish(pose)

    def stand_before(self, point: np.ndarray) -> None:
        self.robot = (float(point[0]) - 0.6, float(point[1]), 0.0)
        self.spin(0.4)

    def grip(self, command: str, point: Any) -> Any:
        x, y, z = (float(value) for value in point)
        return self.call("grip", Grip.Request(command=command, target=Point(x=x, y=y, z=z)))

    def at(self, world: Any, person: str) -> tuple[float, float]:
        point = world.people_positions[list(world.people).index(person)]
        return point.x, point.y

    def middle(self, name: str) -> np.ndarray:
        return self.things[name] + (0.0, 0.0, self.scene.hull(name).half[2])


@pytest.fixture(scope="module")
def gazebo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gazebo]:
    made = Gazebo()
    log = tmp_path_factory.mktemp("log")
    parameters = {"gazebo": {"patience": 1.0, "use_sim_time": False}}
    with RunningGraph("gazebo", nodes=("gazebo",), env=environment(DOMAIN), log_dir=log, parameters=parameters) as running:
        running.wait_active(PATIENCE)
        yield made
    made.close()


def test_everything_is_released_at_the_start_and_the_ground_truth_published(gazebo: Gazebo) -> None:
    worlds = gazebo.hear("world_state")
    gazebo.until(lambda: not gazebo.held)
    gazebo.until(lambda: worlds)
    locations = dict(zip(worlds[-1].objects, worlds[-1].locations, strict=True))
    assert locations == {name: thing.on for name, thing in gazebo.scene.objects.items()}


def test_a_magnet_that_attaches_by_itself_is_released_also_if_releases_are_lost(gazebo: Gazebo) -> None:
    gazebo.until(lambda: not gazebo.held)
    gazebo.deaf = 3
    gazebo.attach("milk")
    gazebo.spin(0.5)
    assert gazebo.held == {"milk"}
    gazebo.until(lambda: not gazebo.held)


def test_a_topic_that_the_bridge_lacks_is_named(gazebo: Gazebo) -> None:
    said = gazebo.hear("/diagnostics", 0)
    gazebo.until(lambda: any("nothing comes from camera/camera_info" in status.message for each in said for status in each.status))


def test_the_cameras_pose_bears_the_stamp_of_its_picture(gazebo: Gazebo) -> None:
    gazebo.robot = (2.0, 3.0, math.pi / 2)
    gazebo.spin(0.4)
    poses = gazebo.hear("camera/pose")
    info = CameraInfo()
    info.header.stamp.sec = 17

    def seen() -> list[Any]:
        gazebo.seconds = gazebo.seconds + 1 if gazebo.seconds < 18 else 16  # poses around the picture's moment
        gazebo.info.publish(info)  # more than once: the node may not have found who listens to its poses yet
        gazebo.spin(0.1)
        return poses

    gazebo.until(seen)
    assert poses[-1].header.stamp.sec == 17
    position = poses[-1].pose.position
    assert (position.x, position.y, position.z) == pytest.approx((2.0, 3.0 + CAMERA.x, CAMERA.z))


def test_a_pose_that_is_no_number_is_not_believed(gazebo: Gazebo) -> None:
    worlds = gazebo.hear("world_state")
    gazebo.robot = (1.0, 2.0, 0.0)
    gazebo.until(lambda: worlds and worlds[-1].x == pytest.approx(1.0))
    before, kept = gazebo.things["milk"], gazebo.robot
    gazebo.robot, gazebo.things["milk"] = (math.nan, math.nan, math.nan), np.full(3, math.nan)
    gazebo.spin(0.5)
    worlds.clear()
    gazebo.until(lambda: worlds)
    assert (worlds[-1].x, worlds[-1].y) == pytest.approx((1.0, 2.0))
    assert all(math.isfinite(point.z) for point in worlds[-1].positions)
    gazebo.robot, gazebo.things["milk"] = kept, before


def test_the_fridge_is_opened_and_the_ground_truth_tells_it(gazebo: Gazebo) -> None:
    worlds = gazebo.hear("world_state")
    fridge = next(each for each in fittings(gazebo.scene) if each.name == "fridge")
    gazebo.robot = (*fridge.handle(0.5)[:2], 0.0)
    gazebo.spin(0.4)
    opened = gazebo.grip("open", fridge.closed_handle)
    assert (opened.success, opened.message) == (True, "opened fridge")
    gazebo.until(lambda: worlds and "open(fridge)" in worlds[-1].facts)


def test_what_is_taken_is_held_and_what_is_given_lies_in_the_hand(gazebo: Gazebo) -> None:
    gazebo.until(lambda: not gazebo.held)
    gazebo.stand_before(gazebo.things["red_cup"])
    taken = gazebo.grip("grasp", gazebo.middle("red_cup"))
    assert (taken.success, taken.message) == (True, "took red_cup")
    assert gazebo.held == {"red_cup"}
    assert gazebo.grip("grasp", gazebo.middle("red_cup")).message == "the gripper holds red_cup already"
    person = next(iter(gazebo.scene.people))
    hand = np.array(hand_of(gazebo.scene, person))
    gazebo.stand_before(hand)
    given = gazebo.grip("hand_over", hand)
    assert (given.success, given.message) == (True, f"gave red_cup to {person}")
    assert not gazebo.held


def test_what_falls_from_the_hand_while_the_arm_goes_away_was_not_given(gazebo: Gazebo, monkeypatch: pytest.MonkeyPatch) -> None:
    gazebo.until(lambda: not gazebo.held)
    gazebo.stand_before(gazebo.things["banana"])
    assert gazebo.grip("grasp", gazebo.middle("banana")).success
    hand = np.array(hand_of(gazebo.scene, next(iter(gazebo.scene.people))))
    gazebo.stand_before(hand)

    def fall(joint: str, value: float) -> None:
        if not gazebo.held:
            gazebo.things["banana"] = np.array([hand[0], hand[1], 0.0])
        Gazebo.move(gazebo, joint, value)

    monkeypatch.setattr(gazebo, "move", fall)
    given = gazebo.grip("hand_over", hand)
    assert (given.success, given.message) == (False, "banana is not where it should be afterwards")
    assert gazebo.grip("release", hand).message == "the gripper is empty"


@pytest.mark.parametrize(
    ("arm_works", "why"), [(True, "apple is not where it should be afterwards"), (False, "the arm does not get there")]
)
def test_a_grasp_that_took_nothing_is_no_success(gazebo: Gazebo, monkeypatch: pytest.MonkeyPatch, arm_works: bool, why: str) -> None:
    gazebo.until(lambda: not gazebo.held)
    gazebo.stand_before(gazebo.things["apple"])
    gazebo.magnet_works = False
    if not arm_works:
        monkeypatch.setattr(gazebo, "move", lambda joint, value: None)
    refused = gazebo.grip("grasp", gazebo.middle("apple"))
    gazebo.magnet_works = True
    assert (refused.success, refused.message) == (False, why)


@pytest.mark.parametrize(
    ("command", "offset", "why"),
    [
        ("grasp", (0.0, 0.0, 0.6), "nothing is within"),
        ("grasp", (5.0, 0.0, 0.0), "the arm reaches"),
        ("release", (0.0, 0.0, 0.0), "the gripper is empty"),
        ("juggle", (0.0, 0.0, 0.0), "is not a gripper command"),
        ("grasp", (math.nan, 0.0, 0.0), "the target is not a point"),
    ],
)
def test_impossible_skills_are_refused_with_the_reason(gazebo: Gazebo, command: str, offset: tuple[float, ...], why: str) -> None:
    gazebo.until(lambda: not gazebo.held)
    gazebo.stand_before(gazebo.things["apple"])
    answer = gazebo.grip(command, gazebo.middle("apple") + offset)
    assert not answer.success
    assert why in answer.message


def test_the_node_opens_what_the_graph_says(gazebo: Gazebo) -> None:
    names = {name for name, _ in gazebo.node.get_subscriber_names_and_types_by_node("gazebo", "/")}
    assert {"/odom", "/camera/camera_info", "/gazebo/joints", "/gazebo/pose/red_cup"} <= names
    assert len([name for name in names if name.startswith("/gazebo/pose/")]) == len(gazebo.scene.objects)
    assert ("/grip", ["sayso_msgs/srv/Grip"]) in gazebo.node.get_service_names_and_types_by_node("gazebo", "/")


def test_a_person_who_is_asked_to_come_walks_behind_the_robot_and_the_tracker_sees_them(gazebo: Gazebo) -> None:
    worlds, seen = gazebo.hear("world_state"), gazebo.hear("people")
    x, y = gazebo.scene.people["anna"].at
    gazebo.robot = (x - 1.5, y, 0.0)
    gazebo.until(lambda: seen and "anna" in seen[-1].people)
    words = gazebo.node.create_publisher(String, "speech", 5)
    gazebo.until(words.get_subscription_count)
    words.publish(String(data="Anna, please come with me."))
    gazebo.until(lambda: any(gazebo.walked["anna"]))
    gazebo.until(lambda: worlds and math.dist(gazebo.at(worlds[-1], "anna"), (x, y)) > 0.3)
    assert math.dist(gazebo.at(worlds[-1], "ben"), gazebo.scene.people["ben"].at) < 0.01
    words.publish(String(data="Here we are: the study."))
    gazebo.spin(0.5)
    stands = list(gazebo.walked["anna"])
    gazebo.spin(0.5)
    assert gazebo.walked["anna"] == stands
