"""Several views of one place: attention between points of space, full, sparse and linear (equation 18), and what it fuses."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.grounding import spatial
from sayso.grounding.attention import AttentionNetwork, Patches
from sayso.grounding.memory import RememberingGrounder, ViewMemory
from sayso.grounding.seeing_once import SeeingOnce
from sayso.grounding.spatial import Points, full_attention, linear_attention, random_feature_attention, sparse_attention
from sayso.grounding.views import View, fused
from sayso.types import Image

ROWS, COLS = 4, 80  # patches: pictures of 16×320 pixels
INTRINSICS = (277.0, 277.0, 159.5, 7.5)


def points(seed, queries=30, keys=40, spread=1.0, width=0.3):
    rng = np.random.default_rng(seed)
    at = (rng.uniform(0, spread, (count, 3)).astype(np.float32) for count in (queries, keys))
    first, second = at
    return Points(first, np.full(queries, width, np.float32), second, rng.normal(0, 0.5, keys).astype(np.float32)), rng


@given(st.integers(0, 2**31 - 1))
@examples(20)
def test_full_attention_is_scaled_dot_product_attention(seed):
    """With the queries and keys that the module names: equation 3."""
    at, rng = points(seed)
    values = rng.normal(size=(40, 5)).astype(np.float32)
    precision, d = 1 / at.widths[:, None] ** 2, 5
    Q = np.sqrt(d) * np.hstack((at.queries * precision, precision / 2, np.ones((30, 1))))
    K = np.hstack((at.keys, -(at.keys**2).sum(1, keepdims=True), at.biases[:, None]))
    weights = np.exp(Q @ K.T / np.sqrt(d))
    weights /= weights.sum(1, keepdims=True)
    np.testing.assert_allclose(full_attention(at, values), weights @ values, atol=2e-4)


@given(st.integers(0, 2**31 - 1))
@examples(20)
def test_sparse_attention_with_full_support_is_full_attention(seed):
    at, rng = points(seed, keys=20)  # fewer keys than neighbours, all within reach
    at = Points(at.queries, np.full(30, 1.0, np.float32), at.keys, at.biases)
    values = rng.normal(size=(20, 5)).astype(np.float32)
    np.testing.assert_allclose(sparse_attention(at, values), full_attention(at, values), atol=1e-4)


def test_sparse_attention_keeps_nearly_all_of_the_weight():
    at, rng = points(3, queries=200, keys=400, spread=0.5, width=0.03)
    values = rng.normal(size=(400, 4)).astype(np.float32)
    near = np.linalg.norm(at.queries[:, None] - at.keys, axis=-1).min(axis=1) < 0.03
    error = np.abs(sparse_attention(at, values) - full_attention(at, values))[near]
    assert near.sum() > 20
    assert error.max() < 0.1


def test_linear_attention_is_the_weighted_mean_of_the_keys_in_the_same_cell():
    keys = np.array([[0.1, 0.1, 0.1], [0.15, 0.1, 0.1], [0.9, 0.1, 0.1]], np.float32)
    queries = np.array([[0.12, 0.12, 0.12], [0.95, 0.15, 0.1], [0.5, 0.5, 0.5]], np.float32)
    at = Points(queries, np.full(3, 0.1, np.float32), keys, np.log(np.array([3.0, 1.0, 1.0], np.float32)))
    np.testing.assert_allclose(linear_attention(at, np.array([[1.0], [5.0], [7.0]], np.float32)), [[2.0], [7.0], [0.0]], atol=1e-6)


def test_random_features_estimate_full_attention_where_the_queries_are_wide(monkeypatch):
    monkeypatch.setattr(spatial, "FEATURES", 20_000)
    at, rng = points(5, width=1.0)
    values = rng.normal(size=(40, 3)).astype(np.float32)
    np.testing.assert_allclose(random_feature_attention(at, values), full_attention(at, values), atol=0.1)


def view(x=0.0, distance=1.0, value=0.0, depth=True):
    """A wall, seen straight from that distance, from a camera x metres to the right; all its patches have that value."""
    n = ROWS * COLS
    pose = np.eye(4)
    pose[0, 3], pose[2, 3] = x, -distance
    wall = np.full((4 * ROWS, 4 * COLS), distance, np.float32)
    image = Image(np.zeros((4 * ROWS, 4 * COLS, 3), np.uint8), 0.0, wall if depth else None, INTRINSICS, pose)
    return View(image, Patches(np.full((n, 3), value, np.float32), np.zeros((n, 2), np.float32), ROWS, COLS))


@pytest.mark.parametrize("attend", [full_attention, sparse_attention, linear_attention])
def test_a_spot_that_two_pictures_show_has_the_mean_of_both(attend):
    features = fused([view(value=1.0), view(value=3.0)], attend).features
    np.testing.assert_allclose(features, 2.0, atol=1e-4)


def test_a_spot_that_the_other_picture_does_not_show_keeps_its_own_value():
    side = fused([view(x=0.6, value=1.0), view(value=3.0)]).features.reshape(ROWS, COLS, 3)
    np.testing.assert_allclose(side[:, :20], 3.0, atol=1e-4)  # the other camera sees from x = 0.02 m on
    assert (side[:, -20:] < 2.5).all()


def test_the_nearer_picture_counts_more():
    features = fused([view(distance=0.5, value=1.0), view(value=3.0)]).features.reshape(ROWS, COLS, 3)
    assert features[:, 25:55].mean() < 1.6


def test_without_depth_the_last_picture_stands_alone():
    last = view(value=3.0, depth=False)
    assert fused([view(value=1.0), last]) is last.patches
    assert fused([view(value=1.0, depth=False), view(value=3.0)]).features.mean() == pytest.approx(3.0)


def test_a_camera_whose_place_is_unknown_adds_nothing():
    lost = view(value=1.0)
    lost.image.pose[0, 0] = np.nan
    assert fused([lost, view(value=3.0)]).features.mean() == pytest.approx(3.0)


def seen_at(stamp, x=0.0, depth=True):
    seen = view(x=x, depth=depth).image
    return replace(seen, stamp=stamp)


def remembering(*images):
    encoded = []

    def encode(image):
        encoded.append(image)
        return view()

    memory = ViewMemory(encode)
    for image in images:
        memory.add(image)
    return memory, encoded


def test_pictures_from_other_places_are_remembered():
    memory, encoded = remembering(seen_at(1.0), seen_at(1.1, x=0.3), seen_at(1.2, x=0.6))
    assert len(memory.before(seen_at(1.3, x=0.9))) == 3
    assert [image.stamp for image in encoded] == [1.0, 1.1, 1.2]


def test_a_picture_is_encoded_once_for_its_own_question_for_further_phrases_and_as_a_view(monkeypatch):
    encoded = []
    see = AttentionNetwork.see
    monkeypatch.setattr(AttentionNetwork, "see", lambda network, image: encoded.append(image.stamp) or see(network, image))
    grounder = RememberingGrounder(SeeingOnce())
    for stamp in (1.0, 1.1, 1.2):
        image = seen_at(stamp, x=stamp)
        grounder(image, "the red cup")
        grounder.look(image, ("cup", "bowl"))
    assert encoded == [1.0, 1.1, 1.2]


def test_pictures_from_one_place_count_once():
    memory, _ = remembering(*(seen_at(0.1 * number) for number in range(1, 20)))
    assert len(memory.before(seen_at(3.0, x=0.5))) == 1
    assert memory.before(seen_at(3.0)) == ()  # the same place as the picture itself


def test_old_pictures_and_those_before_a_jump_of_time_are_forgotten():
    memory, _ = remembering(seen_at(1.0), seen_at(5.0, x=0.3))
    assert len(memory.before(seen_at(12.0, x=0.9))) == 1
    memory.add(seen_at(0.5, x=0.6))
    assert len(memory.before(seen_at(0.6, x=0.9))) == 1
    memory.forget()
    assert memory.before(seen_at(0.7, x=0.9)) == ()


def test_of_many_places_the_last_seven_are_remembered():
    memory, _ = remembering(*(seen_at(0.1 * number, x=0.1 * number) for number in range(1, 30)))
    assert len(memory.before(seen_at(3.0, x=9.0))) == 7


def test_pictures_without_depth_or_place_are_not_remembered():
    memory, _ = remembering(seen_at(1.0, depth=False))
    assert memory.before(seen_at(2.0, x=0.5)) == ()


class Remembered:
    """A grounder that tells how many other views it was given."""

    threshold = 0.5

    def __init__(self):
        self.given = []

    def view(self, image):
        return view()

    def __call__(self, image, phrase, object_id, utterance_id, earlier):
        self.given.append(len(earlier))

    def look(self, image, phrases, earlier):
        self.given.append(len(earlier))
        return ()


def test_pictures_of_the_last_questions_are_other_views_until_something_was_moved():
    inner = Remembered()
    ground = RememberingGrounder(inner, most=3)
    for number in range(5):
        ground(seen_at(0.1 * number, x=0.1 * number), "cup")
    ground.look(seen_at(0.6, x=0.9), ("cup", "bottle"))
    ground.forget()
    ground(seen_at(0.7), "cup")
    assert inner.given == [0, 1, 2, 2, 2, 2, 0]
