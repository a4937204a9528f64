"""The scene file: what it may say, what the default apartment is like, and that it is the world of the default domain."""

from itertools import combinations
from math import atan2, cos, hypot, pi, sin
from pathlib import Path

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.errors import DomainError
from sayso.paths import config_dir
from sayso.sim import load_scene
from sayso.sim.layout import hand_of, obstacles, start_pose, surfaces, surfaces_of, walls
from sayso.sim.mesh import mesh_of
from sayso.sim.robot_body import RADIUS
from sayso.sim.scene import Part

APARTMENT = load_scene()
HOME = load_domain()
SMALL = """include: [{scenes}/furniture.yaml, {scenes}/things.yaml]
name: small
palette: {{oak: "#c0a070", walnut: "#705030", graphite: "#303030", white: "#ffffff", red: "#ff0000", linen: "#eeeeee", wall: "#eeeeee"}}
rooms: {{room: {{area: [0, 0, 3, 3], floor: {{colors: ["#aaaaaa", "#999999"]}}}}}}
walls: [{{start: [0, 0], end: [3, 0], openings: [[1, 2]]}}]
furniture:
  board: {{shape: table, at: [1, 2]}}
objects:
  mug: {{shape: cup, on: board, at: [0, 0.2]}}
people: {{}}
robot: {{at: [1, 1]}}
"""


def small_scene(tmp_path: Path, change: tuple[str, str] = ("", "")) -> Path:
    file = tmp_path / "scene.yaml"
    text = SMALL.format(scenes=config_dir() / "scenes")
    file.write_text(text.replace(*change) if change[0] else text)
    return file


def test_a_small_scene_of_ones_own_loads(tmp_path: Path) -> None:
    scene = load_scene(small_scene(tmp_path))
    assert start_pose(scene, "mug")[:3] == pytest.approx((1.25, 2.0, 0.75))  # a table is 0.9 m deep, the mug 0.2 m behind its front


