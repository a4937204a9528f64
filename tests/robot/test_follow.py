"""Path following: reaches the goal from anywhere, gently, and notices when it is stuck."""

import math

import numpy as np
import pytest

from robot_double import TICK, KinematicRobot, small_map
from sayso.robot import PathPlanner
from sayso.robot.follow import Limits, PathFollower, Turning
from sayso.robot.geometry import wrap
from sayso.robot.map import RADIUS
from sayso.robot.skill import SkillFailed

MAP = small_map()
PLANNER = PathPlanner(MAP)
LIMITS = Limits()


def follow(robot: KinematicRobot, goal: tuple[float, float], yaw: float, within: float = 90.0) -> np.ndarray:
    """Drive there; returns the commanded speeds, (N, 2)."""
    follower = PathFollower(PLANNER((robot.x, robot.y), goal), yaw, MAP)
    speeds = []
    while not follower.arrived:
        assert robot.time < within, f"{follower.remaining:.2f} m to go at ({robot.x:.2f}, {robot.y:.2f}, {robot.yaw:.2f})"
        speeds.append(follower(robot.pose(), robot.time))
        robot.drive(*speeds[-1])
        robot.advance()
    return np.array(speeds)


@pytest.mark.parametrize("seed", range(25))
def test_reaches_random_goals_from_random_starts_without_touching_anything(seed):
    rng = np.random.default_rng(seed)
    rows = np.argwhere(MAP.free)
    free = [MAP.centre((int(row), int(column))) for row, column in rows[rng.choice(len(rows), 40)]]
    start, goal, *_ = [point for point in free if point[0] < 8.0]
    yaw = rng.uniform(-math.pi, math.pi)
    robot = KinematicRobot(*start, rng.uniform(-math.pi, math.pi))
    speeds = follow(robot, goal, yaw)
    assert math.dist((robot.x, robot.y), goal) <= 0.05
    assert abs(wrap(robot.yaw - yaw)) <= math.radians(3)
    track = np.array(robot.track)
    assert min(box.distance(track[:, 0], track[:, 1]).min() for box in MAP.boxes) >= RADIUS
    assert (np.abs(speeds) <= np.array([LIMITS.speed, LIMITS.turning]) + 1e-9).all()


@pytest.mark.parametrize("seed", range(10))
def test_reaches_its_goals_when_commands_take_a_fifth_of_a_second_to_arrive(seed):
    rng = np.random.default_rng(seed)
    robot = KinematicRobot(*rng.uniform((0.6, 1.6), (3.3, 3.4)), rng.uniform(-math.pi, math.pi), delay=4)
    yaw = rng.uniform(-math.pi, math.pi)
    follow(robot, (6.0, 1.0), yaw)
    for _ in range(10):  # commands already sent still arrive
        robot.drive(0.0, 0.0)
        robot.advance()
    assert math.dist((robot.x, robot.y), (6.0, 1.0)) <= 0.10
    assert abs(wrap(robot.yaw - yaw)) <= math.radians(6)
    track = np.array(robot.track)
    assert min(box.distance(track[:, 0], track[:, 1]).min() for box in MAP.boxes) >= RADIUS


def test_never_accelerates_more_than_it_may():
    robot = KinematicRobot(1.5, 2.0, 2.5)
    speeds = follow(robot, (6.0, 1.0), 0.0)
    assert np.abs(np.diff(speeds[:-1, 0])).max() <= LIMITS.acceleration * TICK + 1e-9
    assert np.abs(np.diff(speeds[:-1, 1])).max() <= LIMITS.angular_acceleration * TICK + 1e-9


def test_slows_down_before_the_goal():
    robot = KinematicRobot(0.6, 2.0, 0.0)
    speeds = follow(robot, (3.4, 2.0), 0.0)
    assert speeds[:, 0].max() == pytest.approx(LIMITS.speed)
    driving = speeds[speeds[:, 0] > 0.0]
    assert driving[-1, 0] < 0.15


def test_says_that_it_is_stuck_when_the_wheels_slip():
    robot = KinematicRobot(1.5, 2.0, 0.0, jammed=True)
    with pytest.raises(SkillFailed, match=r"stuck at \(1.5, 2.0\): no progress for 4 s"):
        follow(robot, (6.0, 1.0), 0.0)
    assert robot.time < LIMITS.patience + 1.0


@pytest.mark.parametrize("angle", [0.3, -1.2, math.pi, 5.0, -2 * math.pi])
def test_turns_by_the_requested_angle_and_direction(angle):
    robot = KinematicRobot(yaw=1.0)
    turning, turned = Turning(angle), 0.0
    while True:
        before = robot.yaw
        v, w = turning(robot.pose(), robot.time)
        if turning.arrived:
            break
        robot.drive(v, w)
        robot.advance()
        turned += wrap(robot.yaw - before)
        assert robot.time < 20.0
    assert v == 0.0
    assert turned == pytest.approx(angle, abs=0.04)
