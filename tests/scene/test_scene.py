"""The scene file: its rules, the default apartment, and its agreement with the default domain."""

from itertools import combinations
from math import atan2, cos, hypot, pi, sin
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.errors import DomainError
from sayso.paths import config_dir
from sayso.scene import load_scene
from sayso.scene.bodies import all_bodies, loose_bodies
from sayso.scene.collisions import depth
from sayso.scene.layout import Rectangle, hand_of, obstacles, start_pose, surfaces, surfaces_of, walls
from sayso.scene.mesh import mesh_of
from sayso.scene.scene import Part
from sayso.sim.robot_body import RADIUS

APARTMENT = load_scene()
HOME = load_domain()
SMALL = """include: [{scenes}/palette.yaml, {scenes}/furniture.yaml, {scenes}/things.yaml]
name: small
palette: {{oak: "#c0a070"}}
rooms: {{room: {{area: [0, 0, 3, 3], floor: {{colors: ["#aaaaaa", "#999999"]}}}}}}
walls: [{{start: [0, 0], end: [3, 0], openings: [[1, 2]]}}]
furniture:
  board: {{shape: table, at: [1, 2]}}
objects:
  mug: {{shape: cup, on: board, at: [0, 0.2]}}
people: {{}}
robot: {{at: [2, 1]}}
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
    ("change", "line", "message"),
    [
        (("shape: cup", "shape: cupp"), 9, "unknown shape 'cupp'"),
        (("on: board", "on: bord"), 9, "unknown furniture 'bord'"),
        (("shape: cup,", "shape: chair,"), 9, "cannot be taken"),
        (
            (
                "people: {}",
                "shapes: {slab: {parts: [{box: [1, 1, 1], color: border}]}}\ndecor: {block: {shape: slab, at: [2, 2]}}\npeople: {}",
            ),
            11,
            "the colour 'border'",
        ),
        (("[[1, 2]]", "[[1, 4]]"), 5, "within the wall's 3 m"),
        (("end: [3, 0]", "end: [3, 1]"), 5, "along x or along y"),
        (("area: [0, 0, 3, 3]", "area: [3, 0, 0, 3]"), 4, "x0 < x1"),
        (('#999999"]}}}', '#999999"]}}, attic: {area: [2, 2, 5, 5], floor: {colors: [red, red]}}}'), 4, "overlaps the room 'room'"),
        (("at: [1, 2]}", "at: [1, 2], hight: 3}"), 7, "unknown field 'hight'; known: at, colors, shape, size, stains, yaw, z"),
        (("at: [1, 2]}", "at: [1, 2], colors: {main: pnik}}"), 7, "unknown colour 'pnik'; did you mean 'pink'? known: black, blue"),
        (("end: [3, 0],", "end: [3, 0], color: beige,"), 5, "unknown colour 'beige'"),
        (('"#999999"', "grey"), 4, "unknown colour 'grey'"),
        (('"#c0a070"', '"#c0a07"'), 3, "'#c0a07' is not a colour"),
        (("  board: {", "  board: {shape: chair, at: [2, 1]}\n  board: {"), 8, "'board' is given twice"),
        (("  mug: {", "  mug: {shape: can, on: board, at: [0.3, 0.2]}\n  mug: {"), 10, "'mug' is given twice"),
        (("people: {}", "people: {mug: {at: [2, 1]}}"), 10, "the id is also used in objects"),
        (("  mug:", "  robot:"), 9, "the simulation uses this name itself"),
        (("  mug:", "  my mug:"), 9, "letters, digits and _ only"),
        # Walls: beside each other in one place, and across an opening.
        (("walls: [", "walls: [{start: [2.5, 0], end: [4, 0]},\n "), 6, "overlaps the wall from (2.5, 0) to (4, 0) over 0.50 m"),
        (("walls: [", "walls: [{start: [2, 0.03], end: [4, 0.03]},\n "), 6, "overlaps the wall from (2, 0.03) to (4, 0.03)"),
        (("walls: [", "walls: [{start: [1.5, 0], end: [1.5, 2]},\n "), 6, "the opening is closed by the wall from (1.5, 0) to (1.5, 2)"),
        # Things where there is no room for them.
        (("at: [1, 2]}", "at: [1, 0.7]}"), 7, "it stands in the wall from (0, 0) to (3, 0), 15 cm deep"),
        (("at: [1, 2]}", "at: [9, 2]}"), 7, "(9, 2) is in no room"),
        (("at: [1, 2]}", "at: [1, 2]}\n  chest: {shape: low_table, at: [1.5, 2]}"), 8, "it stands in 'board', 20 cm deep"),
        (("at: [1, 2]}", "at: [1, 2], yaw: 45}\n  chest: {shape: low_table, at: [1.5, 2.5]}"), 8, "it stands in 'board'"),
        (("people: {}", "people: {anna: {at: [0.1, 0.1]}}"), 10, "it stands in the wall"),
        (
            ("people: {}", "decor: {entrance: {shape: door, at: [2.5, 2]}}\npeople: {}"),
            10,
            "the door has no wall: there is none within 5 cm",
        ),
        (("at: [0, 0.2]}", "at: [0, 1.2]}"), 9, "the middle of its foot is beside the surface"),
        (("at: [0, 0.2]}", "at: [0, 0.2], scale: 9}"), 9, "must be at most 4, this is 9"),
        (("at: [0, 0.2]}", "at: [0, 0.2]}\n  jug: {shape: cup, on: board, at: [0.05, 0.2]}"), 10, "it is inside 'mug'"),
        (("robot: {at: [2, 1]}", "robot: {at: [1, 1.2]}"), 11, "the robot stands in 'board'"),
        (("robot: {at: [2, 1]}", "robot: {at: [2, 0.2]}"), 11, "the robot stands in a wall"),
        (("robot: {at: [2, 1]}", "robot: {at: [1, -1]}"), 11, "in no room"),
        (("  mug:", "  board:"), 9, "the id is also used in furniture"),
        (("robot: {at: [2, 1]}", "robot: {at: here}"), 11, "robot.at"),
        (("people: {}", "people: {"), 12, "not YAML"),
        (
            ("people: {}", "gripper: {fails: {grap: 0.1}}\npeople: {}"),
            10,
            "'grap' is not allowed; did you mean 'grasp'?",
        ),
        (("at: [1, 2]}", "at: [1, .inf]}"), 7, "furniture.board.at.1: a finite number is expected, found inf"),
        (("at: [1, 2]}", "at: [1, 2], size: [1, 1, 0]}"), 7, "furniture.board.size: every length must be above 0"),
        (('rooms: {room: {area: [0, 0, 3, 3], floor: {colors: ["#aaaaaa", "#999999"]}}}', "rooms: {}"), 4, "at least 1 of them"),
    ],
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, change: tuple[str, str], line: int, message: str) -> None:
    with pytest.raises(DomainError) as raised:
        load_scene(small_scene(tmp_path, change))
    assert message in str(raised.value)
    assert f"scene.yaml:{line}:" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_wrong_position_does_not_make_other_things_collide(tmp_path: Path) -> None:
    file = small_scene(
        tmp_path, ("{shape: table, at: [1, 2]}", "{shape: table, at: [1, .nan], yaw: left}\n  chest: {shape: low_table, at: [1, 9]}")
    )
    with pytest.raises(DomainError) as raised:
        load_scene(file)
    assert [finding.split(": ")[1] for finding in raised.value.findings] == [
        "furniture.board.at.1",
        "furniture.board.yaw",
        "furniture.chest.at",
    ]


def test_an_object_inside_a_wall_is_refused(tmp_path: Path) -> None:
    # The table may be 2 cm too near; what stands at its very edge is then inside the wall.
    file = small_scene(tmp_path, ("{shape: table, at: [1, 2]}", "{shape: table, at: [2.5, 0.49], yaw: 90}"))
    file.write_text(file.read_text().replace("at: [0, 0.2]}", "at: [0, 0.87]}").replace("openings: [[1, 2]]", "openings: []"))
    with pytest.raises(DomainError, match=r"scene.yaml:9: objects.mug.at: it is inside the wall from \(0, 0\) to \(3, 0\)"):
        load_scene(file)


def test_corners_crossings_and_walls_in_one_line_are_no_overlap(tmp_path: Path) -> None:
    walls = "[{start: [0, 0], end: [3, 0], openings: [[1, 2]]}, {start: [3, 0], end: [5, 0]}, {start: [0, 0], end: [0, 3]}, "
    file = small_scene(tmp_path, ("[{start: [0, 0], end: [3, 0], openings: [[1, 2]]}]", walls + "{start: [2.05, -1], end: [2.05, 0.5]}]"))
    file.write_text(file.read_text().replace("robot: {at: [2, 1]}", "robot: {at: [2.5, 1.5]}"))
    assert len(load_scene(file).walls) == 4


@given(x=st.floats(-3, 3), y=st.floats(-3, 3), yaw=st.floats(-7, 7), other_yaw=st.floats(-7, 7), half=st.tuples(*[st.floats(0.05, 2)] * 4))
def test_two_rectangles_overlap_exactly_when_they_share_a_point(
    x: float, y: float, yaw: float, other_yaw: float, half: tuple[float, float, float, float]
) -> None:
    one = Rectangle("one", 0.0, 0.0, yaw, half[:2], 0.0, 1.0)
    other = Rectangle("other", x, y, other_yaw, half[2:], 0.0, 1.0)
    grid = np.linspace(-1, 1, 41)
    points = [other.point(other.half[0] * a, other.half[1] * b) for a in grid for b in grid]
    nearest = min(one.distance(*point) for point in points)
    assert depth(one, other) == pytest.approx(depth(other, one))
    spacing = max(other.half) / 20 * 2**0.5
    if depth(one, other) < 0:
        assert nearest > 0
    elif depth(one, other) > 2 * spacing:
        assert nearest < spacing


def test_a_scaled_thing_is_larger_and_heavier_to_touch_and_to_see(tmp_path: Path) -> None:
    once = loose_bodies(load_scene(small_scene(tmp_path)))[0]
    (tmp_path / "twice").mkdir()
    twice = loose_bodies(load_scene(small_scene(tmp_path / "twice", ("at: [0, 0.2]}", "at: [0, 0.2], scale: 2}"))))[0]
    assert once.hull is not None and twice.hull is not None
    assert twice.hull.half == pytest.approx([2 * length for length in once.hull.half])
    assert twice.mass == pytest.approx(8 * once.mass)
    for small, large in zip(once.pieces, twice.pieces, strict=True):
        assert large.at == pytest.approx([2 * length for length in small.at])
        if small.triangles is not None and large.triangles is not None:
            assert large.triangles[0] == pytest.approx(2 * small.triangles[0])


def test_every_body_has_its_resolved_colour_and_pose() -> None:
    bodies = {body.name: body for body in all_bodies(APARTMENT)}
    assert set(APARTMENT.furniture) | set(APARTMENT.decor) | set(APARTMENT.people) | set(APARTMENT.objects) <= set(bodies)
    assert bodies["red_cup"].pieces[0].rgba == (*APARTMENT.rgb("red"), 1.0)
    assert bodies["kitchen_table"].pieces[0].rgba == (*APARTMENT.rgb("white"), 1.0)
    assert bodies["kitchen_table"].pieces[0].size[:2] == pytest.approx((0.7, 1.0))
    assert bodies["wall/0"].pieces[0].rgba == (*APARTMENT.rgb("wall"), 1.0)
    assert all(not piece.solid for name in APARTMENT.objects for piece in bodies[name].pieces)


def test_circular_links_instead_of_a_scene_are_reported(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").symlink_to("mine.yaml")
    with pytest.raises(DomainError, match=r"mine\.yaml: cannot be read"):
        load_scene(tmp_path / "mine.yaml")


def test_a_missing_scene_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match=r"nowhere\.yaml: there is no such file$"):
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
    widths = sorted(end - begin for wall in APARTMENT.walls for begin, end in wall.openings)
    assert len(widths) == 8
    assert widths[0] == pytest.approx(APARTMENT.shapes["front_door"].size[1])  # which the front door fills
    assert widths[1] >= 1.1


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
