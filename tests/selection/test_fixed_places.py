"""Doors and furniture stay where the home has them: words about one that it has not never lead to another one."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline
from sayso.types import Context


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("open the bathroom door", "I know no bathroom door, only the front door."),
        ("open the living room door", "I know no living room door, only the front door."),
        ("open the door in the kitchen", "I know no door in the kitchen, only the front door."),
        ("shut the door of the bathroom", "I know no door of the bathroom, only the front door."),
        ("close the door between the hallway and the study", "I know no door between the hallway and the study, only the front door."),
        ("open the door next to the fridge", "I know no door next to the fridge, only the front door."),
        ("go to the bathroom door", "I know no bathroom door, only the front door."),
        ("switch on the kitchen lamp", "I know no kitchen lamp, only the lamp."),
        ("open the fridge in the bathroom", "I know no fridge in the bathroom, only the fridge."),
    ],
)
def test_one_that_the_home_has_not_is_declined_with_what_it_has(pipeline: Pipeline, sentence: str, reason: str) -> None:
    found = pipeline.understand(sentence)
    assert (found.decision, found.question, found.actions) == ("reject", reason, ())


def test_the_only_one_that_is_said_to_stand_elsewhere_is_asked_about(pipeline: Pipeline) -> None:
    found = pipeline.understand("go to the desk next to the fridge")
    assert found.decision == "confirm"
    assert found.question == "I don't know “the desk next to the fridge”, but I know the desk. Should I drive to the desk?"


@pytest.mark.parametrize(
    ("sentence", "action"),
    [
        ("open the door", "open(theme=front_door)"),
        ("open the hallway door", "open(theme=front_door)"),
        ("open the door in the hallway", "open(theme=front_door)"),
        ("close the fridge in the kitchen", "close(theme=fridge)"),
        ("go to the table in the kitchen", "go_to(goal=kitchen_table)"),
        ("switch on the lamp next to the sofa", "switch_on(theme=lamp)"),
    ],
)
def test_one_that_stands_where_the_words_say_is_meant(pipeline: Pipeline, sentence: str, action: str) -> None:
    found = pipeline.understand(sentence)
    assert (found.decision, [str(each) for each in found.actions]) == ("execute", [action])


@pytest.mark.parametrize(
    ("sentence", "thing"),
    [
        ("open the wardrobe door", "wardrobe"),
        ("open the door of the wardrobe", "wardrobe"),
        ("open the cupboard door", "sideboard"),
        ("open the door of the refrigerator", "fridge"),
        ("open the drawer of the nightstand", "nightstand"),
    ],
)
def test_the_door_of_what_opens_is_that_thing(pipeline: Pipeline, sentence: str, thing: str) -> None:
    found = pipeline.understand(sentence)
    assert (found.decision, [str(each) for each in found.actions]) == ("execute", [f"open(theme={thing})"])


def test_the_rest_of_the_sentence_is_offered(pipeline: Pipeline) -> None:
    found = pipeline.understand("open the bathroom door and bring me the apple")
    assert found.decision == "confirm"
    assert found.question == "I know no bathroom door, only the front door. Should I fetch the apple and hand it to you?"


def test_a_kind_of_table_is_no_table_beside_a_couch(pipeline: Pipeline) -> None:
    assert pipeline.understand("put the remote on the couch table").decision in ("ask", "confirm")


def test_what_is_not_said_to_go_into_the_fridge_is_not_put_there_unasked(pipeline: Pipeline) -> None:
    found = pipeline.understand("put the milk on the fridge")
    assert (found.decision, found.question[:46]) == ("confirm", "I can't put things on the fridge, only in it. ")
    assert pipeline.understand("can you put the fridge on top of teddy").decision == "reject"


def test_the_robot_drives_to_the_fridge_as_before(pipeline: Pipeline) -> None:
    assert pipeline.understand("go to the fridge").decision == "execute"


@pytest.mark.parametrize(
    "said",
    [
        "open the bathroom door",
        "open the door to the kitchen",
        "open the door next to the fridge",
        "close the door between the hallway and the study",
        "close the cupboard in the bathroom",
        "open the cabinet next to the bed",
    ],
)
def test_the_robot_does_not_act_on_another_door_without_asking(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said, Context(place="desk"))
    assert understood.decision in ("reject", "confirm", "ask"), understood.action_belief
    assert understood.question


def test_the_door_of_the_fridge_is_opened(pipeline: Pipeline) -> None:
    understood = pipeline.understand("open the door of the fridge", Context(place="desk"))
    assert [str(action) for action in understood.action_belief.chosen] == ["open(theme=fridge)"]
