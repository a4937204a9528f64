"""The colour of a thing in a box is told from its pixels, and not from what is behind it."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.grounding.colors import lab
from sayso.grounding.detector import Detector
from sayso.grounding.detector.colors import color_features, palette

NAMES = palette()[0]
SHOWN = {
    "red": (200, 30, 35),
    "green": (45, 160, 80),
    "blue": (40, 70, 190),
    "yellow": (240, 205, 40),
    "black": (15, 15, 15),
    "white": (240, 240, 238),
}


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


def disc(color: tuple[int, int, int], behind: tuple[int, int, int]) -> np.ndarray:
    v, u = np.mgrid[:100, :100]
    return np.where((np.hypot(u - 50, v - 50) < 38)[..., None], np.array(color, np.uint8), np.array(behind, np.uint8))


def test_cielab_has_the_published_values() -> None:
    assert lab(np.array([[255, 255, 255], [0, 0, 0], [255, 0, 0]], np.uint8)) == pytest.approx(
        np.array([[100.0, 0.0, 0.0], [0.0, 0.0, 0.0], [53.24, 80.09, 67.20]]), abs=0.1
    )


@pytest.mark.parametrize("name", SHOWN)
@pytest.mark.parametrize("behind", [(150, 120, 90), (90, 90, 92)])
def test_the_color_of_a_thing_is_the_most_probable_one(detector: Detector, name: str, behind: tuple[int, int, int]) -> None:
    probabilities = detector.calibration.color(color_features(disc(SHOWN[name], behind), (10, 10, 90, 90)))
    assert NAMES[int(probabilities.argmax())] == name
    assert probabilities.max() > 0.5


def test_the_background_does_not_lend_its_color(detector: Detector) -> None:
    probabilities = detector.calibration.color(color_features(disc(SHOWN["red"], SHOWN["green"]), (10, 10, 90, 90)))
    assert probabilities[NAMES.index("green")] < 0.3 < probabilities[NAMES.index("red")]


def test_a_box_at_the_edge_of_the_picture_has_a_color() -> None:
    assert np.isfinite(color_features(disc(SHOWN["red"], SHOWN["green"]), (-5.0, 80.0, 104.0, 120.0))).all()


def test_every_look_is_nearest_to_its_own_name() -> None:
    """No colour is listed under two names."""
    _, words, looks, of = palette()
    distances = np.linalg.norm(looks[:, None] - looks[None], axis=-1)
    assert (distances[of[:, None] != of[None]] > 3.0).all()
    assert words["grey"] == "gray"
