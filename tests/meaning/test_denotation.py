"""P(referent | description, belief), for phrases of the default home."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.domain import load_domain
from sayso.intent.clauses import words_of
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import verbs_of
from sayso.intent.meaning.describe import DescriptionParser
from sayso.intent.normalise import normalise
from sayso.meaning.denotation import Denotation, denotation
from sayso.meaning.world_view import WorldView
from sayso.representation import Description
from sayso.types import ObjectBelief

HOME = load_domain()
PARSER = DescriptionParser(HOME, Gazetteer(HOME), verbs_of(example for intent in HOME.intents.values() for example in intent.examples))
NOTHING_KNOWN = WorldView()


def described(phrase: str) -> Description:
    return PARSER.phrases(words_of(normalise(f"bring me {phrase}")))[1].description


def meant(phrase: str, view: WorldView = NOTHING_KNOWN) -> Denotation:
    return denotation(HOME, described(phrase), view)


def at(**places: str) -> dict[str, ObjectBelief]:
    """A belief in which each thing is where it is said to be, nearly for sure."""
    return {thing: ObjectBelief(thing, (place, "elsewhere"), np.array([0.99, 0.01])) for thing, place in places.items()}


KITCHEN = WorldView(at(red_cup="counter", blue_cup="kitchen_table", white_cup="desk", bread="counter", plate="sink", bowl="sink"))
# Three cups in a row before a robot at the origin that looks along x: red on the left, white on the right.
ROW = WorldView(
    at(red_cup="desk", blue_cup="desk", white_cup="desk"),
    positions={"red_cup": (1.0, 0.5, 0.7), "blue_cup": (1.0, 0.0, 0.7), "white_cup": (1.0, -0.5, 0.7), "plate": (1.0, -0.25, 0.7)},
)

ONE = [
    ("the red cup", NOTHING_KNOWN, "red_cup"),
    ("the biggest box", NOTHING_KNOWN, "cereal"),
    ("the smaller box", NOTHING_KNOWN, "medicine"),
    ("the heaviest bottle", NOTHING_KNOWN, "green_bottle"),
    ("the lightest box", NOTHING_KNOWN, "medicine"),
    ("the thinnest thing on the nightstand", WorldView(at(phone="nightstand", alarm_clock="nightstand", glasses="nightstand")), "phone"),
    ("something to write with", NOTHING_KNOWN, "pen"),
    ("the book which is red", NOTHING_KNOWN, "red_book"),
    ("the cup next to the bread", KITCHEN, "red_cup"),
    ("the cup that is on the desk", KITCHEN, "white_cup"),
    ("the cup you see on the kitchen table", KITCHEN, "blue_cup"),
    ("the cup i left in the study", KITCHEN, "white_cup"),
    ("the leftmost cup", ROW, "red_cup"),
    ("the cup on the right", ROW, "white_cup"),
    ("the middle cup", ROW, "blue_cup"),
    ("the second cup from the left", ROW, "blue_cup"),
    ("the first cup from the right", ROW, "white_cup"),
    ("the last cup", ROW, "white_cup"),
    ("the cup right of the plate", ROW, "white_cup"),
    ("the cup between the red cup and the white cup", ROW, "blue_cup"),
    ("the nearest cup", WorldView(KITCHEN.whereabouts, pose=(1.2, 7.5, 0.0)), "white_cup"),
    ("the farthest cup", WorldView(KITCHEN.whereabouts, pose=(1.2, 7.5, 0.0)), "red_cup"),
    ("the cup closest to the bread", KITCHEN, "red_cup"),
    ("it", WorldView(spoken_of=("blue_cup", "bread")), "blue_cup"),
    ("the red one", WorldView(spoken_of=("blue_cup",)), "red_cup"),
    ("the box you see", WorldView(visible=("medicine", "red_cup")), "medicine"),
    ("the box in the kitchen that is next to the bread", WorldView(at(cereal="counter", bread="counter", medicine="washbasin")), "cereal"),
]


@pytest.mark.parametrize(("phrase", "view", "entity"), ONE)
def test_one_thing_is_meant(phrase: str, view: WorldView, entity: str) -> None:
    found = meant(phrase, view)
    assert found.best == (entity,)
    assert found.probability > 0.8
    assert not found.none


SEVERAL = [
    ("all the books", NOTHING_KNOWN, {"red_book", "blue_book", "green_book"}),
    ("all the books except the red one", NOTHING_KNOWN, {"blue_book", "green_book"}),
    ("the milk and the bread", NOTHING_KNOWN, {"milk", "bread"}),
    ("the red and the blue cup", NOTHING_KNOWN, {"red_cup", "blue_cup"}),
    ("both the milk and the bread", NOTHING_KNOWN, {"milk", "bread"}),
    ("all the cups that are in the kitchen", KITCHEN, {"red_cup", "blue_cup"}),
    ("all the other cups", WorldView(spoken_of=("red_cup",)), {"blue_cup", "white_cup"}),
    ("the other two books", WorldView(spoken_of=("red_book",)), {"blue_book", "green_book"}),
    ("the three cups", NOTHING_KNOWN, {"red_cup", "blue_cup", "white_cup"}),
    ("all of them", WorldView(spoken_of=("milk", "bread")), {"milk", "bread"}),
    ("the plates and cups", NOTHING_KNOWN, {"plate", "red_cup", "blue_cup", "white_cup"}),
    ("the two biggest bottles", NOTHING_KNOWN, {"green_bottle", "water_bottle"}),
    ("the two leftmost cups", ROW, {"red_cup", "blue_cup"}),
]


@pytest.mark.parametrize(("phrase", "view", "entities"), SEVERAL)
def test_several_things_are_meant(phrase: str, view: WorldView, entities: set[str]) -> None:
    found = meant(phrase, view)
    assert set(found.best) == entities
    assert found.probability > 0.8
    assert not found.none


FREE = [
    ("a cup", NOTHING_KNOWN, {"red_cup", "blue_cup", "white_cup"}),
    ("a cup, but not the red one", NOTHING_KNOWN, {"blue_cup", "white_cup"}),
    ("another cup", WorldView(spoken_of=("red_cup",)), {"blue_cup", "white_cup"}),
    ("the other one", WorldView(spoken_of=("red_cup",)), {"blue_cup", "white_cup"}),
    ("one of the cups", NOTHING_KNOWN, {"red_cup", "blue_cup", "white_cup"}),
    ("an apple or an orange", NOTHING_KNOWN, {"apple", "orange"}),
    ("something to eat except the lemon", NOTHING_KNOWN, {"apple", "orange", "banana", "bread", "cereal"}),
    ("anything but the cup", NOTHING_KNOWN, HOME.objects.keys() - {"red_cup", "blue_cup", "white_cup"}),
]


@pytest.mark.parametrize(("phrase", "view", "entities"), FREE)
def test_any_of_several_will_do(phrase: str, view: WorldView, entities: set[str]) -> None:
    found = meant(phrase, view)
    assert found.free
    assert {entity for group, _ in found.referents for entity in group} == entities


NONE = [
    ("the green cup", "no cup here is green"),
    ("the unicorn", "I don't know the unicorn"),
    ("two apples", "I know only one apple"),
    ("minus two cups", "minus 2 cups make no sense"),
    ("something to sit on", "I know nothing to sit"),
    ("it", 'I don\'t know what "it" refers to'),
]


@pytest.mark.parametrize(("phrase", "reason"), NONE)
def test_the_reason_is_given_when_nothing_fits(phrase: str, reason: str) -> None:
    assert meant(phrase).none == reason


def test_no_other_cup_is_left() -> None:
    assert meant("another cup", WorldView(spoken_of=("red_cup", "blue_cup", "white_cup"))).none == "I know no other cup"


def test_positions_that_contradict_rule_out() -> None:
    assert meant("the red cup to the right of the plate", ROW).none == "I think that the red cup is not there"


def test_two_of_three_are_any_pair() -> None:
    found = meant("two books")
    assert found.free
    assert [len(books) for books, _ in found.referents] == [2, 2, 2]
    assert sum(p for _, p in found.referents) == pytest.approx(1.0)


def test_the_robot_must_look_where_the_landmark_may_be() -> None:
    found = meant("the bottle left of the plate")
    assert set(found.look) == {"dining_table", "sink"}
    assert found.why == "three bottles may be meant"


def test_an_order_without_positions_needs_a_look() -> None:
    found = meant("the leftmost bottle that is on the sideboard")
    assert found.look == ("sideboard",)
    assert found.why == "I have not seen in which order the bottles are"
    assert not meant("the leftmost cup", ROW).look


def test_what_nobody_has_weighed_is_named() -> None:
    untold = HOME.model_copy(update={"objects": {**HOME.objects, "shampoo": HOME.objects["shampoo"].model_copy(update={"weight": 0.0})}})
    found = denotation(untold, described("the heaviest bottle"), NOTHING_KNOWN)
    assert found.why == "I don't know how heavy the shampoo is"
    assert not found.look  # no look would show it


def test_what_a_look_has_not_shown_is_left_out_of_an_order() -> None:
    on_stove = at(pan="stove", pot="stove")
    elsewhere = {thing: ObjectBelief(thing, ("desk", "stove"), np.array([0.98, 0.02])) for thing in ("orange", "lemon")}
    view = WorldView(on_stove | elsewhere, positions={"pan": (1.0, 0.3, 0.9), "pot": (1.0, -0.3, 0.9)})
    assert meant("the rightmost object from the stove", view).best == ("pot",)


def test_equal_weights_are_no_order() -> None:
    assert meant("the heaviest book").why == "I know no book heavier than another"


def test_equal_sizes_are_no_order() -> None:
    found = meant("the biggest cup")
    assert found.why == "I know no cup bigger than another"
    assert len(found.referents) == 3


def test_an_unknown_landmark_is_named() -> None:
    found = meant("the cup next to the window")
    assert found.why == "I don't know the window"
    assert found.probability < 0.5


def test_everything_at_a_place_is_what_is_probably_there() -> None:
    whereabouts = {thing: ObjectBelief(thing, ("bed", "elsewhere"), np.array([0.99, 0.01])) for thing in HOME.objects}
    whereabouts |= at(milk="kitchen_table", banana="kitchen_table")
    found = meant("everything from the kitchen table", WorldView(whereabouts))
    assert set(found.best) == {"milk", "banana"}
    unsure = meant("everything from the kitchen table")
    assert unsure.probability < 0.8
    assert unsure.look == ("kitchen_table",)


def test_the_biggest_of_uncertain_members_is_weighed() -> None:
    """P(cereal is the biggest there) = P(cereal there) = .9; the carton wins only if the cereal is elsewhere."""
    two = {"cereal": ObjectBelief("cereal", ("counter", "bed"), np.array([0.9, 0.1]))}
    home = HOME.model_copy(update={"objects": {name: HOME.objects[name] for name in ("cereal", "milk")}})
    two["milk"] = ObjectBelief("milk", ("counter", "bed"), np.array([0.6, 0.4]))
    found = denotation(home, described("the biggest thing that is on the counter"), WorldView(two))
    p = {entities[0]: p for entities, p in found.referents}
    assert p["cereal"] == pytest.approx(0.9 / (0.9 + 0.1 * 0.6))


VOCABULARY = [
    "the",
    "a",
    "all",
    "both",
    "two",
    "no",
    "every",
    "other",
    "my",
    "cup",
    "cups",
    "bottle",
    "red",
    "green",
    "biggest",
    "leftmost",
    "second",
    "next",
    "to",
    "left",
    "of",
    "between",
    "and",
    "or",
    "on",
    "in",
    "table",
    "counter",
    "kitchen",
    "bread",
    "plate",
    "but",
    "not",
    "except",
    "one",
    "everything",
    "something",
    "drink",
    "that",
    "is",
    "it",
    "them",
    "anna",
    "'s",
    "sofa",
]


@given(st.lists(st.sampled_from(VOCABULARY), max_size=14), st.sampled_from([NOTHING_KNOWN, KITCHEN, ROW]))
@examples(200)
def test_probabilities_of_any_words_are_probabilities(words: list[str], view: WorldView) -> None:
    for phrase in PARSER.phrases(words_of(normalise(" ".join(words)))):
        found = denotation(HOME, phrase.description, view)
        assert all(0.0 <= p <= 1.0 + 1e-9 for _, p in found.referents)
        assert sum(p for _, p in found.referents) <= 1.0 + 1e-6
        assert all(HOME.entity(entity) for entities, _ in found.referents for entity in entities)
        assert found.referents or found.none


PLAIN = ["the cup", "the bottle", "the book", "the thing", "a box", "something to eat"]
ADDED = [
    "that is next to the bread",
    "that is on the counter",
    "left of the plate",
    "that is not on the desk",
    "with the plate",
    "that is red",
]


@given(st.sampled_from(PLAIN), st.sampled_from(ADDED), st.sampled_from([NOTHING_KNOWN, KITCHEN, ROW]))
def test_a_restriction_adds_no_members(phrase: str, restriction: str, view: WorldView) -> None:
    def members(text: str) -> set[str]:
        return {entity for entities, _ in meant(text, view).referents for entity in entities}

    assert members(f"{phrase} {restriction}") <= members(phrase)


@given(
    st.sampled_from(["all the cups", "all the books", "a cup", "everything", "two books"]),
    st.sampled_from(["red_cup", "blue_book", "green_book", "white_cup"]),
    st.sampled_from([NOTHING_KNOWN, KITCHEN, ROW]),
)
def test_what_is_excluded_is_never_returned(phrase: str, excluded: str, view: WorldView) -> None:
    found = meant(f"{phrase} except the {excluded.replace('_', ' ')}", view)
    assert all(excluded not in entities for entities, _ in found.referents)


@pytest.mark.parametrize(
    "phrase", ["the door between the hallway and the study", "the door next to the fridge", "the cabinet next to the bed"]
)
def test_for_a_place_that_is_not_where_it_is_said_to_be_nobody_goes_and_looks(phrase: str) -> None:
    found = meant(phrase)
    assert not found.look
    assert "is not there" in found.none
