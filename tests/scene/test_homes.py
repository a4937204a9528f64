"""The scenes that come with Sayso fit their domain files, and so do random apartments; the documentation's example loads."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.domain.model import Domain
from sayso.errors import SimulationError
from sayso.paths import config_dir
from sayso.random_home import random_home
from sayso.random_home.quarter_turn import turned
from sayso.random_home.recipe import default_recipe
from sayso.random_home.rooms import draw_floor_plan
from sayso.robot.agreement import disagreements
from sayso.scene import load_scene
from sayso.scene.collisions import depth
from sayso.scene.fittings import fittings
from sayso.scene.layout import Rectangle, surfaces

NEEDED = frozenset({"bedroom", "dining_table", "vase"})


@pytest.fixture(scope="module")
def random_one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return random_home(3, tmp_path_factory.mktemp("random"), NEEDED)


@pytest.mark.parametrize("name", ["home", "warehouse"])
def test_scene_and_domain_agree_and_the_robot_reaches_everything(name: str) -> None:
    domain = load_domain(config_dir() / f"{name}.yaml")
    assert list(disagreements(load_scene(config_dir() / domain.scene), domain)) == []


def test_a_random_home_has_a_front_door_that_the_robot_can_open(random_one: tuple[Path, Path]) -> None:
    scene, domain = load_scene(random_one[0]), load_domain(random_one[1])
    assert domain.places["front_door"].opens
    assert any(fitting.name == "front_door" for fitting in fittings(scene))


def test_weights_and_thicknesses_are_those_of_the_scene() -> None:
    domain = load_domain()
    scene = load_scene(config_dir() / domain.scene)
    for thing, spec in domain.objects.items():
        mass = scene.shapes[scene.objects[thing].shape].mass
        assert mass is not None
        assert spec.weight == pytest.approx(mass * scene.objects[thing].scale ** 3)
        assert spec.thickness == pytest.approx(2 * min(scene.hull(thing).half))


def test_the_warehouse_has_what_a_warehouse_has() -> None:
    domain = load_domain(config_dir() / "warehouse.yaml")
    scene = load_scene(config_dir() / domain.scene)
    assert sum(placed.shape == "rack" for placed in scene.furniture.values()) >= 5
    assert {"loading_bay", "packing_table", "dock", "office", "conveyor"} <= set(domain.places)
    boxes = [name for name, thing in domain.objects.items() if thing.category == "box"]
    assert len({domain.objects[name].attributes["color"] for name in boxes}) == len(boxes) >= 5
    assert all(0.4 <= surface.top <= 0.95 for surface in surfaces(scene))


def test_names_in_only_one_of_the_files_are_reported() -> None:
    data = load_domain(config_dir() / "warehouse.yaml").model_dump()
    del data["objects"]["ball"]
    data["places"]["attic"] = {"kind": "room", "pose": [1, 1, 0]}
    data["places"]["trolley"]["surface"] = False
    found = disagreements(load_scene(config_dir() / "scenes" / "warehouse.yaml"), Domain.model_validate(data))
    assert list(map(str, found)) == [
        "room 'attic' is in the domain and not in the scene",
        "object 'ball' is in the scene and not in the domain",
        "surface 'trolley' is in the scene and not in the domain",
    ]


def test_places_out_of_reach_are_reported() -> None:
    scene, data = load_scene(config_dir() / "scenes" / "warehouse.yaml"), load_domain(config_dir() / "warehouse.yaml").model_dump()
    data["places"]["desk"]["pose"] = [4.6, 4.6, 0]
    data["places"]["cupboard"]["pose"] = [10.4, 8.06, 0]
    data["places"]["trolley"]["pose"] = [0.95, 7.5, 3.142]
    data["places"]["conveyor"]["pose"] = [7.6, 7.86, 1.571]
    data["objects"]["keys"]["usual"] = {"desk": 1}
    corner = scene.people["ben"].model_copy(update={"at": (0.3, 8.6), "yaw": 180.0})  # the hand is beyond the wall
    scene = scene.model_copy(update={"people": {**scene.people, "ben": corner}})
    found = list(map(str, disagreements(scene, Domain.model_validate(data))))
    for expected in (
        r"place 'desk': its pose is in 'storage', not in 'office'",
        r"place 'cupboard': the robot does not face it at its pose",
        r"place 'trolley': the robot does not fit at its pose, only 0\.\d\d m beside it",
        r"object 'newspaper': it is \d\.\d\d m from the pose of 'conveyor', out of the arm's reach or to the side",
        r"object 'keys': it is on 'workbench', where the domain does not expect it",
        r"person 'ben': the robot cannot get to the hand at \(-0\.\d, 8\.\d\)",
    ):
        assert any(re.fullmatch(expected, line) for line in found), (expected, found)


def test_a_random_apartment_has_what_is_needed_and_can_be_lived_in(random_one: tuple[Path, Path]) -> None:
    scene, domain = load_scene(random_one[0]), load_domain(random_one[1])
    assert list(disagreements(scene, domain)) == []
    assert set(domain.places) | set(domain.objects) >= NEEDED
    assert len(scene.rooms) >= 4
    assert len(scene.objects) >= 15
    assert "operator" in scene.people


def test_the_same_seed_gives_the_same_apartment(random_one: tuple[Path, Path], tmp_path: Path) -> None:
    again = random_home(3, tmp_path, NEEDED)
    assert [file.read_text() for file in again] == [file.read_text() for file in random_one]


@given(seed=st.integers(0, 2**32))
def test_every_seed_gives_a_floor_plan_whose_rooms_fill_the_rectangle_and_have_doors(seed: int) -> None:
    plan = draw_floor_plan(default_recipe(), NEEDED, np.random.default_rng(seed))
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in plan.rooms.values()]
    assert sum(areas) == pytest.approx(plan.width * plan.depth, rel=1e-3)
    for name, (x0, y0, x1, y1) in plan.rooms.items():
        room = Rectangle(name, (x0 + x1) / 2, (y0 + y1) / 2, 0.0, ((x1 - x0) / 2, (y1 - y0) / 2), 0.0, 1.0)
        assert any(depth(room, doorway) > 0.5 for doorway in plan.doorways()), name


def test_impossible_requests_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso.random_home.home.DRAWS", 2)
    with pytest.raises(SimulationError, match=r"no apartment was found for the seed 1 in 2 draws; .* gramophone"):
        _with_a_thing_for_which_there_is_no_place(tmp_path, monkeypatch)


def _with_a_thing_for_which_there_is_no_place(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, scene = load_domain(), load_scene()
    thing = home.objects["vase"].model_copy(update={"usual": {"attic": 1.0}})
    monkeypatch.setattr(
        "sayso.random_home.home.load_domain", lambda *_: home.model_copy(update={"objects": {**home.objects, "gramophone": thing}})
    )
    objects = {**scene.objects, "gramophone": scene.objects["vase"]}
    monkeypatch.setattr("sayso.random_home.home.load_scene", lambda *_: scene.model_copy(update={"objects": objects}))
    random_home(1, folder, frozenset({"gramophone"}))


@given(x=st.floats(0, 9), y=st.floats(0, 6), yaw=st.integers(0, 359), half=st.floats(0.1, 2))
def test_four_quarter_turns_lead_back(x: float, y: float, yaw: int, half: float) -> None:
    x, y, half = round(x, 2), round(y, 2), round(half, 2)
    thing = {"at": [x, y], "yaw": yaw}
    scene = {
        "rooms": {"room": {"area": [x, y, x + half, y + half]}},
        "walls": [{"start": [0, y], "end": [x, y]}],
        "furniture": {"table": thing},
        "decor": {"rug": thing},
        "people": {"eve": thing},
        "robot": thing,
        "light": {"direction": [0.3, -0.2, -1.0]},
    }
    now, poses = scene, {"table": (x, y, float(yaw))}
    for side in (6, 9, 6, 9):
        now, poses = turned(now, poses, side)
    assert poses["table"] == pytest.approx((x, y, yaw))
    assert now["furniture"]["table"]["at"] == pytest.approx([x, y])
    assert now["rooms"]["room"]["area"] == pytest.approx(scene["rooms"]["room"]["area"])
    assert now["light"]["direction"] == pytest.approx([0.3, -0.2, -1.0])


def test_the_documentations_example_loads(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "scenes.md"
    (block,) = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "scene.yaml").write_text(block)
    scene = load_scene(tmp_path / "scene.yaml")
    assert scene.objects["newspaper"].scale == 0.9