@pytest.mark.parametrize(
    ("change", "line", "told"),
    [
        (("shape: cup", "shape: cupp"), 9, "unknown shape 'cupp'"),
        (("on: board", "on: bord"), 9, "unknown furniture 'bord'"),
        (("shape: cup,", "shape: chair,"), 9, "cannot be taken"),
        (("shape: table", "shape: rug"), 7, "the colour 'border'"),
        (("[[1, 2]]", "[[1, 4]]"), 5, "within the wall's 3 m"),
        (("end: [3, 0]", "end: [3, 1]"), 5, "along x or along y"),
        (("area: [0, 0, 3, 3]", "area: [3, 0, 0, 3]"), 4, "x0 < x1"),
        (("at: [1, 2]}", "at: [1, 2], hight: 3}"), 7, "Extra inputs"),
        (("at: [1, 2]}", "at: [1, 2], colors: {main: pnik}}"), 7, "unknown colour 'pnik'"),
        (("  mug:", "  board:"), 9, "the id is also used in furniture"),
        (("robot: {at: [1, 1]}", "robot: {at: here}"), 11, "robot.at"),
        (("people: {}", "people: {"), 12, "not YAML"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, change: tuple[str, str], line: int, told: str) -> None:
    with pytest.raises(DomainError, match=told) as raised:
        load_scene(small_scene(tmp_path, change))
    assert f"scene.yaml:{line}:" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_scene_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="cannot be read"):
        load_scene(tmp_path / "nowhere.yaml")


def test_a_part_is_exactly_one_primitive() -> None:
    with pytest.raises(ValueError, match="exactly one of"):
        Part(box=(1, 1, 1), sphere=1.0)


def test_scene_and_domain_agree_on_all_ids() -> None:
    places = {name for name, place in HOME.places.items() if place.kind == "room"}
    furniture = {name for name, place in HOME.places.items() if place.kind == "furniture"}
    assert set(APARTMENT.rooms) == places
    assert set(APARTMENT.furniture) == furniture
    assert set(APARTMENT.objects) == set(HOME.objects)
    assert set(APARTMENT.people) == set(HOME.people)
    with_surface = {name for name, place in HOME.places.items() if place.surface}
    assert {surface.name for surface in surfaces(APARTMENT)} == with_surface
    assert not set(APARTMENT.decor) & set(HOME.places)


def test_everything_is_where_it_usually_is() -> None:
    for name, thing in APARTMENT.objects.items():
        assert thing.on in HOME.objects[name].usual, name
    for name, person in APARTMENT.people.items():
        assert room_at(*person.at) in HOME.people[name].usual, name


def test_places_are_in_the_rooms_that_the_domain_says() -> None:
    for name, place in HOME.places.items():
        assert room_at(place.pose[0], place.pose[1]) == HOME.room_of(name), name
    for name, placed in APARTMENT.furniture.items():
        assert room_at(*placed.at) == HOME.room_of(name), name


def test_the_robot_stands_free_at_every_place() -> None:
    for name, place in HOME.places.items():
        nearest = min(obstacles(APARTMENT), key=lambda block: block.distance(place.pose[0], place.pose[1]))
        assert nearest.distance(place.pose[0], place.pose[1]) >= RADIUS + 0.1, f"{name}: {nearest.name} is too near"


def test_the_robot_can_reach_what_stands_before_it_and_faces_it() -> None:
    for name, thing in APARTMENT.objects.items():
        x, y, yaw = HOME.places[thing.on].pose
        at = start_pose(APARTMENT, name)
        assert hypot(at[0] - x, at[1] - y) <= 0.75, name
        away = atan2(at[1] - y, at[0] - x) - yaw
        assert abs(atan2(sin(away), cos(away))) < pi / 5, name


def test_things_stand_apart_on_their_furniture() -> None:
    for one, other in combinations(APARTMENT.objects, 2):
        (x, y, *_), (other_x, other_y, *_) = start_pose(APARTMENT, one), start_pose(APARTMENT, other)
        assert hypot(x - other_x, y - other_y) >= 0.12, f"{one} and {other}"
    for name, thing in APARTMENT.objects.items():
        x, y, *_ = start_pose(APARTMENT, name)
        assert any(surface.distance(x, y) == 0.0 for surface in surfaces_of(APARTMENT, thing.on)), name


def test_surfaces_are_at_heights_of_furniture() -> None:
    assert all(0.4 <= surface.top <= 0.95 for surface in surfaces(APARTMENT))


def test_openings_let_the_robot_through() -> None:
    widths = [end - begin for wall in APARTMENT.walls for begin, end in wall.openings]
    assert len(widths) == 7
    assert min(widths) >= 1.1


def test_walls_close_corners_and_leave_openings() -> None:
    blocks = walls(APARTMENT)
    assert any(block.distance(0.0, 0.0) == 0.0 for block in blocks)
    assert all(block.distance(3.2, 4.0) > 0.5 for block in blocks)  # the living room's door
    assert any(block.distance(2.0, 4.0) == 0.0 for block in blocks)


def test_peoples_hands_are_in_front_of_them() -> None:
    for name, person in APARTMENT.people.items():
        x, y, z = hand_of(APARTMENT, name)
        ahead = cos(person.yaw * pi / 180) * (x - person.at[0]) + sin(person.yaw * pi / 180) * (y - person.at[1])
        assert ahead > 0.3, name
        assert 0.9 < z < 1.15, name


def test_a_turned_profile_is_a_closed_shell_seen_from_outside() -> None:
    mesh = mesh_of(Part(lathe=((0.0, 0.0), (0.5, 0.0), (0.5, 2.0), (0.0, 2.0))))
    assert mesh is not None
    points, faces = mesh
    corners = points[faces]
    volume = (np.cross(corners[:, 1], corners[:, 2]) * corners[:, 0]).sum() / 6  # by the divergence theorem; negative inside out
    assert volume == pytest.approx(pi * 0.25 * 2.0, rel=0.02)


def room_at(x: float, y: float) -> str:
    return next(name for name, room in APARTMENT.rooms.items() if room.area[0] <= x <= room.area[2] and room.area[1] <= y <= room.area[3])
