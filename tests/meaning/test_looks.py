"""People who are told by their looks: where the robot goes to see them, whom it chooses, and what it says of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loaded import default_pipeline
from sayso.agenda import Now
from sayso.domain import load_domain
from sayso.looks import PersonLook
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import Diary, WorldView
from sayso.types import Action, Context

HOME = load_domain()


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


def in_the_kitchen(p: float = 0.9, **looks: tuple[str, ...]) -> Context:
    """The robot is in the kitchen and sees these people there; each label has probability `p`."""
    seen = tuple(PersonLook(person, look, p) for person, labels in looks.items() for look in labels)
    x, y, yaw = HOME.places["kitchen"].pose
    return Context(place="kitchen", visible=tuple(looks), looks=seen, x=x, y=y, yaw=yaw)


def after_going_there(pipeline: Pipeline, said: str, context: Context) -> Understanding:
    pending = pipeline.understand(said)
    assert pending.actions == (Action("go_to", (("goal", "kitchen"),)),)
    return pipeline.after_look(pending, context, seen(context))


def seen(context: Context) -> WorldView:
    """What the robot believes once it sees that."""
    diary = Diary(HOME)
    diary.noticed(context)
    return WorldView.of(context, recent=diary.recollection(Now.at(0.0)))


TWO = {"anna": ("standing", "waving", "female", "red_shirt"), "ben": ("sitting", "no_gesture", "male", "blue_jacket")}


@pytest.mark.parametrize(
    ("said", "person"),
    [
        ("greet the waving person in the kitchen", "anna"),
        ("say hello to the person sitting in the kitchen", "ben"),
        ("greet the woman in the kitchen", "anna"),
        ("say hello to the person wearing a red shirt in the kitchen", "anna"),
        ("follow the person who is waving in the kitchen", "anna"),
    ],
)
def test_drives_there_and_chooses_the_person_who_looks_so(pipeline: Pipeline, said: str, person: str) -> None:
    decided = after_going_there(pipeline, said, in_the_kitchen(**TWO))
    assert decided.decision == "execute"
    assert [action.argument("recipient") for action in decided.actions] == [person]


@pytest.mark.parametrize(
    ("said", "person"),
    [
        ("find the waving person in the kitchen", "anna"),
        ("find the person who is sitting in the kitchen", "ben"),
    ],
)
def test_finds_the_person_who_looks_so(pipeline: Pipeline, said: str, person: str) -> None:
    decided = after_going_there(pipeline, said, in_the_kitchen(**TWO))
    assert decided.decision in ("execute", "confirm")  # it asks where the parser reads the words otherwise
    assert [action.argument("theme") for action in decided.actions] == [person]


def test_says_that_nobody_looks_so(pipeline: Pipeline) -> None:
    second = after_going_there(pipeline, "greet the person pointing to the left in the kitchen", in_the_kitchen(**TWO))
    assert second.actions == (Action("go_to", (("goal", "stove"),)),)  # what hid somebody does not from there
    there = replace(in_the_kitchen(**TWO), place="stove", x=9.8, y=1.08)
    decided = pipeline.after_look(second, there, seen(there))
    assert decided.decision == "reject"
    assert decided.question == "I see nobody like “the person pointing to the left in the kitchen”."


def test_asks_which_of_two_who_wave(pipeline: Pipeline) -> None:
    both = in_the_kitchen(anna=("waving",), ben=("waving",))
    decided = after_going_there(pipeline, "greet the waving person in the kitchen", both)
    assert decided.decision in ("ask", "confirm")


def test_takes_any_of_two_if_one_is_asked_for(pipeline: Pipeline) -> None:
    both = in_the_kitchen(anna=("waving",), ben=("waving",))
    decided = after_going_there(pipeline, "greet a waving person in the kitchen", both)
    assert decided.decision == "execute"


def test_counts_those_who_look_so(pipeline: Pipeline) -> None:
    told = after_going_there(pipeline, "tell me how many people in the kitchen are sitting", in_the_kitchen(**TWO))
    assert told.decision == "answer"
    assert told.question.startswith("I expect 1 in the kitchen: Ben")


def test_goes_and_sees_before_it_tells_how_many(pipeline: Pipeline) -> None:
    first = pipeline.understand("tell me how many men are pointing to the left in the bedroom")
    assert first.actions == (Action("go_to", (("goal", "bedroom"),)),)


def test_a_plain_question_about_people_out_of_sight_has_no_number(pipeline: Pipeline) -> None:
    assert pipeline.understand("how many people in the kitchen are sitting").question.startswith("I can't tell how many")


def test_tells_the_pose_of_the_person_there(pipeline: Pipeline) -> None:
    told = after_going_there(pipeline, "tell me the pose of the person in the kitchen", in_the_kitchen(ben=TWO["ben"]))
    assert told.question == "Ben is sitting (90%)."


def test_needs_no_drive_to_who_is_in_view(pipeline: Pipeline) -> None:
    context = in_the_kitchen(**TWO)
    decided = pipeline.understand("follow the sitting person", context, seen(context))
    assert [action.argument("recipient") for action in decided.actions] == ["ben"]
    assert decided.decision in ("execute", "confirm")


AGES = {"anna": ("standing", "female", "elder"), "ben": ("standing", "male", "adult"), "carla": ("standing", "female", "child")}


@pytest.mark.parametrize(
    ("said", "person"),
    [
        ("greet the oldest person in the kitchen", "anna"),
        ("follow the youngest woman in the kitchen", "carla"),
        ("say hello to the tallest man in the kitchen", "ben"),  # the only man there
    ],
)
def test_knows_who_is_oldest_and_whom_any_order_means_if_there_is_one(pipeline: Pipeline, said: str, person: str) -> None:
    decided = after_going_there(pipeline, said, in_the_kitchen(0.99, **AGES))
    assert decided.decision == "execute", decided.question
    assert [action.argument("recipient") for action in decided.actions] == [person]


@pytest.mark.parametrize("said", ["greet the slimmest woman in the kitchen", "greet the tallest person in the kitchen"])
def test_asks_who_is_meant_by_an_order_that_no_look_shows(pipeline: Pipeline, said: str) -> None:
    decided = after_going_there(pipeline, said, in_the_kitchen(0.99, **AGES))
    assert decided.decision in ("ask", "confirm")
    assert "I don't know who" in decided.question


def test_asks_if_two_are_of_the_same_age(pipeline: Pipeline) -> None:
    alike = {"anna": ("female", "adult"), "ben": ("male", "adult")}
    assert after_going_there(pipeline, "greet the oldest person in the kitchen", in_the_kitchen(0.99, **alike)).decision in (
        "ask",
        "confirm",
    )


@pytest.mark.parametrize("said", ["describe the person sitting in the kitchen to me", "describe to me the person sitting in the kitchen"])
def test_describes_a_person(pipeline: Pipeline, said: str) -> None:
    decided = after_going_there(pipeline, said, in_the_kitchen(**TWO))
    assert decided.decision == "answer"
    assert decided.question == "Ben is sitting (90%) and wearing a blue jacket (90%)."


def test_counts_drinks(pipeline: Pipeline) -> None:
    pending = pipeline.understand("count the cups on the counter and report to me")
    assert pending.actions == (Action("survey", (("goal", "counter"),)),)
    assert pipeline.after_look(pending).question.startswith("I expect ")


def in_the_hallway(place: str, **looks: tuple[str, ...]) -> Context:
    """The robot is at that place of the hallway, which is longer than it sees."""
    x, y, yaw = HOME.places[place].pose
    seen = tuple(PersonLook(person, look, 0.95) for person, labels in looks.items() for look in labels)
    return Context(place=place, visible=tuple(looks), looks=seen, x=x, y=y, yaw=yaw)


def test_goes_on_looking_from_a_second_place_of_a_long_room(pipeline: Pipeline) -> None:
    pending = pipeline.understand("greet the waving person in the hallway")
    nobody = in_the_hallway("hallway")
    second = pipeline.after_look(pending, nobody, seen(nobody))
    assert second.decision == "execute"
    assert second.actions == (Action("go_to", (("goal", "dock"),)),)
    ben = in_the_hallway("dock", ben=("waving", "male"))
    decided = pipeline.after_look(second, ben, seen(ben))
    assert [action.argument("recipient") for action in decided.actions] == ["ben"]


def test_ends_the_search_after_the_second_place(pipeline: Pipeline) -> None:
    pending = pipeline.understand("greet the waving person in the hallway")
    nobody = in_the_hallway("dock")
    decided = pipeline.after_look(pending, nobody, seen(nobody))
    assert (decided.decision, decided.question) == ("reject", "I see nobody like “the waving person in the hallway”.")


def test_one_person_is_not_the_smallest_of_a_room_that_is_not_seen_to_its_end(pipeline: Pipeline) -> None:
    pending = pipeline.understand("say hello to the smallest man in the hallway")
    one = in_the_hallway("hallway", ben=("male",))
    assert pipeline.after_look(pending, one, seen(one)).decision in ("ask", "confirm")


def test_says_how_far_it_sees_before_it_greets_all_of_a_long_room(pipeline: Pipeline) -> None:
    pending = pipeline.understand("greet everyone in the hallway")
    one = in_the_hallway("hallway", ben=("male",))
    decided = pipeline.after_look(pending, one, seen(one))
    assert decided.decision == "confirm"
    assert decided.question.startswith("I don't see as far as the dock.")
