"""Rooms, doorways, decor, new people and furniture: walls and what stands against them come along, and all comments stay."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sayso.errors import SaysoError
from sayso.scene.scene import Scene
from sayso.web.editor.checking import problems
from sayso.web.editor.draft import HomeDraft
from sayso.web.editor.view import draft_as_data
from sayso.yaml_source.surgery import comments

DOMAIN = """name: pair of rooms
include: [sayso:skills.yaml, sayso:intents.yaml]
speaker: eve
scene: scene.yaml
places:
  kitchen: {kind: room, pose: [1.0, 1.0, 0.0]}
  study: {kind: room, pose: [6.0, 1.0, 0.0]}
  hallway: {kind: room, pose: [4.0, 4.8, 0.0]}
  shelf: {names: [shelf], inside: kitchen, pose: [4.2, 3.0, 0.0], surface: true}
objects:
  mug: {names: [mug], category: cup, usual: {shelf: 1}}
people:
  eve: {usual: {study: 1}}
"""
SCENE = """name: pair of rooms
include: [sayso:scenes/palette.yaml, sayso:scenes/furniture.yaml, sayso:scenes/things.yaml]
rooms:
  kitchen: {area: [0, 0, 5, 4], floor: {colors: ["#dfe0da", "#c9ccc6"]}}
  study: {area: [5, 0, 8, 4], floor: {colors: ["#dfe0da", "#c9ccc6"]}}
  hallway: {area: [0, 4, 8, 5.5], floor: {colors: ["#dfe0da", "#c9ccc6"]}}
walls:
  - {start: [0, 0], end: [8, 0]}  # south
  - {start: [8, 5.5], end: [0, 5.5]}
  - {start: [0, 0], end: [0, 5.5]}
  - {start: [8, 0], end: [8, 5.5]}
  # to the hallway, one doorway for each room
  - {start: [8, 4], end: [0, 4], openings: [[1, 2], [5, 6.2]]}
  - {start: [5, 0], end: [5, 4], openings: [[0.5, 1.5]]}  # between the rooms
furniture:
  shelf: {shape: bookshelf, at: [4.75, 3.0], yaw: 180}  # at the wall
decor:
  rug: {shape: rug, at: [2, 2]}
  picture: {shape: picture, at: [5.065, 3.0], z: 1.5}
objects:
  mug: {shape: cup, on: shelf, at: [0.0, 0.14]}
people:
  eve: {at: [7.0, 3.0], yaw: 180}
