"""The embedded simulation with real physics: driving, gripping, and its ground truth."""

from collections.abc import Iterator
from math import cos, hypot, pi, sin

import numpy as np
import pytest

from sayso.scene import Scene, load_scene
from sayso.scene.layout import hand_of, start_pose, surfaces_of
from sayso.scene.scene import GripperSpec
from sayso.sim.simulation import Simulation

NEVER_FAILS = GripperSpec(fails={})
COUNTER = (11.06, 1.08, -pi / 2)  # where the robot stands to be at the counter


def apartment(**changes: object) -> Scene:
    return load_scene().model_copy(update={"gripper": NEVER_FAILS, **changes})


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    simulation = Simulation(apartment())
    yield simulation
    simulation.close()


@pytest.fixture
def world(shared: Simulation) -> Simulation:
    shared.reset()
    return shared


def test_drives_straight_for_a_metre(world: Simulation) -> None:
    world.put_robot(3.0, 4.75, 0.0)
    world.drive(0.5, 0.0)
    start = world.time
    while world.odometry[0] < 4.0:
        world.step(0.02)
        assert world.time - start < 4.0
    # 1 m at 0.5 m/s is 2 s, and reaching 0.5 m/s at 0.8 m/s² costs half of 0.625 s.
    assert world.time - start == pytest.approx(2.31, abs=0.15)
    assert world.odometry[1] == pytest.approx(4.75, abs=0.01)
    assert world.odometry[3] == pytest.approx(0.5, abs=0.02)


def test_turns_a_quarter_on_the_spot(world: Simulation) -> None:
    world.put_robot(7.0, 4.75, 0.0)
    world.drive(0.0, 1.0)
    start = world.time
    while world.odometry[2] < pi / 2:
        world.step(0.02)
        assert world.time - start < 3.0
    assert world.time - start == pytest.approx(pi / 2 + 0.125, abs=0.03)  # wheels that scrub take 3 % more
    assert hypot(world.odometry[0] - 7.0, world.odometry[1] - 4.75) < 0.02


def test_comes_to_rest_at_zero_velocity(world: Simulation) -> None:
    world.put_robot(3.0, 4.75, 0.0)
    world.drive(0.8, 0.0)
    world.step(2.0)
    world.drive(0.0, 0.0)
    world.step(1.0)
    resting = world.odometry
    world.step(1.0)
    assert world.odometry[:3] == pytest.approx(resting[:3], abs=1e-3)
    assert abs(world.odometry[3]) < 1e-3


def test_stops_at_a_wall_and_does_not_tip(world: Simulation) -> None:
    world.put_robot(4.5, 4.75, -pi / 2)  # the hallway's southern wall, 4.05 m, is 0.45 m before its hull
    world.drive(0.8, 0.0)
    world.step(3.0)
    assert world.odometry[1] == pytest.approx(4.05 + 0.25, abs=0.03)
    upright = world.data.body("robot").xmat.reshape(3, 3)[2, 2]
    assert upright > 0.99


def test_full_speed_and_full_braking_do_not_tip_it(world: Simulation) -> None:
    world.put_robot(2.0, 4.75, 0.0)
    tilt = 1.0
    for v, w in ((0.8, 0.0), (-0.8, 0.0), (0.8, 2.0), (0.0, 0.0)):
        world.drive(v, w)
        for _ in range(20):
            world.step(0.05)
            tilt = min(tilt, float(world.data.body("robot").xmat.reshape(3, 3)[2, 2]))
    assert tilt > 0.99


def test_nothing_falls_or_drifts_in_half_a_minute(world: Simulation) -> None:
    before = world.truth()
    for name, position in zip(before.objects, before.positions, strict=True):
        x, y, z, _ = start_pose(world.scene, name)
        assert position == pytest.approx((x, y, z + world.scene.hull(name).half[2]), abs=0.005), name
    world.step(30.0)
    after = world.truth()
    assert after.locations == before.locations
    assert np.abs(after.positions - before.positions).max() < 0.002
    assert (after.x, after.y, after.yaw) == pytest.approx((before.x, before.y, before.yaw), abs=1e-3)


