"""The embedded simulation's basket: it takes what the hand holds, carries it along, and gives it back."""

from math import hypot

import pytest

from sayso.paths import config_dir
from sayso.scene import load_scene
from sayso.sim.operating import Operation
from sayso.sim.simulation import Simulation

HERE = (0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def simulation() -> Simulation:
    scene = load_scene(config_dir() / "scenes" / "apartment.yaml")
    return Simulation(scene.model_copy(update={"gripper": scene.gripper.model_copy(update={"fails": {}})}))


def answer(simulation: Simulation, command: str, target: tuple[float, float, float] = HERE) -> tuple[bool, str]:
    operation: Operation = simulation.request(command, target)
    for _ in range(500):
        if operation.done():
            break
        simulation.step(0.02)
    return operation.result(timeout=0)


def take(simulation: Simulation, thing: str) -> None:
    x, y, *_ = simulation.odometry
    simulation.put(thing, (x + 0.4, y, 0.01))
    middle = simulation.middle(thing)
    assert answer(simulation, "grasp", (float(middle[0]), float(middle[1]), float(middle[2]))) == (True, f"took {thing}")


def test_a_stowed_thing_rides_along_and_comes_out_again(simulation: Simulation) -> None:
    simulation.reset()
    take(simulation, "red_cup")
    assert answer(simulation, "stow") == (True, "put red_cup into the basket")
    assert (simulation.holding, simulation.truth().location("red_cup")) == ("", "basket")
    assert answer(simulation, "read_basket") == (True, "red_cup")
    before = simulation.odometry
    simulation.drive(0.3, 0.0)
    simulation.step(2.0)
    simulation.drive(0.0, 0.0)
    simulation.step(1.0)
    x, y, *_ = simulation.odometry
    assert hypot(x - before[0], y - before[1]) > 0.3
    assert hypot(*(simulation.middle("red_cup")[:2] - (x, y))) < 0.25
    assert answer(simulation, "unstow red_cup") == (True, "took red_cup")
    assert (simulation.holding, answer(simulation, "read_basket")) == ("red_cup", (True, ""))


def test_it_has_two_slots(simulation: Simulation) -> None:
    simulation.reset()
    for thing in ("red_cup", "bread"):
        take(simulation, thing)
        assert answer(simulation, "stow")[0]
    take(simulation, "milk")
    assert answer(simulation, "stow") == (False, "the basket is full")
    assert answer(simulation, "unstow bread") == (False, "the gripper holds milk already")


def test_what_is_not_there_cannot_be_moved(simulation: Simulation) -> None:
    simulation.reset()
    assert answer(simulation, "stow") == (False, "the gripper is empty")
    assert answer(simulation, "unstow milk") == (False, "there is no milk in the basket")


def test_a_stop_on_the_way_leaves_it_in_the_hand(simulation: Simulation) -> None:
    simulation.reset()
    take(simulation, "red_cup")
    operation = simulation.request("stow", HERE)
    simulation.step(0.1)
    assert not operation.done()
    assert answer(simulation, "stop") == (True, "")
    assert operation.result(timeout=0) == (False, "stopped")
    assert (simulation.holding, answer(simulation, "read_basket")) == ("red_cup", (True, ""))


def test_a_reset_empties_it(simulation: Simulation) -> None:
    simulation.reset()
    take(simulation, "red_cup")
    assert answer(simulation, "stow")[0]
    simulation.reset()
    assert answer(simulation, "read_basket") == (True, "")
    assert simulation.truth().location("red_cup") != "basket"
