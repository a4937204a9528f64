"""A door that the home does not know is never opened as another one."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.pipeline import Pipeline
from sayso.types import Context


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain())


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