def test_the_truth_says_where_things_are(world: Simulation) -> None:
    truth = world.truth()
    assert {name: truth.location(name) for name in truth.objects} == {name: thing.on for name, thing in world.scene.objects.items()}
    world.put("ball", (7.0, 4.75, 0.001))
    world.put("plate", (11.4, 0.5, 0.901))
    assert world.truth().location("ball") == "floor"
    assert world.truth().location("plate") == "counter"


def test_grasps_an_object_within_six_centimetres(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    x, y, z = world.middle("red_cup")
    assert world.grip("grasp", (x, y + 0.041 + 0.05, z)) == (True, "took red_cup")
    assert world.truth().location("red_cup") == "gripper"


def test_grasps_nothing_farther_than_six_centimetres(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    x, y, z = world.middle("red_cup")
    done, message = world.grip("grasp", (x, y + 0.041 + 0.07, z))
    assert not done
    assert "within 6 cm" in message
    assert world.holding == ""


def test_grasps_the_wrong_object_when_pointed_at_it(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    assert world.grip("grasp", tuple(world.middle("lemon"))) == (True, "took lemon")


def test_reaches_no_farther_than_its_arm(world: Simulation) -> None:
    world.put_robot(11.06, 1.9, -pi / 2)
    done, message = world.grip("grasp", tuple(world.middle("red_cup")))
    assert not done
    assert "the arm reaches 0.95 m" in message


def test_holds_one_thing_at_a_time(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    assert world.grip("grasp", tuple(world.middle("lemon"))) == (False, "the gripper holds red_cup already")


def test_carries_what_it_holds_in_front_of_it(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    world.step(2.0)
    world.drive(-0.4, 0.3)
    world.step(3.0)
    x, y, yaw, *_ = world.odometry
    away = world.middle("red_cup") - (x, y, 0.0)
    ahead, aside = cos(yaw) * away[0] + sin(yaw) * away[1], cos(yaw) * away[1] - sin(yaw) * away[0]
    assert (ahead, aside, away[2]) == pytest.approx((0.31, -0.14, 1.0), abs=0.05)


@pytest.mark.parametrize("command", ["release", "hand_over"])
def test_an_empty_gripper_gives_nothing(world: Simulation, command: str) -> None:
    world.put_robot(*COUNTER)
    assert world.grip(command, (11.0, 0.6, 0.95)) == (False, "the gripper is empty")


def test_sets_down_at_the_target(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    world.step(1.0)
    assert world.grip("release", (11.55, 0.5, 0.95)) == (True, "set red_cup down on counter")
    world.step(2.0)
    assert world.middle("red_cup")[:2] == pytest.approx((11.55, 0.5), abs=0.01)
    assert world.truth().location("red_cup") == "counter"
    assert world.holding == ""


def test_sets_down_beside_an_object_that_stands_there(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    before = world.middle("lemon")
    assert world.grip("release", (before[0], before[1], 0.9))[0]
    world.step(2.0)
    assert 0.05 < hypot(*(world.middle("red_cup") - before)[:2]) < 0.25
    assert world.middle("lemon") == pytest.approx(before, abs=0.002)


def test_sets_nothing_down_in_the_air(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    world.put_robot(11.4, 2.3, 0.0)
    done, message = world.grip("release", (11.9, 2.3, 1.2))
    assert not done
    assert "nothing at the target" in message
    assert world.holding == "red_cup"


def test_sets_down_on_the_floor(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    world.put_robot(11.4, 2.3, 0.0)
    assert world.grip("release", (11.9, 2.3, 0.0))[0]
    world.step(1.0)
    assert world.truth().location("red_cup") == "floor"


def test_hands_over_to_the_person_at_the_target(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    world.step(1.0)
    hand = hand_of(world.scene, "operator")
    world.put_robot(hand[0] - 0.4, hand[1] - 0.3, 0.64)
    assert world.grip("hand_over", hand) == (True, "gave red_cup to operator")
    world.step(5.0)
    assert world.truth().location("red_cup") == "operator"
    assert hypot(*(world.middle("red_cup") - hand)) < 0.1


def test_a_person_can_be_given_a_second_thing(world: Simulation) -> None:
    test_hands_over_to_the_person_at_the_target(world)
    robot, hand = world.odometry[:3], hand_of(world.scene, "operator")
    world.put_robot(*COUNTER)
    assert world.grip("grasp", tuple(world.middle("lemon")))[0]
    world.put_robot(*robot)
    assert world.grip("hand_over", hand) == (True, "gave lemon to operator")
    world.step(1.0)
    assert [world.truth().location(name) for name in ("red_cup", "lemon")] == ["operator", "operator"]
    assert hypot(*(world.middle("red_cup") - world.middle("lemon"))) > 0.1


def test_takes_an_object_back_from_a_person(world: Simulation) -> None:
    test_hands_over_to_the_person_at_the_target(world)
    assert world.grip("grasp", tuple(world.middle("red_cup")))[0]
    assert world.truth().location("red_cup") == "gripper"


def test_hands_nothing_over_without_a_person(world: Simulation) -> None:
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    done, message = world.grip("hand_over", (11.06, 0.6, 1.0))
    assert not done
    assert "nobody's hand" in message


@pytest.mark.parametrize(("command", "target"), [("throw", (11.0, 0.5, 0.95)), ("grasp", (float("nan"), 0.5, 0.95))])
def test_requests_without_sense_are_refused(world: Simulation, command: str, target: tuple[float, float, float]) -> None:
    world.put_robot(*COUNTER)
    assert not world.grip(command, target)[0]


def test_fails_as_often_as_the_scene_says_and_says_so() -> None:
    world = Simulation(apartment(gripper=GripperSpec(fails={"grasp": 0.5})), seed=3)
    world.put_robot(*COUNTER)
    outcomes = []
    for _ in range(60):
        done, message = world.grip("grasp", tuple(world.middle("lemon")))
        outcomes.append(done)
        assert done or "slipped" in message
        world.put("lemon", (11.2, 0.5, 0.9005))
    assert 18 <= sum(outcomes) <= 42


def test_same_seed_same_outcome() -> None:
    world = Simulation(apartment(gripper=GripperSpec(fails={"grasp": 0.5})), seed=1)

    def run() -> tuple[list[bool], bytes]:
        world.drive(0.3, 0.4)
        world.step(1.0)
        world.put_robot(*COUNTER)
        tries = []
        for _ in range(12):
            tries.append(world.grip("grasp", tuple(world.middle("lemon")))[0])
            world.step(0.2)
            world.put("lemon", (11.2, 0.5, 0.9005))
        return tries, world.data.qpos.tobytes()

    first = run()
    world.reset(seed=1)
    assert run() == first
    world.reset(seed=2)
    assert run()[0] != first[0]
    assert Simulation(world.scene).data.qpos.tobytes() == Simulation(world.scene).data.qpos.tobytes()


def test_a_reset_undoes_everything(world: Simulation) -> None:
    start = world.truth()
    world.put_robot(*COUNTER)
    world.grip("grasp", tuple(world.middle("red_cup")))
    world.drive(-0.5, 0.5)
    world.step(2.0)
    world.reset()
    assert world.time == 0.0
    world.step(1.0)
    assert world.truth().locations == start.locations
    assert world.truth().positions == pytest.approx(start.positions, abs=1e-3)
    assert world.odometry == pytest.approx((start.x, start.y, start.yaw, 0.0, 0.0), abs=1e-3)


def test_furniture_cannot_be_driven_through(world: Simulation) -> None:
    counter = surfaces_of(world.scene, "counter")[0]
    world.put_robot(11.06, 1.6, -pi / 2)
    world.drive(0.8, 0.0)
    world.step(3.0)
    assert counter.distance(*world.odometry[:2]) > 0.18  # the base fits a little under the worktop
    assert world.truth().location("red_cup") == "counter"
