"""What the robot is told not to do on the way is never dropped in silence, and is not taken for giving up the task."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline
from sayso.types import Context


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


def test_a_room_to_keep_out_of_on_the_way_leads_to_a_question(pipeline: Pipeline) -> None:
    belief = pipeline.understand("go to the kitchen but don't go through the bedroom", Context(place="desk")).action_belief
    assert belief.decision == "confirm"
    assert belief.question.startswith("I can't promise to keep out of the bedroom on the way. Should I")
    assert [str(action) for action in belief.options] == ["go_to(goal=kitchen)"]


@pytest.mark.parametrize("act", ["go to the kitchen", "bring me the red cup"])  # the second one is read with some doubt
def test_who_says_yes_gets_it_all_the_same(pipeline: Pipeline, act: str) -> None:
    asked = pipeline.understand(f"{act} but don't go through the bedroom", Context(place="desk"))
    assert asked.question.startswith("I can't promise to keep out of the bedroom on the way.")
    answered = pipeline.answer(asked, "yes", Context(place="desk"))
    assert answered is not None
    assert answered.decision == "execute"


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        ("bring me the red cup, don't drop it", "execute"),
        ("bring me the red cup and don't leave it there", "execute"),
        ("bring me the red cup, drop it", "reject"),
        ("bring me the red cup, no, don't, leave it", "reject"),
    ],
)
def test_not_to_drop_it_is_not_to_drop_the_task(pipeline: Pipeline, said: str, decision: str) -> None:
    found = pipeline.understand(said, Context(place="desk"))
    assert found.decision == decision
    assert decision == "reject" or found.actions[0].name == "bring"


@pytest.mark.parametrize("said", ["don't let anyone into the study", "don't allow the cat in the kitchen", "never let ben open the fridge"])
def test_what_others_do_it_does_not_promise(pipeline: Pipeline, said: str) -> None:
    belief = pipeline.understand(said, Context(place="desk")).action_belief
    assert belief.decision == "reject"
    assert belief.question == "I can't keep others from anything: I can only promise what I do myself."
