"""What the user gets for questions about groups, for people who are described, and for sentences of which a part can't be done."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loaded import default_pipeline
from sayso.agenda import Now
from sayso.domain import load_domain
from sayso.paths import project_root
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import ActionSelector, Diary, WorldView
from sayso.selection.choosing.reliability import Reliability
from sayso.types import Context

HOME = project_root() / "benchmarks" / "meaning" / "gpsr_home.yaml"


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain(HOME))


def phrases(understanding: Understanding) -> str:
    return " | ".join(role.text for clause in understanding.clauses for role in clause.roles)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("how many people in the kitchen are sitting", "sitting"),
        ("how many women are wearing hats in the kitchen", "wearing hats"),
        ("how many guests in the corridor are lying down", "lying down"),
        ("how many standing up people are there in the kitchen", "standing up people"),
    ],
)
def test_what_people_do_is_part_of_the_question_and_not_left_out(pipeline: Pipeline, said: str, asked: str) -> None:
    understanding = pipeline.understand(said)
    assert understanding.decision == "answer"
    assert understanding.question.startswith("I can't tell how many")
    assert asked in phrases(understanding)


def test_people_in_a_room_are_counted_from_where_they_usually_are(pipeline: Pipeline) -> None:
    assert "James" in pipeline.understand("how many people are in the kitchen").question


@pytest.mark.parametrize("said", ["how many gray fruits are in the sink", "how many gray fruit items are there in the sink"])
def test_things_that_the_home_lacks_are_not_replaced_by_the_place(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).question == "I know of none."


def test_a_category_of_two_words_is_one_kind(pipeline: Pipeline) -> None:
    theme = pipeline.understand("count the cleaning stuff on the desk").clauses[0].role("theme")
    assert theme is not None
    assert {thing for thing, _ in theme.candidates} == {"cloth", "scrubby", "sponge", "cascade_pod"}


@pytest.mark.parametrize(
    "said", ["tell me which are the two heaviest snacks on the bookcase", "which is the heaviest snack on the bookcase"]
)
def test_an_order_that_is_not_known_is_not_answered_with_a_list(pipeline: Pipeline, said: str) -> None:
    understanding = pipeline.understand(said)
    assert (understanding.decision, len(understanding.clauses)) == ("answer", 1)
    assert understanding.question == "I don't know which snack is the heaviest."


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("put a bowl on the desk and a fork on its left", "left of it"),
        ("put a bowl on the desk and a fork next to it", "next to it"),
    ],
)
def test_a_thing_beside_the_other_one_is_not_left_out(pipeline: Pipeline, said: str, goal: str) -> None:
    understanding = pipeline.understand(said)
    assert [clause.intent for clause in understanding.clauses] == ["put", "put"]
    assert goal in phrases(understanding)
    assert "fork" in {action.argument("theme") for action in understanding.actions}


@pytest.mark.parametrize(
    ("said", "theme"),
    [
        ("take the sprite from the end table to the desk", "sprite"),
        ("pick up the cereal to the side table", "cereal"),
    ],
)
def test_taking_a_thing_to_a_place_is_putting_it_there(pipeline: Pipeline, said: str, theme: str) -> None:
    (action,) = pipeline.understand(said).actions
    assert (action.name, action.argument("theme")) == ("put", theme)


def test_what_cannot_be_done_is_said_before_the_robot_goes_to_look(pipeline: Pipeline) -> None:
    understanding = pipeline.understand("greet robert at the exit and clean the kitchen")
    assert understanding.decision == "confirm"
    assert understanding.question == "I can't wipe the kitchen. Do you want me to say hello to Robert?"


def test_who_is_met_can_be_told_something(pipeline: Pipeline) -> None:
    pipeline = Pipeline(pipeline.domain)
    pipeline.select = ActionSelector(pipeline.domain, reliability=Reliability.certain())
    first = pipeline.understand("meet robert at the exit and ask him to leave")
    assert list(map(str, first.actions)) == ["go_to(goal=exit)"]  # he may not be where he usually is
    assert [str(action) for action in pipeline.after_look(first).actions] == [
        "greet(message=hello, recipient=robert)",
        "tell(message=to leave, recipient=robert)",
    ]


@pytest.mark.parametrize("said", ["bring the coke to the tallest woman in the kitchen", "greet the slimmest woman in the kitchen"])
def test_who_is_told_by_an_order_that_nobody_knows_is_looked_for_and_asked_about(pipeline: Pipeline, said: str) -> None:
    first = pipeline.understand(said)
    assert list(map(str, first.actions)) == ["go_to(goal=kitchen)"]  # there may be one woman
    assert pipeline.after_look(first).decision in ("confirm", "ask", "reject")


def test_a_request_with_an_unknown_verb_is_not_dropped_beside_another(pipeline: Pipeline) -> None:
    understanding = pipeline.understand("take the scrubby from the storage table, and zorble the chocolate drink")
    assert [action.name for action in understanding.actions] == ["pick_up"]
    assert understanding.question == "I can't zorble the chocolate drink."


def test_who_is_introduced_is_not_the_one_who_is_told(pipeline: Pipeline) -> None:
    (clause,) = pipeline.understand("introduce james to mary").clauses
    recipient = clause.role("recipient")
    assert recipient is not None
    assert recipient.entity == "mary"


@pytest.mark.parametrize("place", ["back door", "main door"])
def test_a_person_at_an_unknown_place_is_asked_about_with_the_place(pipeline: Pipeline, place: str) -> None:
    understanding = pipeline.understand(f"greet charlie at the {place}")
    assert understanding.decision == "confirm"
    assert place in understanding.question
    assert "Charlie" in understanding.question


def test_a_part_of_a_place_is_at_the_place(pipeline: Pipeline) -> None:
    (clause,) = pipeline.understand("bring me the sponge from the desk's center").clauses
    source = clause.role("source")
    assert source is not None
    assert source.entity == "desk"


@pytest.fixture(scope="module")
def at_home() -> Pipeline:
    return default_pipeline()


def with_people(at_home: Pipeline, place: str, *people: str) -> tuple[Context, WorldView]:
    """The robot at a place, with these people in its room."""
    x, y, yaw = at_home.domain.places[place].pose
    context = replace(at_home.default_context(), stamp=5.0, place=place, visible=people, x=x, y=y, yaw=yaw)
    diary = Diary(at_home.domain)
    diary.noticed(context)
    return context, WorldView.of(context, recent=diary.recollection(Now(5.0, 1.7e9)))


@pytest.mark.parametrize(
    ("said", "place", "action"),
    [
        ("follow the person at the sink", "sink", "follow(recipient=ben)"),
        ("guide the person in the kitchen to the bed", "kitchen", "guide(goal=bed, recipient=ben)"),
        ("greet everyone in the kitchen", "kitchen", "greet(message=hello, recipient=ben)"),
    ],
)
def test_who_is_meant_by_a_place_is_who_the_robot_sees_there(at_home: Pipeline, said: str, place: str, action: str) -> None:
    first = at_home.understand(said)
    assert list(map(str, first.actions)) == [f"go_to(goal={place})"]
    assert first.reason.endswith("to see who is there")
    after = at_home.after_look(first, *with_people(at_home, place, "ben"))
    assert (after.decision, list(map(str, after.actions))) == ("execute", [action])


def test_of_two_people_at_a_place_the_robot_asks_which_and_of_none_whom(at_home: Pipeline) -> None:
    first = at_home.understand("follow the person at the sink")
    two = at_home.after_look(first, *with_people(at_home, "sink", "ben", "anna"))
    assert two.decision == "ask"
    assert two.question in ("Do you want me to follow Ben or Anna?", "Do you want me to follow Anna or Ben?")
    none = at_home.after_look(first, *with_people(at_home, "sink"))
    assert none.decision in ("ask", "confirm")
    assert none.question.startswith("I don't know who “the person at the sink” is.")


def test_who_is_known_to_be_there_is_not_looked_for(at_home: Pipeline) -> None:
    context, view = with_people(at_home, "kitchen", "ben")
    assert list(map(str, at_home.understand("greet ben in the kitchen", context, view).actions)) == ["greet(message=hello, recipient=ben)"]


def test_who_is_led_back_is_led_to_where_they_were_met(at_home: Pipeline) -> None:
    first = at_home.understand("meet ben at the kitchen table, follow him, and lead him back")
    assert list(map(str, at_home.after_look(first).actions)) == [
        "greet(message=hello, recipient=ben)",
        "follow(recipient=ben)",
        "guide(goal=kitchen_table, recipient=ben)",
    ]
    assert at_home.understand("follow ben and lead him back").question == "Where should I take Ben?"


@pytest.mark.parametrize("back", ["take him back", "bring him back", "lead him back"])
def test_who_was_followed_is_led_back_to_where_he_was_met(at_home: Pipeline, back: str) -> None:
    clauses = at_home.understand(f"meet ben at the sideboard, follow him, and {back}").clauses
    assert [clause.intent for clause in clauses] == ["greet", "follow", "guide"]
    goal = clauses[-1].role("goal")
    assert goal is not None
    assert goal.entity == "sideboard"
