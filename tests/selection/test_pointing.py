"""Sentences about pointing, through the whole pipeline: at what the robot points, what it asks, and what it declines."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    ("sentence", "actions"),
    [
        ("point at the red cup", ["point(recipient=operator, theme=red_cup)"]),
        ("point to the fridge", ["point(recipient=operator, theme=fridge)"]),
        ("point at anna", ["point(recipient=operator, theme=anna)"]),
        ("point out the red cup", ["point(recipient=operator, theme=red_cup)"]),
        ("point out the red cup to ben", ["point(recipient=ben, theme=red_cup)"]),
        ("can you show me the keys", ["point(recipient=operator, theme=keys)"]),
        ("point at me", ["point(recipient=operator, theme=operator)"]),
        ("find the milk and point at it", ["find(theme=milk)", "point(recipient=operator, theme=milk)"]),
    ],
)
def test_the_robot_points_at_what_is_named(pipeline: Pipeline, sentence: str, actions: list[str]) -> None:
    found = pipeline.understand(sentence)
    assert (found.decision, [str(each) for each in found.actions]) == ("execute", actions)


def test_the_robot_asks_which_of_several_it_should_point_at(pipeline: Pipeline) -> None:
    found = pipeline.understand("point at the cup").action_belief
    assert found.decision == "ask"
    assert found.question == "Do you want me to point at the red cup, the blue cup or the white cup?"


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("point at the unicorn", "I don't know the unicorn."),
    ],
)
def test_what_it_does_not_know_or_must_not_do_is_declined(pipeline: Pipeline, sentence: str, reason: str) -> None:
    found = pipeline.understand(sentence).action_belief
    assert (found.decision, found.reason) == ("reject", reason)


def test_a_description_is_still_given_in_words(pipeline: Pipeline) -> None:
    found = pipeline.understand("describe the red cup").action_belief
    assert (found.decision, found.question.split(".")[0]) == ("answer", "The red cup is red and about 10 cm")
