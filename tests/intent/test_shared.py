"""Two acts on one thing that is named once are both done with it."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.pipeline import Pipeline
from sayso.types import Context


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain())


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("find and bring me the red cup", ["bring(recipient=operator, theme=red_cup)"]),
        ("look for and bring me my keys", ["bring(recipient=operator, theme=keys)"]),
        ("pick up and put the red cup on the desk", ["pick_up(theme=red_cup)", "put(goal=desk, theme=red_cup)"]),
        ("open and close the fridge", ["open(theme=fridge)", "close(theme=fridge)"]),
        ("open and then close the fridge", ["open(theme=fridge)", "close(theme=fridge)"]),
        ("turn the lamp off and on again", ["switch_off(theme=lamp)", "switch_on(theme=lamp)"]),
        ("switch on and off the lamp", ["switch_on(theme=lamp)", "switch_off(theme=lamp)"]),
        ("turn the lamp on", ["switch_on(theme=lamp)"]),
    ],
)
def test_both_acts_are_done(pipeline: Pipeline, said: str, acts: list[str]) -> None:
    understood = pipeline.understand(said, Context(place="desk"))
    assert understood.decision == "execute", understood.action_belief
    assert [str(action) for action in understood.action_belief.chosen] == acts


@pytest.mark.parametrize("said", ["stop and bring me the red cup", "come here and find the red cup", "wait and then open the fridge"])
def test_an_act_that_needs_no_thing_gets_none(pipeline: Pipeline, said: str) -> None:
    clauses = pipeline.understand(said, Context(place="desk")).intent_belief.clauses
    assert clauses[0].role("theme") is None


@pytest.mark.parametrize("said", ["open and close the fridge and the wardrobe", "find and bring me the milk and the bread"])
def test_of_several_things_none_is_lost_without_a_question(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said, Context(place="desk")).decision == "ask"
