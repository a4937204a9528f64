"""The example arm: its kinematics, its motions, and the service `grip` with a cup in the simulation."""

from __future__ import annotations

import asyncio
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patience import PATIENCE

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "arm"
sys.path.insert(0, str(EXAMPLE))

from arm_kinematics import ArmDescription, OutOfReach, approach, hand_at, joints_at  # noqa: E402 - a folder, no package
from arm_motions import MotionFailed, grip  # noqa: E402

DOMAIN = 64
ARM = ArmDescription.load(EXAMPLE / "arm.yaml")


@dataclass
class Hand:
    """An arm that obeys at once, and fingers that close on a thing at the hand."""

    things: dict[tuple[float, float, float], float] = field(default_factory=dict)  # where → width, m
    jam_after: int = 99  # motions
    at: tuple[float, float, float, float] = ARM.tucked
    done: list[object] = field(default_factory=list)

    async def move(self, joints) -> None:
        if len(self.done) >= self.jam_after:
            raise MotionFailed("the arm did not get there (status 6)")
        self.at = joints
        self.done.append(joints)

    async def close(self, width: float) -> float:
        self.done.append(width)
        here = [wide for point, wide in self.things.items() if math.dist(point, hand_at(ARM, self.at)) < 0.02]
        return max([width, *here])


def perform(hand: Hand, command: str, target) -> tuple[bool, str]:
    return asyncio.run(grip(ARM, hand, command, target))


@given(st.floats(0.35, 0.80), st.floats(-0.3, 0.3), st.floats(0.4, 1.1))
def test_the_joints_bring_the_hand_to_the_point(x: float, y: float, z: float) -> None:
    for pitch in (0.0, -0.6):
        joints = joints_at(ARM, (x, y, z), pitch)
        if joints is not None:
            assert hand_at(ARM, joints) == pytest.approx((x, y, z), abs=1e-9)
            assert all(low <= joint <= high for joint, (low, high) in zip(joints, ARM.limits, strict=True))


@pytest.mark.parametrize("height", [0.45, 0.75, 0.95, 1.0])
@pytest.mark.parametrize("away", [0.45, 0.6, 0.75])
def test_the_arm_covers_the_reach_of_the_skills(away: float, height: float) -> None:
    _, at, _ = approach(ARM, (away, 0.05, height))
    assert hand_at(ARM, at) == pytest.approx((away, 0.05, height))


def test_a_grasp_opens_moves_closes_and_tucks_the_arm() -> None:
    cup = (0.7, 0.1, 0.95)
    hand = Hand({cup: 0.08})
    assert perform(hand, "grasp", cup) == (True, "holds something 8 cm wide")
    assert hand.done[0] == ARM.open
    assert hand_at(ARM, hand.done[2]) == pytest.approx(cup)
    assert hand.done[3] == ARM.closed
    assert hand.at == ARM.tucked


@pytest.mark.parametrize("command", ["release", "hand_over"])
def test_the_held_thing_is_released_at_the_target(command: str) -> None:
    target = (0.65, -0.1, 0.9)
    hand = Hand()
    assert perform(hand, command, target)[0]
    opened = hand.done.index(ARM.open)
    assert hand_at(ARM, hand.done[opened - 1]) == pytest.approx(target)
    assert hand.at == ARM.tucked


@pytest.mark.parametrize(
    ("hand", "command", "target", "reason"),
    [
        (Hand(), "grasp", (0.7, 0.0, 0.9), "nothing between the fingers"),
        (Hand(), "grasp", (2.0, 0.0, 0.9), "cannot reach 1.90 m from its shoulder"),
        (Hand(), "grasp", (0.7, 0.0, math.nan), "cannot reach"),
        (Hand(jam_after=2), "grasp", (0.7, 0.0, 0.9), "did not get there"),
        (Hand(), "throw", (0.7, 0.0, 0.9), "cannot 'throw'"),
    ],
)
def test_a_failure_gives_its_reason(hand: Hand, command: str, target, reason: str) -> None:
    succeeded, message = perform(hand, command, target)
    assert not succeeded
    assert reason in message


def test_an_invalid_arm_file_is_refused_with_its_fields(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_text((EXAMPLE / "arm.yaml").read_text().replace("upper: 0.45", "uper: 0.45"))
    with pytest.raises(ValueError, match=r"arm.yaml: missing \['upper'\], unknown \['uper'\]"):
        ArmDescription.load(path)
    with pytest.raises(OutOfReach):
        approach(ARM, (3.0, 0.0, 0.5))


def test_the_hand_meets_the_cup_in_the_simulation() -> None:
    from sayso.scene.load import load_scene
    from sayso.sim.simulation import Simulation

    world = Simulation(load_scene(None), seed=0)
    try:
        cup = tuple(float(value) for value in world.middle("red_cup"))
        x, y, yaw = cup[0], cup[1] + 0.62, -math.pi / 2  # in front of the counter, looking at the cup
        world.put_robot(x, y, yaw)
        ahead = (math.hypot(cup[0] - x, cup[1] - y), 0.0, cup[2])
        _, at, _ = approach(ARM, ahead)
        forward, _, height = hand_at(ARM, at)
        grasped, message = world.grip("grasp", (x, y - forward, height))
        assert grasped, message
        assert world.holding == "red_cup"
    finally:
        world.close()


@pytest.fixture
def server() -> Iterator[object]:
    pytest.importorskip("sayso_msgs", reason="the ROS interfaces are not built")
    from ros_nodes import environment, peer

    command = [sys.executable, str(EXAMPLE / "grip_server.py"), "--ros-args", "-p", "dry_run:=true"]
    process = subprocess.Popen(command, env={**os.environ, **environment(DOMAIN), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"})
    try:
        with peer(DOMAIN) as made:
            yield made
            process.terminate()
            process.wait(PATIENCE)
    finally:
        process.kill()  # where it did not end: no test leaves a process behind


@pytest.mark.ros
@pytest.mark.end_to_end
def test_the_served_grip_is_what_the_skills_call(server) -> None:
    from sayso_msgs.msg import Context
    from sayso_msgs.srv import Grip

    def asked(command: str, x: float, y: float, z: float):
        request = Grip.Request(command=command)
        request.target.x, request.target.y, request.target.z = x, y, z
        return server.call("grip", request)

    assert "the pose of the robot is unknown" in asked("grasp", 1.0, 2.6, 0.9).message
    server.speaker("context").publish(Context(x=1.0, y=2.0, yaw=math.pi / 2))
    server.until(lambda: asked("grasp", 1.0, 2.6, 0.9).success)
    refused = asked("grasp", 5.0, 2.6, 0.9)
    assert (refused.success, refused.message.split(" m ")[0]) == (False, "the arm cannot reach 4.03")
