"""Doors, drawers and switches in the embedded simulation: they move over time, show their state, and refuse with a reason."""

from collections.abc import Iterator
from math import atan2

import numpy as np
import pytest

from drawing import picture_of
from sayso.scene import load_scene
from sayso.scene.fittings import fittings, switches
from sayso.scene.layout import shelves_of
from sayso.scene.scene import GripperSpec, Point3
from sayso.sim.operating import Operation
from sayso.sim.simulation import Simulation

SCENE = load_scene().model_copy(update={"gripper": GripperSpec(fails={})})
FITTINGS = {fitting.name: fitting for fitting in fittings(SCENE)}
FRIDGE, NIGHTSTAND = FITTINGS["fridge"].closed_handle, FITTINGS["nightstand"].closed_handle
LAMP = switches(SCENE)["lamp"]
ASIDE, BEFORE = (12.43, 2.19), (12.78, 2.6)  # beside the fridge's door, and where the door hits the robot


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    simulation = Simulation(SCENE)
    yield simulation
    simulation.close()


@pytest.fixture
def world(shared: Simulation) -> Simulation:
    shared.reset()
    return shared


def stand(world: Simulation, at: tuple[float, float], before: Point3) -> None:
    world.put_robot(*at, atan2(before[1] - at[1], before[0] - at[0]))


def ended(world: Simulation, operation: Operation) -> tuple[bool, str]:
    began = world.time
    while not operation.done():
        world.step(0.02)
        assert world.time - began < 6.0
    return operation.result()


def facts(world: Simulation) -> set[str]:
    """What is true of doors and appliances."""
    return {fact for fact in world.truth().facts if fact.startswith(("open", "closed", "powered", "unpowered"))}


def test_everything_is_closed_and_off_at_the_start(world: Simulation) -> None:
    assert facts(world) == {*(f"closed({name})" for name in FITTINGS), *(f"unpowered({name})" for name in switches(SCENE))}


def test_a_door_opens_over_time_and_closes_again(world: Simulation) -> None:
    stand(world, ASIDE, FRIDGE)
    operation = world.request("open", FRIDGE)
    world.step(1.0)
    assert not operation.done()
    assert not {"open(fridge)", "closed(fridge)"} & facts(world), "half open is neither"
    assert ended(world, operation) == (True, "opened fridge")
    assert world.time == pytest.approx(2.5, abs=0.4)
    assert "open(fridge)" in facts(world)
    assert ended(world, world.request("close", FRIDGE)) == (True, "closed fridge")
    assert "closed(fridge)" in facts(world)


def test_a_drawer_slides_out(world: Simulation) -> None:
    stand(world, (7.7, 7.85), NIGHTSTAND)
    assert ended(world, world.request("open", NIGHTSTAND)) == (True, "opened nightstand")
    assert "open(nightstand)" in facts(world)


def test_what_is_open_already_is_a_success_at_once(world: Simulation) -> None:
    stand(world, ASIDE, FRIDGE)
    ended(world, world.request("open", FRIDGE))
    again = world.request("open", FRIDGE)
    assert again.done()
    assert again.result() == (True, "fridge is open already")


def test_a_handle_out_of_reach_is_refused(world: Simulation) -> None:
    stand(world, (11.4, 2.3), FRIDGE)
    assert ended(world, world.request("open", FRIDGE)) == (False, "the handle or switch is 1.80 m away, the arm reaches 0.95 m")
    assert "closed(fridge)" in facts(world)


def test_a_point_without_a_handle_or_a_switch_is_refused(world: Simulation) -> None:
    stand(world, ASIDE, FRIDGE)
    x, y, z = FRIDGE
    assert world.request("open", (x, y, z - 0.5)).result() == (False, "no handle is within 10 cm of the target")
    assert world.request("switch_on", FRIDGE).result() == (False, "no switch is within 10 cm of the target")
    assert world.request("open", (x, float("nan"), z)).result() == (False, "the target is not a point")


def test_a_full_hand_opens_nothing(world: Simulation) -> None:
    world.put_robot(11.06, 1.08, -1.57)
    assert world.grip("grasp", tuple(world.middle("red_cup")))[0]
    stand(world, ASIDE, FRIDGE)
    assert world.request("open", FRIDGE).result() == (False, "the gripper holds red_cup")


def test_a_door_that_hits_the_robot_is_stuck_and_does_not_push_it_away(world: Simulation) -> None:
    stand(world, BEFORE, FRIDGE)
    x, y, *_ = world.odometry
    assert ended(world, world.request("open", FRIDGE)) == (False, "fridge is stuck: something is in the way")
    assert np.hypot(world.odometry[0] - x, world.odometry[1] - y) < 0.03
    assert "open(fridge)" not in facts(world)


