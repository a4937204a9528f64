"""Stains of a scene: where they are, and what is refused."""

from math import dist

import pytest

from sayso.domain import load_domain
from sayso.robot.agreement import disagreements
from sayso.scene import load_scene
from sayso.scene.checks import contradictions
from sayso.scene.layout import surfaces_of
from sayso.scene.scene import Placed
from sayso.scene.stains import stains

APARTMENT, HOME = load_scene(), load_domain()


def stained(*spots: tuple[float, float], yaw: float = 90.0):
    desk = Placed(shape="table", at=(7.0, 1.75), yaw=yaw, stains=spots)
    return APARTMENT.model_copy(update={"furniture": {**APARTMENT.furniture, "dining_table": desk}})


def test_the_apartment_has_stains_where_it_can_be_wiped() -> None:
    found = stains(APARTMENT)
    assert {stain.furniture for stain in found} == {"dining_table", "counter"}
    for stain in found:
        assert HOME.places[stain.furniture].wipes
        top = min(surfaces_of(APARTMENT, stain.furniture), key=lambda surface: surface.distance(*stain.at[:2]))
        assert stain.at[2] == top.top


@pytest.mark.parametrize("yaw", [0.0, 90.0, 135.0])
def test_a_stain_turns_with_its_furniture(yaw: float) -> None:
    first, second = (stain.at for stain in stains(stained((0.3, 0.2), (-0.3, 0.2), yaw=yaw)) if stain.furniture == "dining_table")
    assert dist(first, second) == pytest.approx(0.6)


def test_a_stain_beside_the_furniture_is_refused_with_its_place_in_the_file() -> None:
    found = list(contradictions(stained((0.3, 0.2), (3.0, 0.2))))
    assert found == [(("furniture", "dining_table", "stains", 1), "the stain is not on a surface of 'dining_table'")]


def test_a_place_without_a_top_cannot_be_wiped() -> None:
    lamp = HOME.places["lamp"].model_copy(update={"wipes": True})
    home = HOME.model_copy(update={"places": {**HOME.places, "lamp": lamp}})
    assert "is wiped, and its shape in the scene has no areas" in "\n".join(map(str, disagreements(APARTMENT, home)))