robot: {at: [1.0, 1.0], yaw: 0}
"""
Edit = Callable[..., Scene]


@pytest.fixture
def draft(tmp_path: Path) -> HomeDraft:
    (tmp_path / "home.yaml").write_text(DOMAIN)
    (tmp_path / "scene.yaml").write_text(SCENE)
    return HomeDraft(tmp_path / "home.yaml")


def mistakes(draft: HomeDraft) -> list[dict[str, Any]]:
    """With what the robot reaches; in this process, which is quicker than in one of its own."""
    return problems(draft.files, draft.now.texts, reach=True)


@pytest.fixture
def edit(draft: HomeDraft) -> Edit:
    def do(**what: Any) -> Scene:
        draft.edit(what, draft.now.number)
        scene = draft.now.scene
        assert scene is not None
        return scene

    return do


def test_the_wall_between_two_rooms_moves_with_both_and_with_what_stands_against_it(draft: HomeDraft, edit: Edit) -> None:
    scene = edit(do="room", id="kitchen", edges={"east": 5.5})
    assert [scene.rooms[name].area for name in ("kitchen", "study", "hallway")] == [(0, 0, 5.5, 4), (5.5, 0, 8, 4), (0, 4, 8, 5.5)]
    assert (scene.walls[5].start, scene.walls[5].end, scene.walls[5].openings) == ((5.5, 0), (5.5, 4), ((0.5, 1.5),))
    assert (scene.furniture["shelf"].at, scene.decor["picture"].at, scene.decor["rug"].at) == ((5.25, 3.0), (5.565, 3.0), (2, 2))
    assert draft.now.domain.places["shelf"].pose == (4.7, 3.0, 0.0)
    assert mistakes(draft) == []
    text = draft.now.texts[draft.files.both()[1]]
    assert "  - {start: [5.5, 0], end: [5.5, 4], openings: [[0.5, 1.5]]}  # between the rooms" in text
    assert [text[a:b] for a, b in comments(text)] == [SCENE[a:b] for a, b in comments(SCENE)]


def test_a_line_that_several_rooms_share_moves_whole_and_walls_that_end_on_it_come_along(draft: HomeDraft, edit: Edit) -> None:
    scene = edit(do="room", id="study", edges={"north": 4.3})
    assert [scene.rooms[name].area for name in ("kitchen", "study", "hallway")] == [(0, 0, 5, 4.3), (5, 0, 8, 4.3), (0, 4.3, 8, 5.5)]
    assert (scene.walls[4].start, scene.walls[4].end, scene.walls[5].end) == ((8, 4.3), (0, 4.3), (5, 4.3))
    assert mistakes(draft) == []


def test_doorways_stay_where_they_are_if_the_wall_gets_longer_before_them(edit: Edit) -> None:
    scene = edit(do="room", id="hallway", edges={"east": 8.5, "north": 5.8})
    assert (scene.walls[4].start, scene.walls[4].openings) == ((8.5, 4), ((1.5, 2.5), (5.5, 6.7)))
    assert (scene.walls[1].start, scene.walls[3].end, scene.walls[0].end) == ((8.5, 5.8), (8.5, 5.8), (8.5, 0))
    assert scene.rooms["study"].area == (5, 0, 8.5, 4)


@pytest.mark.parametrize(
    ("at", "openings"),
    [((5.0, 4.1), ((1, 2), (2.4, 3.6))), ((7.9, 4.0), ((1, 2), (2.1, 3.3))), ((-3, 4.0), ((1, 2), (6.7, 7.9)))],
    ids=["between", "no further than the next doorway", "no further than the end of the wall"],
)
def test_a_doorway_moves_along_its_wall(edit: Edit, at: tuple[float, float], openings: Any) -> None:
    assert edit(do="door", id="4.1", x=at[0], y=at[1]).walls[4].openings == openings


def test_a_doorway_gets_wider_about_its_middle_and_can_be_walled_up(edit: Edit) -> None:
    assert edit(do="door", id="5.0", width=1.2).walls[5].openings == ((0.4, 1.6),)
    assert edit(do="remove", kind="door", id="5.0").walls[5].openings == ()


def test_the_page_knows_between_which_rooms_a_doorway_is(draft: HomeDraft) -> None:
    doors = draft_as_data(draft)["plan"]["doors"]
    assert doors["5.0"] == {"at": [5, 1], "width": 1, "along": "y", "rooms": ["kitchen", "study"]}
    assert doors["4.1"]["rooms"] == ["hallway", "kitchen"]


def test_decor_is_moved_and_removed(edit: Edit) -> None:
    assert edit(do="move", kind="decor", id="rug", x=2.5, y=1.5, yaw=90).decor["rug"].at == (2.5, 1.5)
    assert set(edit(do="remove", kind="decor", id="rug").decor) == {"picture"}


@pytest.mark.parametrize(
    ("shape", "room"), [("table", "study"), ("bookshelf", "hallway"), ("wardrobe", "kitchen"), ("bed", "kitchen"), ("tv_stand", "kitchen")]
)
def test_new_furniture_stands_where_there_is_room_and_the_robot_can_use_it(draft: HomeDraft, edit: Edit, shape: str, room: str) -> None:
    edit(do="add", kind="furniture", id="my_new_one", names=["new one"], room=room, shape=shape)
    assert draft.now.domain.places["my_new_one"].inside == room
    assert mistakes(draft) == []
    edit(do="remove", kind="furniture", id="my_new_one")
    assert {path: text for path, text in draft.now.texts.items() if text not in (DOMAIN, SCENE)} == {}


@pytest.mark.parametrize("room", ["kitchen", "study", "hallway"])
def test_a_new_person_stands_where_the_robot_reaches_the_hand(draft: HomeDraft, edit: Edit, room: str) -> None:
    edit(do="add", kind="person", id="max", names=["max", "dad"], room=room)
    assert draft.now.domain.people["max"].usual == {room: 1}
    assert mistakes(draft) == []


def test_where_there_is_no_room_new_furniture_stands_in_the_middle_and_the_check_says_so(draft: HomeDraft, edit: Edit) -> None:
    scene = edit(do="add", kind="furniture", id="large", names=["large one"], room="hallway", shape="bed")
    assert scene.furniture["large"].at == (4, 4.75)
    assert any("it stands in the wall" in each["text"] for each in problems(draft.files, draft.now.texts, reach=False))


NONSENSE: list[dict[str, Any]] = [
    {"do": "room", "id": "attic", "edges": {"west": 1}},
    {"do": "room", "id": "kitchen"},
    {"do": "room", "id": "kitchen", "edges": {}},
    {"do": "room", "id": "kitchen", "edges": {"up": 1}},
    {"do": "room", "id": "kitchen", "edges": {"west": 1, "east": 4}},
    {"do": "room", "id": "kitchen", "edges": {"west": "1"}},
    {"do": "room", "id": "kitchen", "edges": {"west": 6}},
    {"do": "room", "id": "kitchen", "edges": {"east": 1e9}},
    {"do": "door"},
    {"do": "door", "id": "4"},
    {"do": "door", "id": "4.7", "x": 1, "y": 1},
    {"do": "door", "id": ["4", "0"], "x": 1, "y": 1},
    {"do": "door", "id": "5.0", "width": 5},
    {"do": "door", "id": "5.0", "width": -1},
    {"do": "door", "id": "5.0", "x": 1},
    {"do": "remove", "kind": "door", "id": "9.9"},
    {"do": "remove", "kind": "decor", "id": "shelf"},
    {"do": "add", "kind": "furniture", "id": "bin", "names": ["bin"], "room": "attic", "shape": "table"},
    {"do": "add", "kind": "furniture", "id": "bin", "names": ["bin"], "room": "kitchen", "shape": "cup"},
    {"do": "add", "kind": "furniture", "id": "bin", "names": [], "room": "kitchen", "shape": "table"},
    {"do": "add", "kind": "furniture", "id": "shelf", "names": ["bin"], "room": "kitchen", "shape": "table"},
    {"do": "add", "kind": "person", "id": "max", "names": ["max"], "room": "shelf"},
    {"do": "add", "kind": ["person"], "id": "max", "names": ["max"], "room": "study"},
]


def test_nonsense_is_refused_and_changes_nothing(draft: HomeDraft) -> None:
    def is_refused(what: dict[str, Any]) -> bool:
        try:
            draft.edit(what, draft.now.number)
        except SaysoError:
            return not draft.edited
        return False

    assert [what for what in NONSENSE if not is_refused(what)] == []


def test_walls_of_an_included_file_are_left_alone(tmp_path: Path) -> None:
    begin, end = SCENE.index("walls:"), SCENE.index("furniture:")
    (tmp_path / "walls.yaml").write_text(SCENE[begin:end])
    (tmp_path / "scene.yaml").write_text((SCENE[:begin] + SCENE[end:]).replace("include: [", "include: [walls.yaml, "))
    (tmp_path / "home.yaml").write_text(DOMAIN)
    draft = HomeDraft(tmp_path / "home.yaml")
    with pytest.raises(SaysoError, match="'walls' does not stand in this file, perhaps in one that it includes"):
        draft.edit({"do": "door", "id": "5.0", "width": 1.2}, draft.now.number)
    assert not draft.edited
