"""Descriptions in a picture: relations, superlatives, counts, exclusion, and the doubt about them, on things placed by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.domain import load_domain
from sayso.errors import GroundingError
from sayso.grounding.describe import DescriptionGrounder
from sayso.grounding.layout import layout
from sayso.grounding.relations import between, degrees
from sayso.grounding.resolution import resolve
from sayso.grounding.telling import told_apart
from sayso.grounding.things import gathered
from sayso.grounding.wanted import plain_phrases
from sayso.grounding.worlds import WORLDS, PossibleWorlds
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.types import Candidate, Image
from seen_things import HandMadeBackend, textured, thing

DESCRIBE = AnswerDescriber(load_domain())
LEFT, MIDDLE, RIGHT = thing(60, 120), thing(160, 124), thing(260, 118)


def seen(phrase, depth=False, **found):
    return DescriptionGrounder(HandMadeBackend(**found), DESCRIBE)(textured(depth), phrase)


def places(found):
    return sorted(round(each.pixel[0]) for each in found.things)


ROW = {"cup": (LEFT, MIDDLE, RIGHT), "red_cup": (MIDDLE,), "bread": (thing(110, 121, p=0.97),)}


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("the red cup", [160]),
        ("the cup left of the bread", [60]),
        ("the leftmost cup", [60]),
        ("the cup on the right", [260]),
        ("the middle cup", [160]),
        ("the second cup from the left", [160]),
        ("second from left", []),  # of what? there is no "second"
        ("the two leftmost cups", [60, 160]),
        ("the three cups", [60, 160, 260]),
        ("all the cups", [60, 160, 260]),
        ("all cups but the red one", [60, 260]),
        ("the cups right of the bread", [160, 260]),
        ("the red cup right of the bread", [160]),
        ("the cup that is left of the bread", [60]),
        ("which cup is left of the bread", [60]),
        ("the bread and the red cup", [110, 160]),
        ("the cup farthest from the bread", [260]),
        ("the red cup left of the bread", []),
        ("the bowl", []),
        ("the four cups", []),
        ("a zebra", []),
    ],
)
def test_the_phrase_means_these_things(phrase, meant):
    found = seen(phrase, **ROW)
    assert places(found) == meant
    assert found.verdict == ("absent" if not meant else "one" if len(meant) == 1 else "several")


def test_several_that_fit_are_a_question():
    found = seen("the cup", **ROW)
    assert found.verdict == "ambiguous"
    assert [each.probability for each in found.things] == pytest.approx([1 / 3] * 3, abs=0.03)
    assert set(told_apart(found.things)) == {"the left one", "the middle one", "the right one"}


def test_the_cup_right_of_the_bread_is_one_of_two():
    found = seen("the cup right of the bread", **ROW)
    assert found.verdict == "ambiguous"
    assert places(found) == [160, 260]


def test_a_cup_is_any_of_them_without_a_question():
    assert seen("a cup", **ROW).verdict == "one"


@pytest.mark.parametrize(("phrase", "number"), [("how many cups", 3), ("how many red cups are there?", 1), ("how many bowls", 0)])
def test_things_are_counted(phrase, number):
    counts = dict(seen(phrase, **ROW).counts)
    assert max(counts, key=counts.get) == number


def test_how_many_are_in_a_relation():
    counts = dict(seen("how many cups are right of the bread", **ROW).counts)
    assert max(counts, key=counts.get) == 2


def test_a_faint_second_thing_makes_no_question_and_a_likely_one_does():
    assert seen("the cup", cup=(LEFT, thing(260, 118, p=0.2))).verdict == "one"
    assert seen("the cup", cup=(LEFT, thing(260, 118, p=0.8))).verdict == "ambiguous"


def test_a_doubtful_landmark_makes_the_relation_doubtful():
    sure = seen("the cup left of the bread", cup=(LEFT,), bread=(thing(110, 121, p=0.9),))
    unsure = seen("the cup left of the bread", cup=(LEFT,), bread=(thing(110, 121, p=0.4),))
    assert sure.p_found == pytest.approx(0.95 * 0.9, abs=0.02)
    assert unsure.p_found == pytest.approx(0.95 * 0.4, abs=0.02)
    assert unsure.doubt > sure.doubt


def test_sizes_decide_and_equal_sizes_ask():
    big, small = thing(60, 120, 40, 40), thing(200, 120, 20, 20)
    assert places(seen("the biggest cup", cup=(big, small))) == [60]
    assert places(seen("the small cup", cup=(big, small))) == [200]
    assert seen("the biggest cup", cup=(thing(60, 120), thing(200, 120))).verdict == "ambiguous"


def test_a_far_big_thing_is_bigger_than_a_near_small_one():
    far, near = thing(60, 120, 20, 20, depth=3.0), thing(200, 120, 30, 30, depth=1.0)
    assert places(seen("the biggest cup", depth=True, cup=(far, near))) == [60]
    assert places(seen("the biggest cup", cup=(thing(60, 120, 20, 20), thing(200, 120, 30, 30)))) == [200]  # as far as a photograph tells


def test_depth_decides_what_is_behind_and_nearest():
    near, far = thing(150, 130, depth=1.0), thing(165, 110, depth=1.6)
    bread = (thing(155, 122, depth=1.3),)
    assert places(seen("the cup behind the bread", depth=True, cup=(near, far), bread=bread)) == [165]
    assert places(seen("the cup in front of the bread", depth=True, cup=(near, far), bread=bread)) == [150]
    assert places(seen("the nearest cup", depth=True, cup=(near, far))) == [150]
    assert places(seen("the cup farthest away", depth=True, cup=(near, far))) == [165]


def test_contact_in_a_picture_without_depth():
    table, bowl = thing(160, 180, 200, 80, p=0.98), thing(160, 150, 40, 24)
    on, under, floor = thing(110, 140), thing(200, 232, 20, 14), thing(300, 225)
    apple = thing(160, 149, 12, 10)
    assert places(seen("the cup on the table", cup=(on, floor), table=(table,))) == [110]
    assert places(seen("the shoe under the table", shoe=(under, floor), table=(table,))) == [200]
    assert places(seen("the apple in the bowl", apple=(apple, floor), bowl=(bowl,))) == [160]
    assert places(seen("the cup not on the table", cup=(on, floor), table=(table,))) == [300]


def test_what_stands_before_a_book_is_not_on_it():
    book, cup = thing(160, 120, 60, 40, p=0.98, depth=1.5), thing(165, 130, 20, 24, depth=1.1)
    assert seen("the cup on the book", depth=True, cup=(cup,), book=(book,)).verdict == "absent"
    assert seen("the cup in front of the book", depth=True, cup=(cup,), book=(book,)).verdict == "one"


def test_between_needs_both_landmarks():
    cups = (thing(160, 120), thing(300, 120))
    bottles = (thing(100, 120), thing(220, 120))
    assert places(seen("the cup between the two bottles", cup=cups, bottle=bottles)) == [160]
    assert places(seen("the cup between the bread and the bottle", cup=cups, bread=bottles[:1], bottle=bottles[1:])) == [160]
    assert seen("the cup between the two bottles", cup=cups, bottle=bottles[:1]).verdict == "absent"


def test_a_thing_that_two_phrases_find_is_one_thing():
    things = gathered(HandMadeBackend(cup=(LEFT,), red_cup=(thing(61, 120, p=0.7),)).look(textured(), ("cup", "red cup")))
    assert len(things) == 1
    assert things[0].fits == {"cup": 0.95, "red cup": 0.7}


def test_two_candidates_of_one_phrase_stay_two_things():
    assert len(gathered(HandMadeBackend(cup=(LEFT, thing(62, 120, p=0.7))).look(textured(), ("cup",)))) == 2


def test_an_order_that_no_picture_shows_is_named():
    found = seen("the newest cup", **ROW)
    assert found.verdict == "ambiguous"
    assert found.why == "a picture does not show which is the newest"


def test_unknown_words_are_told():
    assert seen("the zorb", cup=(LEFT,)).unknown == ("zorb",)


@pytest.mark.parametrize(
    ("phrase", "reason"), [("", "no phrase"), ("the", "no phrase"), ("?!", "no phrase"), ("cup " * 500, "500 words; 40 are the most")]
)
def test_a_useless_phrase_is_refused_with_the_reason(phrase, reason):
    with pytest.raises(GroundingError, match=reason):
        seen(phrase, **ROW)


def test_a_phrase_that_is_no_noun_phrase_is_looked_for_as_it_stands():
    found = seen("the traffic light", traffic_light=(LEFT,))
    assert places(found) == [60]


def test_the_phrases_to_look_for_are_plain():
    phrase = "the biggest red cup left of the blue bowl but not the one on the table"
    assert "red cup" in plain_phrases(DESCRIBE("the biggest red cup left of the blue bowl"))
    assert plain_phrases(DESCRIBE("the biggest red cup left of the blue bowl")) == ("red cup", "blue bowl")
    assert plain_phrases(DESCRIBE("all cups but the red one")) == ("cup", "red cup")
    assert plain_phrases(DESCRIBE("the small cup")) == ("cup",)
    assert all(len(plain.split()) < 4 for plain in plain_phrases(DESCRIBE(phrase) or DESCRIBE("the cup")))


def test_colours_tell_things_apart_in_a_question():
    def colored(u, color):
        return Candidate(0.9, (u, 100), (u - 5, 95, u + 5, 105), color=color)

    assert told_apart((colored(10, "red"), colored(90, "blue"))) == ("the red one", "the blue one")
    assert told_apart((colored(90, "red"), colored(10, "red"))) == ("the right one", "the left one")
    assert told_apart((thing(100, 60), thing(100, 160))) == ("the upper one", "the lower one")
    assert told_apart((thing(100, 60, depth=2.0), thing(100, 160, depth=1.0))) == ("the far one", "the near one")
    assert told_apart(tuple(thing(30 * at, 100) for at in range(1, 5)))[1] == "the second one from the left"


boxes = st.tuples(st.floats(20, 300), st.floats(20, 220), st.floats(6, 60), st.floats(6, 60))
scenes = st.lists(boxes, min_size=2, max_size=6)


def laid_out(scene, depth=0.0):
    return layout(textured(depth > 0.0), [thing(*box, depth=depth) for box in scene])


@given(scenes, st.sampled_from((0.0, 1.5)))
@examples(60)
def test_relations_are_probabilities_and_nothing_is_related_to_itself(scene, depth):
    layout_ = laid_out(scene, depth)
    for name in ("left_of", "right_of", "in_front_of", "behind", "on", "in", "under", "above", "next_to", "with", "at", "from"):
        found = degrees(name, layout_)
        assert ((found >= 0) & (found <= 1)).all(), name
        assert (np.diag(found) == 0).all(), name
    found = between(layout_)
    assert ((found >= 0) & (found <= 1)).all()


@given(scenes, st.sampled_from((0.0, 1.5)))
@examples(60)
def test_left_of_is_the_opposite_of_right_of_and_excludes_it(scene, depth):
    layout_ = laid_out(scene, depth)
    for one, other in (("left_of", "right_of"), ("in_front_of", "behind")):
        np.testing.assert_allclose(degrees(one, layout_), degrees(other, layout_).T)
        assert (degrees(one, layout_) + degrees(other, layout_) <= 1 + 1e-9).all()
    np.testing.assert_allclose(degrees("next_to", layout_), degrees("next_to", layout_).T)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6))
@examples(30)
def test_a_single_thing_has_the_probability_that_the_backend_gave_it(chances):
    looks = HandMadeBackend(cup=[thing(40 * at, 100, p=p) for at, p in enumerate(chances, start=1)]).look(textured(), ("cup",))
    things = gathered(looks)
    fits = PossibleWorlds(things).fits("cup").mean(axis=0)
    np.testing.assert_allclose(fits, [each.candidate.probability for each in things], atol=1.0 / WORLDS)


@given(
    scenes,
    st.lists(st.floats(0.05, 1.0), min_size=6, max_size=6),
    st.sampled_from(("the cup", "the leftmost cup", "all the cups", "the cup left of the bread")),
)
@examples(40)
def test_probabilities_sum_to_one(scene, chances, phrase):
    cups = [thing(*box, p=p) for box, p in zip(scene, chances, strict=False)]
    found = seen(phrase, cup=cups, bread=(thing(160, 120),))
    assert sum(p for _, p in found.counts) == pytest.approx(1.0)
    assert sum(p for _, p in found.readings) <= 1.0 + 1e-9
    assert 0.0 <= found.p_ambiguous <= found.p_found + 1e-9 <= 1.0 + 2e-9
    if phrase != "all the cups":
        assert sum(each.probability for each in found.things) <= found.p_found + 1e-9


@given(scenes, st.sampled_from(("the cup", "the leftmost cup", "the biggest cup", "how many cups", "the cup left of the bread")))
@examples(40)
def test_a_thing_of_another_kind_changes_nothing(scene, phrase):
    cups = [thing(*box) for box in scene]
    description = DescriptionGrounder(HandMadeBackend(), DESCRIBE).description(phrase)
    backend = HandMadeBackend(cup=cups, bread=(thing(160, 120, p=0.9),), dog=(thing(310, 15, 8, 8, p=0.1),))
    wanted = plain_phrases(description)
    plain = resolve(phrase, description, backend.look(textured(), wanted), textured(), 0.5)
    more = resolve(phrase, description, backend.look(textured(), (*wanted, "dog")), textured(), 0.5)
    assert (plain.verdict, plain.things, plain.counts) == (more.verdict, more.things, more.counts)


def test_the_picture_alone_counts_if_the_camera_tells_no_depth():
    assert not layout(Image(np.zeros((240, 320, 3), np.uint8), 0.0), [LEFT, RIGHT]).metric


WHOLE, PART = thing(100, 120, 60, 160, p=0.8), thing(104, 90, 30, 50, p=0.5)  # a person and their shoulder


def test_a_box_within_another_of_its_kind_is_no_second_thing():
    counts = dict(seen("how many people are there", person=(WHOLE, PART)).counts)
    assert 2 not in counts
    beside = dict(seen("how many people are there", person=(WHOLE, thing(250, 90, 30, 50, p=0.5))).counts)
    assert beside[2] == pytest.approx(0.4, abs=0.03)


def test_exclusive_boxes_keep_their_probabilities_as_far_as_there_is_room():
    worlds = PossibleWorlds(gathered(HandMadeBackend(person=(WHOLE, thing(104, 90, 30, 50, p=0.15))).look(textured(), ("person",))))
    there = worlds.fits("person")
    assert there.mean(axis=0) == pytest.approx([0.8, 0.15], abs=0.02)
    assert not there.all(axis=1).any()


def test_boxes_of_other_kinds_and_things_whose_points_are_apart_exclude_nothing():
    looks = HandMadeBackend(table=(WHOLE,), cup=(PART,)).look(textured(), ("table", "cup"))
    worlds = PossibleWorlds(gathered(looks))
    assert (worlds.fits("table").any(axis=1) & worlds.fits("cup").any(axis=1)).mean() == pytest.approx(0.4, abs=0.03)
    before, behind = thing(100, 120, 60, 160, p=0.8, depth=1.0), thing(104, 90, 30, 50, p=0.5, depth=2.0)
    looks = HandMadeBackend(person=(before, behind)).look(textured(True), ("person",))
    assert PossibleWorlds(gathered(looks)).fits("person").all(axis=1).mean() == pytest.approx(0.4, abs=0.03)


def test_a_red_cup_is_a_cup_in_each_world_also_among_exclusive_boxes():
    looks = HandMadeBackend(cup=(WHOLE, PART), red_cup=(thing(100, 120, 60, 160, p=0.3), PART)).look(textured(), ("cup", "red cup"))
    worlds = PossibleWorlds(gathered(looks))
    assert not (worlds.fits("red cup") & ~worlds.fits("cup")).any()
