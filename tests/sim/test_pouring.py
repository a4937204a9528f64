"""Pouring in the embedded simulation: contents move while the vessel is tilted, into what is under its mouth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sayso.domain import load_domain
from sayso.scene import load_scene
from sayso.scene.scene import GripperSpec
from sayso.sim.operating import Operation
from sayso.sim.simulation import Simulation

SCENE = load_scene().model_copy(update={"gripper": GripperSpec(fails={})})
PLACES = load_domain().places


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    simulation = Simulation(SCENE)
    yield simulation
    simulation.close()


@pytest.fixture
def world(shared: Simulation) -> Simulation:
    shared.reset()
    return shared


def ended(world: Simulation, operation: Operation) -> tuple[bool, str]:
    began = world.time
    while not operation.done():
        world.step(0.02)
        assert world.time - began < 14.0, "skills wait 15 s for the gripper"
    return operation.result()


def take(world: Simulation, source: str, receiver: str) -> None:
    """Take the vessel and stand where the other one is."""
    world.put_robot(*PLACES[SCENE.objects[source].on].pose)
    assert world.grip("grasp", tuple(world.middle(source)))[0]
    world.step(1.5)
    world.put_robot(*PLACES[SCENE.objects[receiver].on].pose)


def upright(world: Simulation, name: str) -> float:
    """1 when it stands upright, 0 when it lies."""
    return float(world.world.foot(name)[1][2, 2])


def poured(world: Simulation) -> set[str]:
    return {fact for fact in world.truth().facts if fact.startswith(("poured", "spilled"))}


@pytest.mark.parametrize(
    ("source", "receiver", "amount"), [("milk", "blue_cup", 200), ("green_bottle", "water_glass", 240), ("orange_juice", "bowl", 400)]
)
def test_what_is_poured_is_in_the_receiver_and_nowhere_else(world: Simulation, source: str, receiver: str, amount: float) -> None:
    before = world.contents[source]
    take(world, source, receiver)
    succeeded, message = ended(world, world.request("pour", tuple(world.middle(receiver))))
    assert succeeded, message
    assert world.contents[receiver] == pytest.approx(amount, abs=3.0)
    assert world.contents[source] + world.contents[receiver] == pytest.approx(before)
    assert poured(world) == {f"poured({source}, {receiver})"}


def test_the_vessel_is_seen_tilted_and_is_upright_and_in_the_hand_again(world: Simulation) -> None:
    take(world, "milk", "blue_cup")
    operation, lowest = world.request("pour", tuple(world.middle("blue_cup"))), 1.0
    while not operation.done():
        world.step(0.02)
        lowest = min(lowest, upright(world, "milk"))
    assert lowest < 0.0, "more than lying"
    world.step(1.5)
    assert upright(world, "milk") > 0.99
    assert world.truth().location("milk") == "gripper"


def test_a_receiver_that_is_taken_away_means_that_it_is_spilled(world: Simulation) -> None:
    take(world, "milk", "blue_cup")
    x, y, z = world.middle("blue_cup")
    operation = world.request("pour", (x, y, z))
    while world.contents["blue_cup"] < 50.0:
        world.step(0.02)
    world.put("blue_cup", (7.0, 1.75, 0.75))
    succeeded, message = ended(world, operation)
    assert not succeeded
    assert message.endswith("of milk went beside blue_cup")
    assert "spilled(milk)" in poured(world)


def test_a_gripper_that_misses_spills() -> None:
    world = Simulation(SCENE.model_copy(update={"gripper": GripperSpec(fails={"pour": 1.0})}))
    take(world, "milk", "blue_cup")
    assert not ended(world, world.request("pour", tuple(world.middle("blue_cup"))))[0]
    assert poured(world) == {"spilled(milk)"}
    world.close()


def test_a_stop_ends_it_with_the_vessel_upright(world: Simulation) -> None:
    take(world, "milk", "blue_cup")
    operation = world.request("pour", tuple(world.middle("blue_cup")))
    while world.contents["blue_cup"] < 50.0:
        world.step(0.02)
    world.request("stop", (0.0, 0.0, 0.0))
    assert operation.result() == (False, "stopped")
    world.step(1.0)
    kept = world.contents["milk"]
    world.step(2.0)
    assert (upright(world, "milk") > 0.99, world.contents["milk"]) == (True, kept)


def test_says_why_it_does_not_pour(world: Simulation) -> None:
    cup = tuple(world.middle("blue_cup"))
    world.put_robot(*PLACES["kitchen_table"].pose)
    assert world.request("pour", cup).result() == (False, "the gripper is empty")
    take(world, "milk", "blue_cup")
    assert world.request("pour", (cup[0], cup[1], 0.1)).result() == (False, "there is no vessel at the target")
    assert world.request("pour", tuple(world.middle("banana"))).result() == (False, "nothing can be poured into banana")
    assert ended(world, world.request("pour", cup))[0]
    assert world.request("pour", cup).result() == (False, "blue_cup is full")
    world.put_robot(7.0, 4.75, 0.0)
    assert world.request("pour", tuple(world.middle("red_cup"))).result() == (False, "red_cup is out of the arm's reach")
    world.reset()
    take(world, "water_glass", "red_cup")
    assert world.request("pour", tuple(world.middle("red_cup"))).result() == (False, "there is nothing in water_glass to pour")


def test_a_reset_fills_everything_again(world: Simulation) -> None:
    take(world, "milk", "blue_cup")
    ended(world, world.request("pour", tuple(world.middle("blue_cup"))))
    world.reset()
    assert (world.contents["milk"], world.contents["blue_cup"], poured(world)) == (800.0, 0.0, set())
