"""Sentences about pouring, through the whole pipeline: what goes into what, what is asked, and what is declined before anything moves."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    ("sentence", "goal", "theme"),
    [
        ("pour the milk into the red cup", "red_cup", "milk"),
        ("pour some water into the red mug", "red_cup", "water_bottle"),
        ("pour the wine into the glass", "water_glass", "green_bottle"),
        ("pour milk in the red mug", "red_cup", "milk"),
        ("pour some water in a glass", "water_glass", "water_bottle"),
        ("serve some orange juice in a bowl", "bowl", "orange_juice"),
        ("fill the red cup with milk", "red_cup", "milk"),
        ("fill the glass with water", "water_glass", "water_bottle"),
    ],
)
def test_what_pours_goes_into_what_can_be_filled(pipeline: Pipeline, sentence: str, goal: str, theme: str) -> None:
    found = pipeline.understand(sentence)
    assert found.decision in ("execute", "confirm")  # it asks where the parser reads the words otherwise
    assert [str(each) for each in found.actions] == [f"pour(goal={goal}, recipient=operator, theme={theme})"]


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("pour me some juice", "What should I pour the orange juice into?"),
        ("pour the milk", "What should I pour the milk into?"),
        ("pour it into the bowl", "What should I pour?"),
    ],
)
def test_what_was_not_said_is_asked(pipeline: Pipeline, sentence: str, question: str) -> None:
    found = pipeline.understand(sentence)
    assert (found.decision, found.action_belief.question) == ("ask", question)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("pour the banana into the red cup", "I can't pour the banana into the red cup."),
        ("pour the milk into the plate", "I can't pour the milk into the plate."),
        ("pour the milk into the sink", "I can't pour the milk into the sink."),
        ("pour the milk in the sink", "I can't pour the milk into the sink."),
        ("pour the red cup into the bowl", "I can't pour the red cup into the bowl."),
    ],
)
def test_what_cannot_be_poured_is_declined_with_its_name(pipeline: Pipeline, sentence: str, reason: str) -> None:
    found = pipeline.understand(sentence)
    assert (found.decision, found.action_belief.reason) == ("reject", reason)
