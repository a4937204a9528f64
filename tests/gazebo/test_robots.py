"""Several robots in one world: each stands on free floor, apart from the others, and has topics and magnets of its own."""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from sayso.errors import SaysoError
from sayso.gazebo import write_world
from sayso.gazebo.robots import APART, placed_robots
from sayso.gazebo.sdformat import INSTALL, check, is_installed
from sayso.scene import load_scene
from sayso.scene.layout import obstacles
from small_flat import SCENE as FLAT

SCENE = load_scene()
NAMES = ("robot1", "robot2", "robot3")


def test_the_first_stands_where_the_scene_has_its_robot_and_the_others_on_free_floor_near_it() -> None:
    placed = placed_robots(SCENE, NAMES)
    assert [each.name for each in placed] == list(NAMES)
    assert placed[0].start == SCENE.robot
    for index, one in enumerate(placed[1:], 1):
        assert all(math.dist(one.start.at, other.start.at) >= APART for other in placed[:index])
        assert math.dist(one.start.at, SCENE.robot.at) < 2.0
        assert min(block.distance(*one.start.at) for block in obstacles(SCENE) if block.bottom < 1.0) > 0.35


@pytest.mark.parametrize("names", [("robot1", "robot1"), ("robot1", ""), ("robot1", "anna"), ("robot1", "red_cup")])
def test_a_name_that_is_taken_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(SaysoError, match=f"cannot be called '{names[1]}' here"):
        placed_robots(SCENE, names)


def test_more_robots_than_the_room_has_space_for_are_refused() -> None:
    with pytest.raises(SaysoError, match="there is no free floor for the robot"):
        placed_robots(SCENE, [f"robot{number}" for number in range(200)])


def test_each_has_its_own_motors_magnets_and_camera(tmp_path: Path) -> None:
    path = write_world(SCENE, tmp_path, robots=NAMES[:2])
    models = {each.get("name"): each for each in ET.parse(path).getroot().iter("model")}
    topics = [{each.text for each in models[name].iter() if each.tag.endswith("topic")} for name in NAMES[:2]]
    assert len(topics[0]) == len(topics[1]) > len(SCENE.objects)
    assert not topics[0] & topics[1]
    assert any("PosePublisher" in each.get("name", "") for each in models["robot2"].iter("plugin"))


@pytest.mark.skipif(not is_installed(), reason=f"libsdformat is not installed: {INSTALL}")
def test_libsdformat_finds_their_world_valid(tmp_path: Path) -> None:
    (tmp_path / "scene.yaml").write_text(FLAT)
    assert check(write_world(load_scene(tmp_path / "scene.yaml"), tmp_path, robots=NAMES[:2])) == []
