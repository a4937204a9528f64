"""The trained grounder on simulated camera images of the apartment, and on unusual images and phrases."""

import math
import shutil

import numpy as np
import pytest

from sayso.errors import ModelError
from sayso.grounding import VisualGrounder
from sayso.models import model_path
from sayso.scene import load_scene
from sayso.types import Image


@pytest.fixture(scope="module")
def grounder():
    return VisualGrounder()


@pytest.fixture(scope="module")
def world():
    """The apartment in its initial state."""
    from sayso.sim.simulation import Simulation

    simulation = Simulation(load_scene())
    yield simulation
    simulation.close()


def seen_from(world, x, y, yaw):
    world.put_robot(x, y, yaw)
    return world.render()


def facing(world, object_id, distance):
    """Put the robot in front of the object's surface, at this distance, facing the object."""
    thing = world.middle(object_id)
    yaw = math.radians(world.scene.furniture[world.scene.objects[object_id].on].yaw)
    x, y = thing[0] + distance * math.cos(yaw), thing[1] + distance * math.sin(yaw)
    return seen_from(world, x, y, math.atan2(thing[1] - y, thing[0] - x))


def lies_on(world, grounding, object_id):
    column, row = (round(value) for value in grounding.pixel)
    return world.render_segmentation()[row, column] == list(world.scene.objects).index(object_id)


@pytest.fixture
def counter(world):
    """A view of red cup, bread, lemon, juice and cereal on the kitchen counter."""
    return facing(world, "red_cup", 0.9)


def test_finds_the_red_cup_on_the_counter(world, grounder, counter):
    grounding = grounder(counter, "the red cup", object_id="red_cup", utterance_id="u1")
    assert grounding.found
    assert lies_on(world, grounding, "red_cup")
    assert np.linalg.norm(np.array(grounding.point) - world.middle("red_cup")) < 0.08
    assert (grounding.object_id, grounding.utterance_id, grounding.phrase) == ("red_cup", "u1", "the red cup")
    assert grounding.stamp == counter.stamp


@pytest.mark.parametrize(
    ("object_id", "phrase", "distance"),
    [
        ("lemon", "the lemon", 0.8),
        ("orange_juice", "orange juice", 1.0),
        ("blue_cup", "my blue mug", 0.9),
        ("teddy_bear", "the teddy bear", 1.2),
        ("green_bottle", "the wine", 1.0),
        ("apple", "apple", 1.1),
    ],
)
def test_finds_objects_by_their_names(world, grounder, object_id, phrase, distance):
    grounding = grounder(facing(world, object_id, distance), phrase)
    assert grounding.found
    assert lies_on(world, grounding, object_id)


def test_does_not_find_the_cup_on_the_wall(world, grounder):
    grounding = grounder(seen_from(world, 10.4, 2.0, math.pi), "the red cup")
    assert not grounding.found
    assert grounding.confidence < 0.2


def test_a_blue_cup_is_not_the_red_cup(world, grounder):
    picture = facing(world, "blue_cup", 0.9)
    assert grounder(picture, "the blue cup").found
    assert not grounder(picture, "the red cup").found


def test_understands_an_unseen_combination_of_words(world, grounder):
    """No picture and no phrase of the training has a yellow cup; yellow and cup suffice."""
    model = world.model
    geoms = [model.geom(f"red_cup/{index}").id for index in (0, 2)]
    before = model.geom_rgba[geoms].copy()
    model.geom_rgba[geoms, :3] = world.scene.rgb("yellow")
    try:
        picture = facing(world, "red_cup", 0.9)
        grounding = grounder(picture, "the yellow cup")
        assert grounding.found
        assert lies_on(world, grounding, "red_cup")
        assert grounder(picture, "the red cup").confidence < 0.5
    finally:
        model.geom_rgba[geoms] = before


def test_attention_is_a_distribution_over_patches(grounder, counter):
    grounding = grounder(counter, "the red cup")
    assert grounding.attention.shape == (60, 80)
    assert grounding.attention.min() >= 0
    assert grounding.attention.sum() == pytest.approx(1)
    assert 0 < grounding.entropy < math.log(4800)


def test_grounding_is_deterministic(grounder, counter):
    one, other = grounder(counter, "the lemon"), grounder(counter, "the lemon")
    np.testing.assert_array_equal(one.attention, other.attention)
    assert (one.confidence, one.pixel) == (other.confidence, other.pixel)


def test_an_image_of_twice_the_size_gives_the_same_point(world, grounder, counter):
    fx, fy, cx, cy = counter.intrinsics
    large = Image(
        counter.rgb.repeat(2, 0).repeat(2, 1), counter.stamp, counter.depth.repeat(2, 0).repeat(2, 1),
        (2 * fx, 2 * fy, 2 * cx + 0.5, 2 * cy + 0.5), counter.pose,
    )  # fmt: skip
    small, grounding = grounder(counter, "the red cup"), grounder(large, "the red cup")
    assert grounding.found
    assert grounding.pixel == pytest.approx((2 * small.pixel[0] + 0.5, 2 * small.pixel[1] + 0.5), abs=8)
    np.testing.assert_allclose(grounding.point, small.point, atol=0.02)


def test_without_depth_it_is_found_without_a_point(grounder, counter):
    grounding = grounder(Image(counter.rgb, counter.stamp), "the red cup")
    assert grounding.found
    assert all(math.isnan(value) for value in grounding.point)


@pytest.mark.parametrize("phrase", ["", "the", "?!"])
def test_a_phrase_without_content_is_not_found_and_attends_uniformly(grounder, counter, phrase):
    grounding = grounder(counter, phrase)
    assert not grounding.found
    assert grounding.confidence == 0
    assert grounding.entropy == pytest.approx(math.log(4800))


@pytest.mark.parametrize("phrase", ["the zorb", "red flibbertigibbet", "chandelier", "helicopter " * 2000])
def test_unknown_words_give_low_confidence(grounder, counter, phrase):
    grounding = grounder(counter, phrase)
    assert not grounding.found
    assert grounding.confidence < 0.5


@pytest.mark.parametrize("shape", [(1, 1, 3), (3, 500, 3), (0, 0, 3)])
def test_unusual_images_do_no_harm(grounder, shape):
    grounding = grounder(Image(np.zeros(shape, np.uint8), 0.0), "the red cup")
    assert not grounding.found
    assert np.isfinite(grounding.attention).all()


def test_an_altered_model_is_refused_in_one_line(tmp_path, monkeypatch):
    for name in ("grounder.onnx", "grounder_units.onnx"):
        shutil.copy(model_path(name), tmp_path / name)
    altered = tmp_path / "grounder.onnx"
    altered.write_bytes(altered.read_bytes()[:-100])
    with pytest.raises(ModelError, match="sayso train grounder"):
        VisualGrounder(tmp_path)
    with pytest.raises(ModelError):
        VisualGrounder(tmp_path / "absent")
