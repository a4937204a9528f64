"""Two acts on one thing that is named once are both done with it."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline
from sayso.types import Context


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    ("said", "acts"),
    [
        ("find and bring me the red cup", ["bring(recipient=operator, theme=red_cup)"]),
        ("look for and bring me my keys", ["bring(recipient=operator, theme=keys)"]),
        ("pick up and put the red cup on the desk", ["put(goal=desk, theme=red_cup)"]),
        ("open and close the fridge", ["open(theme=fridge)", "close(theme=fridge)"]),
        ("open and then close the fridge", ["open(theme=fridge)", "close(theme=fridge)"]),
        ("turn the lamp off and on again", ["switch_off(theme=lamp)", "switch_on(theme=lamp)"]),
        ("turn the lamp on", ["switch_on(theme=lamp)"]),
        ("blue cup to the desk the white one as well", ["put(goal=desk, theme=blue_cup)", "put(goal=desk, theme=white_cup)"]),
        ("the pen goes on the desk and the keys as well", ["put(goal=desk, theme=pen)", "put(goal=desk, theme=keys)"]),
        ("find and bring me the milk and the bread", ["bring(recipient=operator, theme=milk)", "bring(recipient=operator, theme=bread)"]),
    ],
)
def test_both_acts_are_done(pipeline: Pipeline, said: str, acts: list[str]) -> None:
    understood = pipeline.understand(said, Context(place="desk"))
    assert understood.decision in ("execute", "confirm"), understood.action_belief  # it asks where the parser reads otherwise
    assert [str(action) for action in understood.action_belief.chosen] == acts


@pytest.mark.parametrize("said", ["stop and bring me the red cup", "come here and find the red cup", "wait and then open the fridge"])
def test_an_act_that_needs_no_thing_gets_none(pipeline: Pipeline, said: str) -> None:
    clauses = pipeline.understand(said, Context(place="desk")).intent_belief.clauses
    assert clauses[0].role("theme") is None


@pytest.mark.parametrize(
    "opened",
    [
        "open the fridge and then the wardrobe",
        "open the fridge, open the wardrobe",
        "open the fridge, bring me the milk, open the wardrobe",
    ],
)
def test_furniture_of_several_clauses_is_all_meant_by_them(pipeline: Pipeline, opened: str) -> None:
    acts = pipeline.understand(f"{opened} and close them", Context(place="desk")).action_belief.chosen
    assert [action.argument("theme") for action in acts if action.name == "close"] == ["fridge", "wardrobe"]
    acts = pipeline.understand(f"{opened} and close it", Context(place="desk")).action_belief.chosen
    assert [action.argument("theme") for action in acts if action.name == "close"] == ["wardrobe"]


@pytest.mark.parametrize("they", ["them", "both of them"])
def test_what_several_pieces_of_furniture_are_called_afterwards_is_all_of_them(pipeline: Pipeline, they: str) -> None:
    understood = pipeline.understand(f"open the fridge and the wardrobe and then close {they}", Context(place="desk"))
    closed = [action.argument("theme") for action in understood.action_belief.chosen if action.name == "close"]
    assert closed == ["fridge", "wardrobe"]
