"""How people look: the simulation shows it, and its tracker tells it with mistakes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from pydantic import ValidationError

from sayso.scene import load_scene
from sayso.scene.bodies import Body, standing_bodies
from sayso.scene.layout import hand_of, obstacles
from sayso.scene.scene import Figure, Scene
from sayso.sim.simulation import Simulation
from sayso.sim.tracker import LooksSeen, PersonTracker, TrackerSpec
from sayso.sim.world import World

RED = (0xC8 / 255, 0x20 / 255, 0x2A / 255)


def scene_with(**looks: object) -> Scene:
    scene = load_scene()
    return scene.model_copy(update={"people": {"anna": Figure.model_validate({"at": (3.0, 2.6), **looks})}})


def body_of(scene: Scene) -> Body:
    return next(body for body in standing_bodies(scene) if body.kind == "person")


def highest(body: Body) -> float:
    return max(piece.at[2] for piece in body.pieces)


def test_the_outermost_garment_is_what_is_seen() -> None:
    scene = scene_with(wears={"shirt": "blue", "coat": "red", "trousers": "green"})
    assert scene.people["anna"].looks == ("standing", "no_gesture", "red_coat", "green_trousers")
    assert sum(piece.rgba[:3] == pytest.approx(RED) for piece in body_of(scene).pieces) == 5  # body, two shoulders, two sleeves


@pytest.mark.parametrize(("pose", "top"), [("standing", 1.6), ("sitting", 1.2), ("lying", 0.45)])
def test_who_sits_or_lies_is_lower(pose: str, top: float) -> None:
    assert highest(body_of(scene_with(pose=pose))) == pytest.approx(top, abs=0.15)


def test_a_body_that_lies_has_its_length_along_the_floor() -> None:
    scene = scene_with(pose="lying", yaw=90.0)
    taken = next(each for each in obstacles(scene) if each.name == "anna")
    assert taken.half == pytest.approx((0.86, 0.25))
    assert taken.top == pytest.approx(0.36)
    along = [piece.at[0] for piece in body_of(scene).pieces]
    assert max(along) - min(along) == pytest.approx(1.58, abs=0.05)


@pytest.mark.parametrize(
    ("gesture", "side", "height"),
    [("raising_left_arm", 0.2, 1.93), ("raising_right_arm", -0.2, 1.93), ("pointing_left", 0.8, 1.33), ("pointing_right", -0.8, 1.33)],
)
def test_a_gesture_moves_the_hand_of_that_arm(gesture: str, side: float, height: float) -> None:
    hand = body_of(scene_with(gesture=gesture)).pieces[-1]
    assert hand.form == "sphere"
    assert hand.at[1:] == pytest.approx((side, height), abs=0.15)


def test_who_waves_keeps_the_right_hand_open_and_who_sits_has_it_lower() -> None:
    plain = hand_of(scene_with(), "anna")
    assert hand_of(scene_with(gesture="waving"), "anna") == plain
    assert hand_of(scene_with(pose="sitting"), "anna")[2] == pytest.approx(plain[2] - 0.43)


def test_who_sits_does_not_walk() -> None:
    with pytest.raises(ValidationError, match="who walks is standing, and not sitting"):
        Figure(at=(1.0, 1.0), pose="sitting", walks=("kitchen",))


def test_a_seated_person_stays_when_the_robot_says_come_with_me() -> None:
    simulation = Simulation(scene_with(pose="sitting"))
    simulation.put_robot(3.0, 1.6, 0.0)
    simulation.people.hear("anna, please come with me to the kitchen")
    assert not simulation.people.walking("anna")
    simulation.close()


def test_the_tracker_tells_how_people_look_and_is_wrong_as_often_as_it_says() -> None:
    scene = scene_with(pose="sitting", gesture="waving", gender="female", age="child", wears={"shirt": "red"})
    seen = LooksSeen(scene, np.random.default_rng(3), TrackerSpec())
    told = Counter(each.look for second in range(1000) for each in seen(("anna",), 1.01 * second))
    for look in ("sitting", "waving", "female", "child", "red_shirt"):
        assert told[look] == pytest.approx(900, abs=40)
    assert 0 < told["blue_shirt"] < 40
    assert told["male"] == 1000 - told["female"]


def test_a_mistake_of_the_tracker_lasts() -> None:
    seen = LooksSeen(scene_with(gesture="waving"), np.random.default_rng(0), TrackerSpec(mistaken=0.5))
    assert all(seen(("anna",), 10.0 + 0.1 * tick) == seen(("anna",), 10.0) for tick in range(9))
    assert len({seen(("anna",), 10.0 + second) for second in range(1, 20)}) > 1


def test_nobody_tells_the_age_of_whom_the_scene_gives_none() -> None:
    seen = PersonTracker(World(scene_with()), spec=TrackerSpec(mistaken=0.0))(0.0)
    assert [each.look for each in seen.looks] == ["standing", "no_gesture"]


def test_who_lies_is_hidden_by_lower_furniture() -> None:
    scene = load_scene()
    block = next(each for each in obstacles(scene) if each.name == "coffee_table")
    beyond = (block.x, block.y + 1.2)
    sees = {}
    for pose in ("standing", "lying"):
        people = {"anna": Figure(at=beyond, pose=pose)}
        world = World(scene.model_copy(update={"people": people}))
        world.pose("robot", (block.x, block.y - 1.2, 0.0), 0.0)
        world.refresh()
        sees[pose] = "anna" in PersonTracker(world)(0.0).people
    assert sees == {"standing": True, "lying": False}
