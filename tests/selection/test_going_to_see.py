"""Answers and decisions for which the robot goes and looks first, and those for which a look shows nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from loaded import default_pipeline
from sayso.domain import load_domain
from sayso.pipeline import Pipeline, Understanding
from sayso.selection import WorldView
from sayso.types import Context, ObjectBelief

HOME = load_domain()


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


def looks(understanding: Understanding) -> list[str]:
    return [str(action) for action in understanding.actions] if understanding.action_belief.then else []


@pytest.mark.parametrize(
    ("said", "places"),
    [
        ("tell me how many cups are on the counter", ["counter"]),
        ("count the bottles on the sideboard", ["sideboard"]),
        ("count the bottles on the sideboard and report to me", ["sideboard"]),
        ("tell me what's the biggest object on the desk", ["desk"]),
        ("describe the objects on the desk to me", ["desk"]),
        ("tell me how many cups are on the hallway shelf", ["hallway_shelf"]),  # where no cup is expected
        ("tell me how many cups are in the kitchen", ["counter", "sink", "stove", "kitchen_table"]),
    ],
)
def test_who_wants_a_report_gets_one_from_a_look(pipeline: Pipeline, said: str, places: list[str]) -> None:
    assert looks(pipeline.understand(said)) == [f"survey(goal={place})" for place in places]


@pytest.mark.parametrize(
    "said",
    [
        "how many cups are on the counter",  # may be about what the robot thinks
        "tell me how many people are in the kitchen",  # a look at furniture shows no people
        "tell me which is the newest cup on the counter",  # no look shows that
        "tell me what time it is",
        "tell me where the keys are",
    ],
)
def test_other_questions_are_answered_at_once(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision == "answer"


def test_an_answer_beside_what_was_not_meant_for_the_robot_is_given_without_a_look(pipeline: Pipeline) -> None:
    told = pipeline.understand("tell me how many cups are on the bedside drawer and you can continue now")
    assert told.decision == "confirm"  # it asks whether it is to go on
    assert told.question.startswith("I expect 0 on the nightstand.")


def test_the_answer_after_the_look_is_what_was_seen(pipeline: Pipeline) -> None:
    pending = pipeline.understand("tell me how many cups are on the counter")
    on_it = {cup: ObjectBelief(cup, ("counter",), np.ones(1)) for cup in ("red_cup", "white_cup")}
    elsewhere = {"blue_cup": ObjectBelief("blue_cup", ("desk",), np.ones(1))}
    told = pipeline.after_look(pending, view=WorldView({**on_it, **elsewhere}))
    assert told.decision == "answer"
    assert told.question.startswith("I expect 2 on the counter: the red cup")


def test_who_sees_none_says_how_much_a_look_finds(pipeline: Pipeline) -> None:
    pending = pipeline.understand("tell me how many cups are on the desk")
    elsewhere = WorldView({cup: ObjectBelief(cup, ("sink",), np.ones(1)) for cup in ("red_cup", "blue_cup", "white_cup")})
    here, away = (
        pipeline.after_look(pending, Context(place=place), replace(elsewhere, context=Context(place=place))) for place in ("desk", "sofa")
    )
    assert here.question == "I expect 0 on the desk. A look finds 96% of what is there."
    assert away.question == "I expect 0 on the desk."


def test_a_robot_that_cannot_look_answers_by_habit() -> None:
    blind = HOME.model_copy(update={"skills": {name: skill for name, skill in HOME.skills.items() if name != "survey"}})
    assert Pipeline(blind).understand("tell me how many cups are on the counter").decision == "answer"


def test_what_a_look_has_not_confirmed_is_asked_about(pipeline: Pipeline) -> None:
    pending = pipeline.understand("bring me the beer in the blue cup")
    assert looks(pending) == ["find(theme=blue_cup)"]
    after = pipeline.after_look(pending)
    assert after.decision == "confirm"
    assert "I have not seen whether the beer is there." in after.question


def test_what_was_seen_there_is_fetched_from_there(pipeline: Pipeline) -> None:
    pending = pipeline.understand("hand me the lemon from the dining table")
    assert looks(pending) == ["survey(goal=dining_table)"]
    seen = ObjectBelief("lemon", ("dining_table", "counter"), np.array([0.8, 0.2]))
    after = pipeline.after_look(pending, replace(pipeline.default_context(), visible=("lemon",)), WorldView({"lemon": seen}))
    assert (after.decision, [str(action) for action in after.actions]) == ("execute", ["give(recipient=operator, theme=lemon)"])


@pytest.mark.parametrize(
    "said",
    [
        "take the black object from the hallway shelf to the sofa",
        "bring me the cup from the hallway shelf",
        "bring me a cup from the hallway shelf",
    ],
)
def test_which_of_several_is_meant_shows_a_look_where_they_are_said_to_be(pipeline: Pipeline, said: str) -> None:
    assert looks(pipeline.understand(said)) == ["survey(goal=hallway_shelf)"]


def test_what_a_look_has_shown_elsewhere_is_not_meant(pipeline: Pipeline) -> None:
    pending = pipeline.understand("bring me the cup from the hallway shelf")
    there = {"blue_cup": ObjectBelief("blue_cup", ("hallway_shelf",), np.ones(1))}
    elsewhere = {cup: ObjectBelief(cup, ("counter",), np.ones(1)) for cup in ("red_cup", "white_cup")}
    after = pipeline.after_look(pending, view=WorldView({**there, **elsewhere}))
    assert [str(action) for action in after.actions] == ["bring(recipient=operator, source=hallway_shelf, theme=blue_cup)"]
