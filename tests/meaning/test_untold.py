"""What is said of the only thing of its kind, or of any that will do, cannot matter: the robot does it, and says what it can't tell."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.pipeline import Pipeline


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain())


@pytest.mark.parametrize(
    ("said", "action", "remark"),
    [
        ("put the pen on the wooden desk", "put(goal=desk, theme=pen)", "I can't tell whether the desk is wooden."),
        ("bring me the cold milk", "bring(recipient=operator, theme=milk)", "I can't tell whether the milk is cold."),
        ("bring me the chilled red cup", "bring(recipient=operator, theme=red_cup)", "I can't tell whether the red cup is chilled."),
        ("go to the kitchen on your left", "go_to(goal=kitchen)", "I can't tell whether the kitchen is on my left."),
        ("turn on the lamps", "switch_on(theme=lamp)", "I know only the lamp."),
        ("go to the tv stands", "go_to(goal=tv_stand)", "I know only the tv stand."),
        ("bring me an empty cup", "bring(recipient=operator, theme=red_cup)", "I can't tell whether the red cup is empty."),
    ],
)
def test_what_cannot_matter_is_no_question(pipeline: Pipeline, said: str, action: str, remark: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, list(map(str, understood.actions)), understood.question) == ("execute", [action], remark)


@pytest.mark.parametrize("said", ["bring me the empty cup", "put the vase on the clean shelf", "shut the door on the left"])
def test_of_one_of_several_the_robot_asks(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision in ("confirm", "ask")


@pytest.mark.parametrize("said", ["bring me the toilet paper", "bring me the milk powder", "put the pen in the desk drawer"])
def test_a_word_that_makes_another_thing_of_it_is_asked_about(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision in ("confirm", "ask", "reject")


def test_of_several_things_the_one_is_named_of_which_it_was_said(pipeline: Pipeline) -> None:
    understood = pipeline.understand("bring me the milk and a clean vase")
    assert understood.question == "I can't tell whether the vase is clean."


def test_a_spot_between_two_places_is_not_silently_one_of_them(pipeline: Pipeline) -> None:
    understood = pipeline.understand("stop between the sofa and the coffee table")
    assert (understood.decision, [str(action) for action in understood.actions]) == ("confirm", ["go_to(goal=sofa)"])
    assert understood.question == "I can't tell what is between the sofa and the coffee table. Should I drive to the sofa?"
