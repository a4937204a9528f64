"""Wishes that exclude each other: the robot asks which is meant, and never does both or the first that comes."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    "sentence",
    [
        "open and close the fridge at once",
        "open the fridge and close it at the same time",
        "turn the lamp on and off simultaneously",
        "open the fridge and leave it closed",
    ],
)
def test_of_opposite_states_at_once_it_asks_which(pipeline: Pipeline, sentence: str) -> None:
    found = pipeline.understand(sentence)
    assert found.decision == "ask"
    assert found.question.startswith("It can't be both. Do you want me to ")


def test_the_answer_leaves_only_what_is_meant(pipeline: Pipeline) -> None:
    asked = pipeline.understand("open and close the fridge at once")
    answered = pipeline.answer(asked, "close it")
    assert answered is not None
    assert (answered.decision, [str(action) for action in answered.actions]) == ("execute", ["close(theme=fridge)"])


@pytest.mark.parametrize(
    ("sentence", "actions"),
    [
        ("open and close the fridge", ["open(theme=fridge)", "close(theme=fridge)"]),
        ("turn the lamp on and off", ["switch_on(theme=lamp)", "switch_off(theme=lamp)"]),
        ("open the fridge at once", ["open(theme=fridge)"]),
        ("pick up and bring me the apple", ["bring(recipient=operator, theme=apple)"]),
    ],
)
def test_one_after_the_other_is_no_contradiction(pipeline: Pipeline, sentence: str, actions: list[str]) -> None:
    found = pipeline.understand(sentence)
    assert found.decision in ("execute", "confirm")  # it asks where the parser reads the words otherwise
    assert [str(action) for action in found.actions] == actions


@pytest.mark.parametrize("words", ["but don't pick it up", "and leave it where it is", "and don't touch it"])
def test_an_act_whose_means_are_forbidden_is_asked_about(pipeline: Pipeline, words: str) -> None:
    found = pipeline.understand(f"bring me the red cup {words}")
    assert found.decision == "confirm"
    both = "You want me to bring the red cup to you, and not to pick up the red cup."
    assert found.question == f"{both} Should I fetch the red cup and hand it to you?"


def test_if_it_is_not_clear_of_what_the_contradiction_is_named_first(pipeline: Pipeline) -> None:
    found = pipeline.understand("bring me the cup and leave it where it is")
    assert found.decision in ("reject", "confirm")
    assert found.question.startswith(
        ("You forbid what another part of that needs.", "You want me to bring the red cup to you, and not to ")
    )


def test_what_shall_stay_is_not_put_anywhere(pipeline: Pipeline) -> None:
    found = pipeline.understand("leave the red cup where it is")
    assert (found.decision, found.question) == ("reject", "All right, I won't pick up the red cup.")
