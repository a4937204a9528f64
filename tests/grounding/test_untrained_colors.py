"""A colour that the network was not trained on is told by the pixels, in any light."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from sayso.grounding.calibration import CandidateCalibration
from sayso.grounding.candidates import Region
from sayso.grounding.colors import named
from sayso.grounding.grounder import VisualGrounder
from sayso.grounding.untrained_colors import color_evidence, region_pixels
from sayso.scene import load_scene
from sayso.sim.simulation import Simulation
from sayso.types import Image

VOTES = np.full(50, 1 / 50)


@pytest.fixture(scope="module")
def simulation() -> Iterator[Simulation]:
    made = Simulation(load_scene())
    yield made
    made.close()


@pytest.fixture(scope="module")
def grounder() -> VisualGrounder:
    return VisualGrounder()


def painted(color: str, light: float, noise: float = 4.0) -> np.ndarray:
    """(50, 3) pixels of a thing of that colour in that light."""
    grain = np.random.default_rng(0).normal(0.0, noise, (50, 3))
    return np.clip(light * named()[color] + grain, 0, 255).astype(np.uint8)


def p(grounder: VisualGrounder, pixels: np.ndarray, asked: str, others: float = 6.0) -> float:
    return grounder.calibration.by_pixels(others, color_evidence(pixels, VOTES, named()[asked]))


@pytest.mark.parametrize("light", [0.45, 0.6, 0.75, 1.0])
@pytest.mark.parametrize("color", ["teal", "crimson", "lilac", "bronze", "salmon"])
def test_a_color_is_known_by_its_name_alone_in_dim_and_bright_light(grounder: VisualGrounder, color: str, light: float) -> None:
    assert p(grounder, painted(color, light), color) > 0.5


@pytest.mark.parametrize("other", ["red", "orange", "yellow", "blue", "pink", "brown", "black"])
def test_another_color_is_not_taken_for_it(grounder: VisualGrounder, other: str) -> None:
    assert p(grounder, painted(other, 0.75), "teal") < 0.2


def test_the_right_color_makes_no_cup_of_a_book(grounder: VisualGrounder) -> None:
    assert p(grounder, painted("teal", 0.75), "teal", others=-6.0) < 0.2


@pytest.mark.parametrize("size", [(240, 320), (480, 640), (237, 411)])
def test_the_pixels_of_a_region_come_from_there_in_a_picture_of_any_size(size: tuple[int, int]) -> None:
    height, width = size
    rgb = np.zeros((height, width, 3), np.uint8)
    rgb[: height // 2, width // 2 :] = 200
    mask = np.zeros((60, 80), bool)
    mask[2:28, 42:78] = True
    pixels, votes = region_pixels(Image(rgb, 0.0), np.ones((60, 80)), Region(mask, 1.0, 1.0))
    assert (pixels == 200).all()
    assert votes.sum() == pytest.approx(1.0)


def test_a_network_without_that_fit_judges_by_itself(grounder: VisualGrounder) -> None:
    text = replace(grounder.calibration, pixels=()).to_json()
    assert CandidateCalibration.from_json(text).pixels == ()
    assert CandidateCalibration.from_json(grounder.calibration.to_json()) == grounder.calibration


def test_which_colors_are_judged_by_pixels_follows_from_the_words_of_the_training(
    grounder: VisualGrounder, simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = simulation.render()
    asked: set[bytes] = set()

    def noted(pixels: np.ndarray, votes: np.ndarray, color: np.ndarray) -> np.ndarray:
        asked.add(color.tobytes())
        return color_evidence(pixels, votes, color)

    monkeypatch.setattr("sayso.grounding.grounder.color_evidence", noted)
    new = ["crimson thing", "cream thing", "silver thing", "golden thing", "teal thing"]
    grounder.look(image, ["red thing", "white thing", "navy thing", "thing"])
    assert not asked
    grounder.look(image, new)
    assert asked
    assert asked <= {named()[phrase.split()[0]].tobytes() for phrase in new}
