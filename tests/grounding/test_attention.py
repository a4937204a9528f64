"""Entropy and drawing of an attention map; units of phrases, and colours as numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.grounding.attention import resized
from sayso.grounding.colors import difference, lab, named
from sayso.grounding.draw import draw_grounding
from sayso.grounding.grounder import entropy
from sayso.grounding.heat import smooth
from sayso.grounding.phrase import PhraseUnit, content_words, units_of
from sayso.grounding.words import COLOR, WORDS, UnitReader
from sayso.types import Grounding, Image, WordAttention


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


@pytest.mark.parametrize("shape", [(480, 640, 3), (37, 53, 3), (240, 320, 4), (240, 320, 3)])
def test_images_of_any_size_are_resized_for_the_network(shape):
    rgb = np.full(shape, 77, np.uint8)
    assert resized(rgb, 240, 320).shape == (240, 320, 3)
    assert (resized(rgb, 240, 320) == 77).all()


def test_only_content_words_count():
    assert content_words("The bottle of water, please!") == ["bottle", "of", "water"]


@pytest.mark.parametrize(
    ("phrase", "colors", "noun"),
    [
        ("the red cup", ["red"], "cup"),
        ("my old water bottle", [], "old water bottle"),
        ("a teal and white plate", ["teal", "white"], "plate"),
        ("the orange", [], "orange"),
        ("the red", ["red"], "thing"),
        ("the orange orange", ["orange"], "orange"),
        ("that red thing", ["red"], "thing"),
        ("something", [], "thing"),
    ],
)
def test_a_phrase_is_read_as_its_colours_and_its_noun(phrase, colors, noun):
    assert units_of(phrase) == (*(PhraseUnit(color, color=True) for color in colors), PhraseUnit(noun))


@pytest.mark.parametrize("phrase", ["", "  ", "the", "?!", "42"])
def test_a_phrase_without_content_has_no_units(phrase):
    assert units_of(phrase) == ()


class Encoder:
    """Word vectors of ones."""

    def words(self, words):
        return np.ones((len(words), 8), np.float32)


def test_a_colour_is_read_by_its_looks_and_a_noun_by_its_words():
    read = UnitReader(Encoder())
    (color, kept), (noun, _) = read(PhraseUnit("teal", color=True)), read(PhraseUnit("orange"))
    assert not color[:, :-COLOR].any()
    assert color[0, -COLOR] == 1
    assert noun[0, :-COLOR].all()
    assert not noun[:, -COLOR:].any()
    assert kept.tolist() == [1] + [0] * (WORDS - 1)


def test_a_very_long_noun_is_cut():
    assert UnitReader(Encoder())(PhraseUnit("cup " * 10_000))[1].sum() == WORDS


def test_colours_lie_in_cielab():
    white, black, red = lab(np.array([[255, 255, 255], [0, 0, 0], [255, 0, 0]], np.uint8))
    assert white == pytest.approx((100, 0, 0), abs=0.1)
    assert black == pytest.approx((0, 0, 0), abs=0.1)
    assert red == pytest.approx((53.2, 80.1, 67.2), abs=0.2)  # as in every table of the colour space


def test_teal_lies_between_cyan_and_green():
    nearest = sorted((name for name in named() if name not in ("teal", "turquoise")), key=lambda name: difference("teal", name))
    assert {"cyan", "green"} <= set(nearest[:5])


def grounding(attention, **fields):
    defaults = {"utterance_id": "", "stamp": 0.0, "object_id": "", "phrase": "the red cup", "confidence": 0.97, "found": True}
    read = {"attention": attention, "entropy": entropy(attention), "pixel": (161.5, 121.5)}
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


def test_the_attention_of_each_word_stands_below_the_picture():
    image = Image(np.full((240, 320, 3), 120, np.uint8), 0.0)
    words = (WordAttention("red", a_patch(30, 40)), WordAttention("cup", a_patch(10, 70)))
    drawn = draw_grounding(image, grounding(a_patch(30, 40), words=words))
    assert drawn.shape[0] > 720 + 84 + 150
    red, cup = drawn[804:, :236].astype(int), drawn[804:, 240:476].astype(int)
    hottest = [np.unravel_index((part[:170, ..., 0] - part[:170, ..., 2]).argmax(), (170, part.shape[1])) for part in (red, cup)]
    assert hottest[0][0] > hottest[1][0]  # further down
    assert hottest[0][1] < hottest[1][1]  # further left
