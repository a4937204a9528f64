"""The pad in the embedded simulation: it takes stains away where it passes, over time, and goes around what stands there."""

from collections.abc import Iterator
from math import atan2, dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing import picture_of
from sayso.scene import load_scene
from sayso.scene.layout import Rectangle
from sayso.scene.scene import GripperSpec, Loose
from sayso.scene.stains import stains
from sayso.sim.simulation import Simulation
from sayso.sim.wiping import PAD, PATCH, strokes

SCENE = load_scene().model_copy(update={"gripper": GripperSpec(fails={})})
STAIN = next(stain.at for stain in stains(SCENE) if stain.furniture == "counter")
BEFORE = (STAIN[0], 1.05)  # where the robot stands


@pytest.fixture(scope="module")
def shared() -> Iterator[Simulation]:
    simulation = Simulation(SCENE)
    yield simulation
    simulation.close()


@pytest.fixture
def world(shared: Simulation) -> Simulation:
    shared.reset()
    shared.put_robot(*BEFORE, -1.571)
    return shared


def wiped(world: Simulation, at=STAIN) -> tuple[bool, str]:
    operation = world.request("wipe", at)
    began = world.time
    while not operation.done():
        world.step(0.02)
        assert world.time - began < 9.0  # the robot waits 10 s for an answer
    return operation.result()


def test_a_stain_is_seen_and_gone_after_it_was_wiped(world: Simulation) -> None:
    assert {"dirty(counter)", "dirty(dining_table)"} <= set(world.truth().facts)
    before = picture_of(world).rgb.copy()
    assert wiped(world) == (True, "wiped counter")
    assert {"clean(counter)", "dirty(dining_table)"} <= set(world.truth().facts)
    world.step(4.0)  # the arm folds
    assert (before != picture_of(world).rgb).any()


def test_wiping_takes_time_and_a_stop_ends_it(world: Simulation) -> None:
    operation = world.request("wipe", STAIN)
    world.step(0.2)
    assert not operation.done()
    assert world.request("wipe", STAIN).result() == (False, "the gripper is busy")
    world.request("stop", STAIN)
    assert operation.result() == (False, "stopped")
    assert "dirty(counter)" in world.truth().facts


def test_the_world_begins_anew_with_its_stains(world: Simulation) -> None:
    wiped(world)
    world.reset()
    assert "dirty(counter)" in world.truth().facts


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ((STAIN[0], STAIN[1], 0.2), "there is no surface at the target"),
        ((BEFORE[0], 1.5, STAIN[2]), "there is no surface at the target"),
        ((float("nan"), 0.0, 0.0), "the target is not a point"),
    ],
)
def test_what_cannot_be_wiped_is_refused_with_the_reason(world: Simulation, target, why: str) -> None:
    assert wiped(world, target) == (False, why)


def test_a_surface_out_of_reach_is_refused(world: Simulation) -> None:
    world.put_robot(STAIN[0], 2.5, atan2(-1, 0))
    assert "the arm reaches 0.95 m" in wiped(world)[1]


def test_a_full_hand_does_not_wipe(world: Simulation) -> None:
    world.step(1.0)
    assert world.grip("grasp", tuple(world.middle("red_cup")))[0] or not world.holding
    if world.holding:
        assert wiped(world) == (False, f"the gripper holds {world.holding}")


def test_the_pad_sometimes_catches() -> None:
    simulation = Simulation(SCENE.model_copy(update={"gripper": GripperSpec(fails={"wipe": 1.0})}))
    simulation.put_robot(*BEFORE, -1.571)
    assert wiped(simulation) == (False, "the pad caught on counter")
    simulation.close()


def test_what_is_under_a_thing_stays_and_does_not_count() -> None:
    cup = SCENE.objects["red_cup"]
    on_it = Loose(shape=cup.shape, on="counter", at=SCENE.furniture["counter"].stains[0], colors=cup.colors)
    simulation = Simulation(SCENE.model_copy(update={"objects": {**SCENE.objects, "red_cup": on_it}}))
    simulation.put_robot(*BEFORE, -1.571)
    before = simulation.middle("red_cup")
    assert "clean(counter)" in simulation.truth().facts
    assert wiped(simulation)[0]
    assert dist(before, simulation.middle("red_cup")) < 0.005
    simulation.world.pose("red_cup", (2.0, 2.0, 0.01), 0.0)
    simulation.step(0.1)
    assert "dirty(counter)" in simulation.truth().facts
    simulation.close()


SPOT = st.floats(-0.5, 0.5)


@given(st.tuples(SPOT, SPOT), st.floats(-3.0, 3.0), st.lists(st.tuples(SPOT, SPOT, st.floats(0.02, 0.1)), max_size=4))
def test_strokes_stay_on_the_surface_and_away_from_things(target, yaw, standing) -> None:
    surface = Rectangle("table", 0.0, 0.0, yaw, (0.6, 0.4), 0.7, 0.7)
    for spot in strokes(surface, target, standing):
        assert surface.distance(*spot) < 1e-9
        assert dist(spot, target) <= 1.42 * PATCH
        assert all(dist(spot, other[:2]) >= other[2] + PAD for other in standing)


@given(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1))
def test_every_spot_of_a_patch_is_wiped(x: float, y: float) -> None:
    surface = Rectangle("table", 0.0, 0.0, 0.0, (1.0, 1.0), 0.7, 0.7)
    assert min(dist(spot, (x, y)) for spot in strokes(surface, (0.0, 0.0), [])) <= PAD
