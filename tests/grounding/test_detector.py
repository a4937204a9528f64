"""The backend for photographs, on a portrait of Grace Hopper (public domain) that comes with Matplotlib."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import matplotlib.cbook
import numpy as np
import pytest
from PIL import Image as Picture

from sayso.errors import ModelError
from sayso.grounding.backend import Look
from sayso.grounding.detector import Detector
from sayso.models import model_path
from sayso.types import Image


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector()


@pytest.fixture(scope="module")
def portrait() -> Image:
    with Picture.open(matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as opened:
        return Image(np.asarray(opened.convert("RGB")), 0.0)


@pytest.fixture(scope="module")
def looks(detector: Detector, portrait: Image) -> dict[str, Look]:
    phrases = ("person", "woman", "tie", "dog", "red banana", "black thing", "green thing", "kettle", "unknown zorbulator")
    return dict(zip(phrases, detector.look(portrait, phrases), strict=True))


def test_a_thing_is_found_with_its_box(detector: Detector, looks: dict[str, Look]) -> None:
    person = looks["person"].candidates[0]
    assert person.probability > 0.9
    assert person.kind == "person"
    left, top, right, bottom = person.box
    assert (left < 40, top < 60, right > 470, bottom > 570) == (True,) * 4
    assert looks["person"].presence > 0.9
    assert looks["tie"].candidates[0].probability > detector.threshold
    assert 200 < looks["tie"].candidates[0].pixel[0] < 310


def test_another_word_for_a_kind_finds_the_same(looks: dict[str, Look]) -> None:
    assert looks["woman"].candidates == looks["person"].candidates


def test_candidates_come_in_order_of_probability(looks: dict[str, Look]) -> None:
    for look in looks.values():
        assert [each.probability for each in look.candidates] == sorted((each.probability for each in look.candidates), reverse=True)
        assert all(0.0 <= each.probability <= 1.0 for each in look.candidates)


@pytest.mark.parametrize("phrase", ["dog", "red banana"])
def test_a_thing_that_is_not_there_is_not_found(detector: Detector, looks: dict[str, Look], phrase: str) -> None:
    assert all(each.probability < detector.threshold for each in looks[phrase].candidates)
    assert looks[phrase].presence < 0.2


def test_a_color_makes_candidates_of_another_color_less_probable(looks: dict[str, Look]) -> None:
    """Her uniform is black."""
    black, green = looks["black thing"], looks["green thing"]
    assert black.candidates[0].probability > 2 * green.candidates[0].probability


def test_an_unknown_noun_is_named_and_has_no_candidate(looks: dict[str, Look]) -> None:
    look = looks["kettle"]
    assert (look.unknown, look.candidates, look.presence) == (("kettle",), (), 0.0)
    assert looks["unknown zorbulator"].unknown == ("unknown", "zorbulator")


def test_attention_is_where_the_thing_is(looks: dict[str, Look]) -> None:
    for look in looks.values():
        assert look.attention.sum() == pytest.approx(1.0)
        assert (look.attention >= 0.0).all()
    rows, cols = looks["tie"].attention.shape
    row, col = np.unravel_index(looks["tie"].attention.argmax(), (rows, cols))
    u, v = looks["tie"].candidates[0].pixel
    assert abs((col + 0.5) * 512 / cols - u) < 30
    assert abs((row + 0.5) * 600 / rows - v) < 30
    assert np.ptp(looks["kettle"].attention) == pytest.approx(0.0)


def test_the_point_comes_from_the_depth(detector: Detector, portrait: Image) -> None:
    seen = replace(portrait, depth=np.full((600, 512), 2.0, np.float32), intrinsics=(500.0, 500.0, 256.0, 300.0), pose=np.eye(4))
    (look,) = detector.look(seen, ["person"])
    (u, v), point = look.candidates[0].pixel, look.candidates[0].point
    assert point == pytest.approx(((u - 256.0) / 250.0, (v - 300.0) / 250.0, 2.0))


@pytest.mark.parametrize("shape", [(0, 0, 3), (10, 0, 3), (40, 40)])
def test_a_picture_that_shows_nothing_has_no_candidates(detector: Detector, shape: tuple[int, ...]) -> None:
    (look,) = detector.look(Image(np.zeros(shape, np.uint8), 0.0), ["cup"])
    assert look.candidates == ()
    assert look.presence == 0.0


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 900, 3), (700, 20, 4)])
def test_pictures_of_odd_sizes_are_looked_at(detector: Detector, shape: tuple[int, ...]) -> None:
    (look,) = detector.look(Image(np.full(shape, 90, np.uint8), 0.0), ["cup"])
    assert look.attention.sum() == pytest.approx(1.0)
    assert all(each.probability < detector.threshold for each in look.candidates)


def test_no_phrases_no_looks(detector: Detector, portrait: Image) -> None:
    assert detector.look(portrait, []) == ()


def test_a_file_that_is_not_a_detector_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "detector.onnx").write_bytes(b"weights")
    for path in (tmp_path / "detector.onnx", tmp_path / "missing.onnx", model_path("grounder.onnx")):
        with pytest.raises(ModelError, match="is not a detector: make one with 'sayso train detector'") as refused:
            Detector(path)
        assert "\n" not in str(refused.value)
