"""The ledge in a person's hand holds what is given, and is in nobody's way."""

from __future__ import annotations

from math import cos, hypot, sin
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.gazebo import write_world
from sayso.robot import RobotMap
from sayso.robot.path import PathPlanner
from sayso.scene import Scene, load_scene
from sayso.scene.layout import hand_of, turned
from sayso.sim.robot_body import CARRYING
from sayso.types import FloatArray

LEAST = 0.07  # m that a thing's middle is inside the ledge at least: otherwise it tips
Ledge = tuple[FloatArray, float, FloatArray]  # middle (3,), yaw, half size (3,)


@pytest.fixture(scope="module")
def scene() -> Scene:
    return load_scene()


@pytest.fixture(scope="module")
def world(scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> ET.Element:
    made = ET.parse(write_world(scene, tmp_path_factory.mktemp("world"))).find("world")
    assert made is not None
    return made


@pytest.fixture(scope="module")
def ledges(scene: Scene, world: ET.Element) -> dict[str, Ledge]:
    found = {}
    for person, placed in scene.people.items():
        collision = world.find(f"model[@name='{person}']//collision[@name='hand']")
        assert collision is not None
        x, y, z, *_ = map(float, collision.findtext("pose", "").split())
        yaw = float(np.radians(placed.yaw))
        found[person] = (
            np.array([*turned(x, y, yaw, placed.at), z]),
            yaw,
            np.array(collision.findtext("geometry/box/size", "").split(), float) / 2,
        )
    return found


def inside(point: FloatArray, ledge: Ledge) -> FloatArray:
    """How far the point is inside the ledge, along it and across, m; seen from above."""
    middle, yaw, half = ledge
    dx, dy = point[:2] - middle[:2]
    found: FloatArray = half[:2] - np.abs([dx * cos(yaw) + dy * sin(yaw), dy * cos(yaw) - dx * sin(yaw)])
    return found


def test_what_is_given_to_a_person_lies_well_on_the_ledge(scene: Scene, ledges: dict[str, Ledge]) -> None:
    for person, ledge in ledges.items():
        assert inside(np.array(hand_of(scene, person)), ledge).min() >= LEAST


def test_a_wide_thing_does_not_meet_the_forearm_on_its_way_to_the_ledge(scene: Scene, world: ET.Element) -> None:
    wide = float(np.linalg.norm(scene.hull("laptop").half[:2]))
    for person, placed in scene.people.items():
        palm, yaw = np.array(hand_of(scene, person)), np.radians(placed.yaw)
        model = world.find(f"model[@name='{person}']")
        assert model is not None
        stand = np.array([float(value) for value in model.findtext("pose", "").split()][:3])
        solid = [
            np.array([float(value) for value in each.findtext("pose", "").split()][:3])
            for each in model.iter("collision")
            if each.get("name") != "hand"
        ]
        assert len(solid) > 5
        turn = np.array([[cos(yaw), -sin(yaw), 0.0], [sin(yaw), cos(yaw), 0.0], [0.0, 0.0, 1.0]])
        assert min(float(np.linalg.norm(stand + turn @ each - palm)) for each in solid) > wide


@pytest.mark.parametrize("thing", ["green_bottle", "milk", "red_cup"])
@pytest.mark.parametrize("way", [("sideboard", "living_room"), ("counter", "sofa")])
def test_what_the_robot_carries_passes_every_persons_hand(thing: str, way: tuple[str, str], scene: Scene, ledges: dict[str, Ledge]) -> None:
    domain = load_domain()
    start, goal = (domain.places[place].pose for place in way)
    path = PathPlanner(RobotMap.from_scene(scene, domain))(start[:2], goal[:2])
    hull = scene.hull(thing)
    held = CARRYING.stretch + hull.radius
    for before, after in zip(path, path[4:], strict=False):
        x, y = after - before
        yaw = float(np.arctan2(y, x)) + CARRYING.yaw
        at = np.array([before[0] + held * cos(yaw), before[1] + held * sin(yaw), CARRYING.lift])
        for person, ledge in ledges.items():
            beside, over = inside(at, ledge), abs(at[2] - ledge[0][2])
            touches = hypot(*np.maximum(-beside, 0.0)) < hull.radius and over < hull.half[2]
            assert not touches, f"{thing} touches {person}'s hand at {before}"
