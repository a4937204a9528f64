"""Whether the robot did something: it tells what became of the task, and of one that it does not remember never says yes or no."""

from __future__ import annotations

import pytest

from answered import NOW, told
from loaded import default_pipeline
from sayso.meaning.recollection import Deed, DeedState
from sayso.pipeline import Pipeline
from sayso.selection.answering.deed_answers import NONE
from sayso.types import Action

CLOSE = Action("close", (("theme", "fridge"),))
BRING = Action("bring", (("recipient", "anna"), ("theme", "red_cup")))


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


def deed(what: str, action: Action, state: DeedState = "done", reason: str = "", minutes: float = 5.0) -> Deed:
    return Deed(what, what, 1.0, NOW.ros - 60.0 * minutes, state, reason, (action,))


@pytest.mark.parametrize(
    ("question", "done"),
    [
        ("did you close the fridge", deed("close the fridge", CLOSE)),
        ("have you closed the fridge already", deed("close the fridge", CLOSE)),
        ("did you bring anna the red cup", deed("bring the red cup to Anna", BRING)),
        ("have you given the red cup to anna", deed("bring the red cup to Anna", BRING)),
    ],
)
def test_what_is_done_it_says_with_the_time(pipeline: Pipeline, question: str, done: Deed) -> None:
    assert told(pipeline, question, deeds=(done,)) == f"Yes. I did this 5 minutes ago: {done.what}."


def test_what_failed_it_says_with_the_reason(pipeline: Pipeline) -> None:
    failed = deed("close the fridge", CLOSE, "failed", "the door is stuck")
    assert told(pipeline, "did you close the fridge", deeds=(failed,)).startswith("No. I tried this")
    assert "the door is stuck" in told(pipeline, "did you close the fridge", deeds=(failed,))


def test_what_it_is_doing_is_not_done_yet(pipeline: Pipeline) -> None:
    running = deed("bring the red cup to Anna", BRING, "running")
    assert told(pipeline, "did you bring anna the red cup", deeds=(running,)).startswith("Not yet.")


def test_of_two_the_newest_counts(pipeline: Pipeline) -> None:
    failed, done = deed("close the fridge", CLOSE, "failed", "it is stuck", 9.0), deed("close the fridge", CLOSE, minutes=2.0)
    assert told(pipeline, "did you close the fridge", deeds=(failed, done)).startswith("Yes. I did this 2 minutes ago")


@pytest.mark.parametrize("question", ["did you open the fridge", "did you close the wardrobe", "did you switch off the lamp"])
def test_another_task_is_not_taken_for_it(pipeline: Pipeline, question: str) -> None:
    assert told(pipeline, question, deeds=(deed("close the fridge", CLOSE),)).startswith(NONE)


def test_of_a_door_that_it_opened_for_another_task_it_tells_the_state(pipeline: Pipeline) -> None:
    reply = told(pipeline, "did you close the fridge", "closed(fridge)", deeds=(deed("bring the red cup to Anna", BRING),))
    assert reply.startswith(f"{NONE} As far as I know, the fridge is closed.")


def test_of_a_thing_it_tells_where_it_is_all_the_same(pipeline: Pipeline) -> None:
    reply = told(pipeline, "did you give the newspaper to anna")
    assert reply.startswith(f"{NONE} The newspaper is probably on the coffee table")


def test_whether_it_has_seen_a_thing_is_asked_for_its_place(pipeline: Pipeline) -> None:
    assert told(pipeline, "have you seen the keys").startswith("The keys are probably on the hallway shelf")
