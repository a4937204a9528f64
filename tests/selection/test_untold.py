"""Of the only thing of its kind it cannot matter what else is said of it: the robot does what was asked, and says what it can't tell."""

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
    ],
)
def test_what_the_home_does_not_know_of_the_only_one_is_no_question(pipeline: Pipeline, said: str, action: str, remark: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, list(map(str, understood.actions)), understood.question) == ("execute", [action], remark)


@pytest.mark.parametrize("said", ["bring me an empty cup", "put the vase on the clean shelf"])
def test_of_one_of_several_the_robot_asks(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision in ("confirm", "ask")


@pytest.mark.parametrize("said", ["bring me the toilet paper", "bring me the milk powder", "put the pen in the desk drawer"])
def test_a_word_that_makes_another_thing_of_it_is_asked_about(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision in ("confirm", "ask", "reject")
