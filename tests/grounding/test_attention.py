"""Entropy, pixel and drawing of an attention map; encoding of phrases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.grounding.draw import draw_grounding, smooth
from sayso.grounding.grounder import attended_pixel, enlarged, entropy, resized
from sayso.grounding.phrase import LENGTH, NO_WORD, UNKNOWN, Vocabulary, content_words
from sayso.types import Grounding, Image

VOCABULARY = Vocabulary(("bottle", "cup", "glass", "glasses", "red", "water"))


def a_patch(row, col, rows=60, cols=80):
    attention = np.zeros((rows, cols))
    attention[row, col] = 1.0
    return attention


@given(st.integers(1, 40), st.integers(1, 40))
def test_entropy_is_zero_for_one_patch_and_log_n_if_uniform(rows, cols):
    assert entropy(a_patch(rows - 1, 0, rows, cols)) == 0
    assert entropy(np.full((rows, cols), 1 / (rows * cols))) == pytest.approx(math.log(rows * cols))


@given(st.integers(0, 2**31 - 1))
def test_entropy_is_bounded_and_independent_of_the_patches_order(seed):
    rng = np.random.default_rng(seed)
    attention = rng.dirichlet(np.full(12, 0.5)).reshape(3, 4)
    assert 0 <= entropy(attention) <= math.log(12)
    assert entropy(rng.permutation(attention.ravel()).reshape(4, 3)) == pytest.approx(entropy(attention))


@given(st.integers(0, 59), st.integers(0, 79))
def test_attention_on_one_patch_points_at_its_centre(row, col):
    u, v = attended_pixel(a_patch(row, col), 240, 320)
    assert (u, v) == pytest.approx((4 * col + 1.5, 4 * row + 1.5))


def test_attention_shared_by_two_patches_points_between_them():
    u, v = attended_pixel(0.5 * a_patch(10, 20) + 0.5 * a_patch(10, 21), 240, 320)
    assert (u, v) == pytest.approx((83.5, 41.5))


def test_an_object_of_many_patches_beats_one_bright_patch():
    attention = 0.05 * sum(a_patch(row, col) for row in (30, 31, 32) for col in (40, 41, 42)) + 0.1 * a_patch(5, 5)
    assert attended_pixel(attention, 240, 320) == pytest.approx((4 * 41 + 1.5, 4 * 31 + 1.5))


def test_the_pixel_refers_to_the_original_image():
    assert attended_pixel(a_patch(30, 40), 480, 640) == pytest.approx((8 * 40 + 3.5, 8 * 30 + 3.5))


@pytest.mark.parametrize("shape", [(480, 640, 3), (37, 53, 3), (240, 320, 4), (240, 320, 3)])
def test_images_of_any_size_are_resized_for_the_network(shape):
    rgb = np.full(shape, 77, np.uint8)
    assert resized(rgb, 240, 320).shape == (240, 320, 3)
    assert (resized(rgb, 240, 320) == 77).all()


def test_each_pixel_has_the_weight_of_its_patch():
    grown = enlarged(np.array([[1.0, 2.0], [3.0, 4.0]]), 4, 6)
    assert grown.tolist() == [[1, 1, 1, 2, 2, 2]] * 2 + [[3, 3, 3, 4, 4, 4]] * 2


def test_only_content_words_count():
    assert content_words("The bottle of water, please!") == ["bottle", "water"]
    assert VOCABULARY.encode("the Red cup").tolist() == [6, 3] + [NO_WORD] * (LENGTH - 2)


def test_unlisted_plurals_have_the_id_of_their_singular():
    assert VOCABULARY.number("cups") == VOCABULARY.number("cup")
    assert VOCABULARY.number("glasses") != VOCABULARY.number("glass")


def test_an_unlisted_word_is_unknown():
    assert VOCABULARY.encode("red zorb").tolist()[:2] == [6, UNKNOWN]
    assert VOCABULARY.unknown("the red zorb") == ["zorb"]


@pytest.mark.parametrize("phrase", ["", "  ", "the", "?!", "42"])
def test_a_phrase_without_content_has_no_words(phrase):
    assert not VOCABULARY.encode(phrase).any()


def test_a_very_long_phrase_is_cut():
    assert VOCABULARY.encode("cup " * 10_000).tolist() == [3] * LENGTH


def grounding(attention, **fields):
    defaults = {"utterance_id": "", "stamp": 0.0, "object_id": "", "phrase": "the red cup", "confidence": 0.97, "found": True}
    read = {"attention": attention, "entropy": entropy(attention), "pixel": attended_pixel(attention, 240, 320)}
    return Grounding(**{**defaults, **read, **fields})


def test_the_drawing_glows_only_at_the_attention():
    image = Image(np.full((240, 320, 3), 120, np.uint8), 0.0)
    drawn = draw_grounding(image, grounding(a_patch(30, 40)), threshold=0.5)
    assert drawn.shape == (720 + 84, 960, 3)
    middle, rim, quiet = drawn[366, 486].astype(int), drawn[355:378, 475:498].astype(int), drawn[100, 100].astype(int)
    assert np.ptp(middle) < 20, "where the attention is, the thing keeps its own colour"
    assert (rim[..., 0] - rim[..., 1]).max() > 30, "around it there is a rim of fire"
    assert np.ptp(quiet) < 5
    assert quiet.max() < middle.min()


def test_uniform_attention_is_drawn_dark():
    assert smooth(np.full((60, 80), 1 / 4800), 240, 320).max() < 0.1
    assert smooth(a_patch(3, 3), 240, 320).max() > 0.9


@pytest.mark.parametrize("phrase", ["", "the cup " * 200])
def test_any_phrase_fits_the_caption(phrase):
    image = Image(np.zeros((120, 160, 3), np.uint8), 0.0)
    drawn = draw_grounding(image, grounding(a_patch(0, 79), phrase=phrase, found=False, confidence=0.01))
    assert drawn.shape == (720 + 84, 960, 3)
