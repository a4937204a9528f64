"""Doors, drawers and switches of a scene: where handles are, which floor they sweep, and what is refused."""

from math import dist, pi
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from sayso.domain import load_domain
from sayso.errors import DomainError
from sayso.paths import config_dir
from sayso.robot.agreement import disagreements
from sayso.scene import load_scene
from sayso.scene.bodies import standing_bodies
from sayso.scene.fittings import Fitting, fittings, switches
from sayso.scene.scene import Placed
from sayso.scene.shapes import Shape

APARTMENT, HOME = load_scene(), load_domain()
PANEL = {"box": [0.02, 0.5, 0.5], "at": [0.2, 0, 0.3], "color": "white"}
DOOR = {"hinge": [0.2, 0.25], "opens": 90, "handle": [0.22, -0.2, 0.3], "parts": [PANEL]}
DRAWER = {"slides": 0.3, "handle": [0.22, 0, 0.3], "parts": [PANEL]}


def of(name: str) -> Fitting:
    return next(fitting for fitting in fittings(APARTMENT) if fitting.name == name)


def test_the_apartment_has_doors_a_drawer_and_appliances() -> None:
    assert {fitting.name for fitting in fittings(APARTMENT)} == {
        "front_door",
        "fridge",
        "sideboard",
        "nightstand",
        "filing_cabinet",
        "wardrobe",
    }
    assert set(switches(APARTMENT)) == {"lamp", "tv_stand"}
    assert {name for name, place in HOME.places.items() if place.opens} == {fitting.name for fitting in fittings(APARTMENT)}
    assert {name for name, place in HOME.places.items() if place.switches} == set(switches(APARTMENT))


def test_the_handle_of_a_door_stays_as_far_from_its_hinge() -> None:
    fridge = of("fridge")
    assert fridge.hinge is not None
    radii = [dist(fridge.handle(share)[:2], fridge.hinge) for share in np.linspace(0.0, 1.0, 5)]
    assert radii == pytest.approx([radii[0]] * 5)
    # The fridge looks west: its door opens into the room.
    assert fridge.handle(1.0)[0] < fridge.handle(0.0)[0] - 0.5


def test_a_drawer_comes_out_at_the_front() -> None:
    nightstand = of("nightstand")  # looks south
    closed, opened = nightstand.handle(0.0), nightstand.handle(1.0)
    assert opened == pytest.approx((closed[0], closed[1] - 0.22, closed[2]))
    assert nightstand.open.y == pytest.approx(nightstand.closed.y - 0.22)


def test_an_open_door_stands_on_floor_that_it_swept() -> None:
    for fitting in fittings(APARTMENT):
        away = np.hypot(fitting.swept[:, 0] - fitting.open.x, fitting.swept[:, 1] - fitting.open.y)
        assert away.min() < 0.05


def test_stretched_furniture_has_its_handle_farther_out() -> None:
    tall = APARTMENT.model_copy(update={"furniture": {"fridge": Placed(shape="fridge", at=(2.0, 2.0), size=(0.7, 1.4, 1.8))}})
    (fridge,) = fittings(tall)
    assert fridge.closed_handle[:2] == pytest.approx((2.38, 2.54))
    assert fridge.hinge == pytest.approx((2.35, 1.3))


def test_the_moving_pieces_of_a_body_are_those_of_its_door() -> None:
    body = next(body for body in standing_bodies(APARTMENT) if body.name == "fridge")
    assert body.joint is not None
    assert body.joint.turns
    assert body.joint.travel == pytest.approx(-85 * pi / 180)
    shape = APARTMENT.shapes["fridge"]
    assert shape.door is not None
    assert sum(piece.moves for piece in body.pieces) == len(shape.door.parts)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"door": DOOR, "drawer": DRAWER}, "one part that opens"),
        ({"door": {**DOOR, "handle": [0.9, 0, 0.3]}}, "the handle at [0.9, 0.0, 0.3] is outside the shape's size"),
        ({"drawer": {**DRAWER, "handle": [0.2, 0, -0.3]}}, "the handle at [0.2, 0.0, -0.3] is outside"),
        ({"door": {**DOOR, "opens": 0}}, "does not open"),
        ({"door": {**DOOR, "opens": 300}}, "less than or equal to 170"),
        ({"door": {**DOOR, "parts": []}}, "at least 1 item"),
        ({"drawer": {**DRAWER, "slides": 0}}, "greater than 0"),
        ({"switch": {"at": [0.2, 0, 0.3]}}, "nobody could see whether it is on"),
        ({"switch": {"at": [2, 0, 0.3]}, "parts": [{**PANEL, "lit": "yellow"}]}, "the switch at [2.0, 0.0, 0.3] is outside"),
    ],
)
def test_a_shape_that_cannot_be_operated_is_refused(change: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Shape.model_validate({"size": [0.4, 0.5, 0.6], "parts": [PANEL], **change})
    assert says in str(refused.value)


def test_an_unknown_colour_of_a_lit_part_is_named(tmp_path: Path) -> None:
    file = tmp_path / "scene.yaml"
    text = (config_dir() / "scenes" / "apartment.yaml").read_text(encoding="utf-8")
    file.write_text(
        text.replace("include: [", f"include: [{config_dir()}/scenes/")
        .replace(", furniture", f", {config_dir()}/scenes/furniture")
        .replace(", things", f", {config_dir()}/scenes/things")
        + "shapes:\n  lamp: {parts: [{sphere: 0.1, color: linen, lit: glowing}]}\n"
    )
    with pytest.raises(DomainError, match="has the colour 'glowing'"):
        load_scene(file)


def test_a_place_that_opens_without_a_door_in_the_scene_is_named() -> None:
    places = {**HOME.places, "sofa": HOME.places["sofa"].model_copy(update={"opens": True, "switches": True})}
    found = [(each.location, str(each)) for each in disagreements(APARTMENT, HOME.model_copy(update={"places": places}))]
    assert found == [
        (("places", "sofa", "opens"), "place 'sofa': opens, and its shape in the scene has no door and no drawer"),
        (("places", "sofa", "switches"), "place 'sofa': switches, and its shape in the scene has no switch"),
    ]


def test_a_door_without_room_to_stand_aside_is_named() -> None:
    close = Placed(shape="bathtub", at=(12.2, 2.6), yaw=0.0, size=(0.6, 2.6, 0.58))
    crowded = APARTMENT.model_copy(update={"decor": {**APARTMENT.decor, "crate": close}})
    found = [str(each) for each in disagreements(crowded, HOME)]
    assert "place 'fridge': there is no free floor from which the robot can open it" in found
