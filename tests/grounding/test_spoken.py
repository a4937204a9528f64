"""The words of a command and a picture → what the robot acts on: one thing, none, or the things among which to ask."""

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.errors import GroundingError
from sayso.grounding.draw import described, draw_grounding
from sayso.grounding.named_boxes import DOUBTFUL
from sayso.grounding.spoken import SpokenGrounder
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.types import Grounding, Image
from seen_things import HandMadeBackend, textured, thing

DESCRIBE = AnswerDescriber(load_domain())
LEFT, RIGHT = thing(60, 120, depth=1.0), thing(260, 118, p=0.93, depth=1.0)
BREAD = thing(110, 121, p=0.97, depth=1.0)


class HandMadeGrounder(HandMadeBackend):
    """Grounds plain phrases as the network does: at the likeliest candidate."""

    def __call__(self, image, phrase, object_id="", utterance_id=""):
        look = self.look(image, (phrase.removeprefix("the "),))[0]
        best = look.candidates[0] if look.candidates else thing(0, 0)
        found = look.presence > self.threshold
        numbers = (look.attention, 3.9, look.presence, found)
        return Grounding(utterance_id, image.stamp, object_id, phrase, *numbers, best.pixel, best.point, look.candidates)


def spoken(phrase, image=None, **found):
    return SpokenGrounder(HandMadeGrounder(**found), DESCRIBE)(image or textured(depth=True), phrase, "red_cup", "u1")


def test_a_plain_phrase_that_fits_one_thing_is_found_there():
    grounding = spoken("the cup", cup=(LEFT,))
    assert grounding.found
    assert grounding.point == LEFT.point
    assert (grounding.object_id, grounding.utterance_id, grounding.ambiguous) == ("red_cup", "u1", False)


def test_two_things_that_fit_alike_are_named_and_none_is_chosen():
    grounding = spoken("the cup", cup=(LEFT, RIGHT))
    assert grounding.ambiguous
    assert grounding.options == ("the left one", "the right one")
    assert [each.point for each in grounding.candidates] == [LEFT.point, RIGHT.point]


def test_a_description_is_looked_for_once_in_its_picture():
    looked = []

    class Counting(HandMadeGrounder):
        def look(self, image, phrases):
            looked.append(tuple(phrases))
            return super().look(image, phrases)

    grounding = SpokenGrounder(Counting(cup=(LEFT, RIGHT), bread=(BREAD,)), DESCRIBE)(
        textured(depth=True), "the cup left of the bread", "", ""
    )
    assert grounding.found
    assert looked == [("cup", "bread")]


def test_things_of_different_colours_are_named_by_them_though_the_words_tell_no_colour():
    grounding = spoken("the cup", cup=(LEFT, RIGHT), red_cup=(RIGHT,), blue_cup=(LEFT, thing(260, 118, p=0.4, depth=1.0)))
    assert grounding.options == ("the blue one", "the red one")
    assert [each.color for each in grounding.candidates] == ["blue", "red"]


def test_a_colour_of_which_the_backend_is_not_sure_is_not_told():
    grounding = spoken("the cup", cup=(LEFT, RIGHT), red_cup=(RIGHT,), blue_cup=(thing(60, 120, p=0.4, depth=1.0),))
    assert grounding.options == ("the left one", "the right one")


def test_a_phrase_with_a_colour_is_not_asked_about_colours_again():
    grounding = spoken("the red cup", red_cup=(LEFT, RIGHT), blue_red_cup=(LEFT,))
    assert grounding.options == ("the left one", "the right one")


def test_a_faint_second_thing_makes_no_question():
    assert not spoken("the cup", cup=(LEFT, thing(260, 118, p=0.2, depth=1.0))).ambiguous


def test_what_is_nearer_than_a_gripper_is_wide_is_one_thing():
    assert not spoken("the cup", cup=(LEFT, thing(66, 120, depth=1.0))).ambiguous


def test_things_whose_place_is_not_known_make_no_question():
    assert not spoken("the cup", cup=(thing(60, 120), thing(260, 118))).ambiguous


@pytest.mark.parametrize(
    ("phrase", "where"), [("the cup left of the bread", LEFT), ("the cup on the right", RIGHT), ("the cup farthest from the bread", RIGHT)]
)
def test_a_description_is_resolved_in_the_picture(phrase, where):
    grounding = spoken(phrase, cup=(LEFT, RIGHT), bread=(BREAD,))
    assert grounding.found
    assert grounding.phrase == phrase
    assert grounding.point == where.point
    assert not grounding.ambiguous


def test_a_description_that_nothing_fits_is_not_found():
    grounding = spoken("the cup left of the bread", cup=(RIGHT,), bread=(BREAD,))
    assert not grounding.found
    assert grounding.confidence < 0.1


def test_a_description_that_two_fit_names_both():
    farther = thing(300, 118, depth=1.0)
    options = spoken("the cup right of the bread", cup=(RIGHT, farther), bread=(BREAD,)).options
    assert sorted(options) == ["the left one", "the right one"]


@pytest.mark.parametrize(("level", "reason"), [(0, "the picture is black"), (255, "the picture is overexposed")])
def test_a_picture_in_which_the_camera_saw_nothing_is_refused(level, reason):
    with pytest.raises(GroundingError, match=reason):
        spoken("the cup", Image(np.full((240, 320, 3), level, np.uint8), 0.0), cup=(LEFT,))


def test_a_bare_wall_is_a_picture_without_the_thing():
    assert not spoken("the cup", Image(np.full((240, 320, 3), 200, np.uint8), 0.0)).found


@pytest.mark.parametrize(("phrase", "reason"), [("", "there is no phrase"), ("cup " * 500, "500 words; 40 are the most")])
def test_a_useless_phrase_is_refused_with_the_reason(phrase, reason):
    with pytest.raises(GroundingError, match=reason):
        spoken(phrase, cup=(LEFT,))


def test_the_picture_of_a_question_has_the_boxes_of_what_may_be_meant():
    image = textured(depth=True)
    grounding = spoken("the cup", image, cup=(LEFT, RIGHT))
    page = draw_grounding(image, grounding)
    upper_edges = [tuple(page[3 * 110, 3 * 60]), tuple(page[3 * 108, 3 * 260])]
    assert upper_edges == [DOUBTFUL, DOUBTFUL]
    assert described(grounding) == "“the cup” may be the left one or the right one"
    assert described(spoken("the cup", image, cup=(LEFT,))) == "“the cup” found, confidence 0.95"
