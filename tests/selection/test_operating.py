"""Sentences about doors and appliances, through the whole pipeline: what is done, and what is declined before anything moves."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.domain import load_domain
from sayso.pipeline import Pipeline
from sayso.selection.choosing.decide import decide
from sayso.types import Action, ActionCandidate

HOME = load_domain()


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    ("sentence", "actions"),
    [
        ("open the fridge", ["open(theme=fridge)"]),
        ("close the fridge door", ["close(theme=fridge)"]),
        ("turn on the lamp", ["switch_on(theme=lamp)"]),
        ("switch the lamp off", ["switch_off(theme=lamp)"]),
        ("open the drawer", ["open(theme=nightstand)"]),
        ("open the front door", ["open(theme=front_door)"]),
        ("close the main entrance", ["close(theme=front_door)"]),
        ("shut the cupboard please", ["close(theme=sideboard)"]),
        ("could you turn the television off", ["switch_off(theme=tv_stand)"]),
        ("open the fridge and close it", ["open(theme=fridge)", "close(theme=fridge)"]),
        ("open the fridge and get me the milk", ["open(theme=fridge)", "bring(recipient=operator, theme=milk)"]),
    ],
)
def test_what_opens_or_switches_is_done(pipeline: Pipeline, sentence: str, actions: list[str]) -> None:
    found = pipeline.understand(sentence)
    assert (found.decision, [str(action) for action in found.actions]) == ("execute", actions)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("open the banana", "I can't open the banana."),
        ("open the sofa", "I can't open the sofa."),
        ("close the dock", "I can't close the dock."),
        ("open the window", "I can't open the window."),
        ("switch on the fridge", "I can't switch the fridge on."),
        ("turn off the radio", "I can't switch the radio off."),
    ],
)
def test_what_does_not_is_declined_with_its_name(pipeline: Pipeline, sentence: str, reason: str) -> None:
    found = pipeline.understand(sentence)
    assert (found.decision, found.action_belief.reason) == ("reject", reason)


def test_it_is_what_was_acted_on_and_not_an_object_named_since(pipeline: Pipeline) -> None:
    found = pipeline.understand("open the fridge, find the milk and bring it to me")
    assert [str(action) for action in found.actions][-1] == "bring(recipient=operator, theme=milk)"


def test_what_to_open_is_asked(pipeline: Pipeline) -> None:
    found = pipeline.understand("open it")
    assert (found.decision, found.action_belief.question) == ("ask", "What should I open?")


def test_a_home_in_which_nothing_opens_declines() -> None:
    places = {name: place.model_copy(update={"opens": False}) for name, place in HOME.places.items()}
    shut = HOME.model_copy(update={"places": places})
    fridge = ActionCandidate(0, Action("open", (("theme", "fridge"),)), 1.0, 1.0, 1.0, 1.0)
    assert decide(HOME, [fridge]).decision == "execute"
    verdict = decide(shut, [fridge])
    assert (verdict.decision, verdict.reason) == ("reject", "I can't open the fridge.")


@pytest.mark.parametrize("sentence", ["open the back door", "open the rear door", "open the cellar door"])
def test_another_door_is_not_taken_for_the_front_door(pipeline: Pipeline, sentence: str) -> None:
    found = pipeline.understand(sentence)
    assert found.decision == "confirm"
    assert found.question.endswith("but I know the front door. Should the front door be open?")


@pytest.mark.parametrize("sentence", ["put the plate into the sideboard", "put the plate in the cupboard"])
def test_nothing_is_put_on_a_cupboard_that_was_to_go_into_it(pipeline: Pipeline, sentence: str) -> None:
    found = pipeline.understand(sentence)
    assert found.decision == "confirm"
    assert found.question == "I can't put things in the sideboard, only on it. Should the plate end up on the sideboard?"