def test_a_robot_that_drives_off_lets_go(world: Simulation) -> None:
    stand(world, ASIDE, FRIDGE)
    operation = world.request("open", FRIDGE)
    world.step(0.5)
    world.put_robot(11.0, 2.3, 0.0)
    succeeded, reason = ended(world, operation)
    assert not succeeded
    assert "the arm reaches 0.95 m" in reason


def test_a_stop_leaves_the_door_where_it_is(world: Simulation) -> None:
    stand(world, ASIDE, FRIDGE)
    operation = world.request("open", FRIDGE)
    world.step(1.0)
    assert world.request("stop", FRIDGE).result() == (True, "")
    assert operation.result() == (False, "stopped")
    world.step(2.0)
    assert not {"open(fridge)", "closed(fridge)"} & facts(world)
    assert ended(world, world.request("close", FRIDGE)) == (True, "closed fridge")


def test_one_operation_at_a_time(world: Simulation) -> None:
    stand(world, ASIDE, FRIDGE)
    world.request("open", FRIDGE)
    assert world.request("close", FRIDGE).result() == (False, "the gripper is busy")


def test_a_lamp_shines_while_it_is_on(world: Simulation) -> None:
    stand(world, (0.98, 0.45), LAMP)
    assert ended(world, world.request("switch_on", LAMP)) == (True, "switched lamp on")
    assert "powered(lamp)" in facts(world)
    material = world.model.geom_matid[[world.model.geom(f"lamp/{index}").id for index in range(3)]]
    assert (world.model.mat_emission[material] > 0.5).sum() == 1
    assert world.request("switch_on", LAMP).result() == (True, "lamp is on already")
    assert ended(world, world.request("switch_off", LAMP)) == (True, "switched lamp off")
    assert "unpowered(lamp)" in facts(world)
    assert (world.model.mat_emission[material] == 0.0).all()


def test_the_camera_sees_that_the_television_is_on(world: Simulation) -> None:
    button = switches(SCENE)["tv_stand"]
    stand(world, (2.5, 0.9), button)
    dark = picture_of(world).rgb.astype(float)
    ended(world, world.request("switch_on", button))
    world.step(1.5)  # the arm folds
    assert world.render().rgb.astype(float).mean() > dark.mean() + 10.0


def test_a_reset_closes_and_switches_off(world: Simulation) -> None:
    stand(world, (0.98, 0.45), LAMP)
    ended(world, world.request("switch_on", LAMP))
    stand(world, ASIDE, FRIDGE)
    world.request("open", FRIDGE)
    world.step(1.0)
    world.reset()
    assert {"closed(fridge)", "unpowered(lamp)"} <= facts(world)
    stand(world, ASIDE, FRIDGE)
    assert ended(world, world.request("open", FRIDGE)) == (True, "opened fridge")


def test_failures_are_drawn_from_the_seed() -> None:
    clumsy = SCENE.model_copy(update={"gripper": GripperSpec(fails={"open": 0.5, "switch_on": 1.0})})
    world = Simulation(clumsy)
    answers = []
    for seed in range(6):
        world.reset(seed)
        stand(world, ASIDE, FRIDGE)
        answers.append(ended(world, world.request("open", FRIDGE)))
    assert set(answers) == {(True, "opened fridge"), (False, "the gripper slipped off the handle of fridge")}
    world.reset(2)
    stand(world, ASIDE, FRIDGE)
    assert ended(world, world.request("open", FRIDGE)) == answers[2]
    stand(world, (0.98, 0.45), LAMP)
    assert ended(world, world.request("switch_on", LAMP)) == (False, "the finger missed the switch of lamp")
    world.close()


def test_an_open_door_does_not_touch_the_furniture_around_it(world: Simulation) -> None:
    stand(world, ASIDE, FRIDGE)
    ended(world, world.request("open", FRIDGE))
    world.step(0.5)
    door = {index for index in range(world.model.ngeom) if world.model.geom_contype[index] == 2}
    contacts = {frozenset((int(contact.geom1), int(contact.geom2))) for contact in world.data.contact[: world.data.ncon]}
    assert not any(pair & door for pair in contacts)


def test_nobody_reaches_through_a_closed_door(world: Simulation) -> None:
    shelf = shelves_of(SCENE, "fridge")[0]
    world.put_all({"milk": ((shelf.x, shelf.y, shelf.top + 0.0005), 0.0)})
    inside = (shelf.x, shelf.y, shelf.top + 0.1)
    stand(world, BEFORE, inside)
    assert world.request("grasp", inside).result() == (False, "fridge is not open")
    stand(world, ASIDE, FRIDGE)
    assert ended(world, world.request("open", FRIDGE))[0]
    stand(world, BEFORE, inside)
    assert world.request("grasp", inside).result() == (True, "took milk")
