"""Whether a door is open or a lamp is on: the robot tells what it did itself, and never claims what it does not know."""

from __future__ import annotations

import pytest

from answered import NOW, told
from loaded import default_pipeline
from sayso.domain import load_domain
from sayso.meaning.recollection import Deed
from sayso.paths import project_root
from sayso.pipeline import Pipeline
from sayso.types import Context


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    "question",
    [
        "is the front door open?",
        "is the fridge closed",
        "is the lamp on",
        "is the fridge still open",
        "is the lamp switched on",
        "is the fridge opened",
        "do you know if the fridge is open",
        "tell me whether the fridge is open",
        "can you see if the lamp is turned on",
        "check whether the fridge door is closed",
    ],
)
def test_what_it_did_not_do_itself_it_does_not_know(pipeline: Pipeline, question: str) -> None:
    assert "I don't know whether" in told(pipeline, question)


@pytest.mark.parametrize(
    ("question", "fact", "answer"),
    [
        ("is the fridge open", "open(fridge)", "As far as I know, yes: the fridge is open."),
        ("is the fridge open", "closed(fridge)", "As far as I know, no: the fridge is closed."),
        ("is the fridge closed", "closed(fridge)", "As far as I know, yes: the fridge is closed."),
        ("is the lamp on", "unpowered(lamp)", "As far as I know, no: the lamp is off."),
        ("is the lamp switched off", "unpowered(lamp)", "As far as I know, yes: the lamp is off."),
        ("is anything open", "open(fridge)", "As far as I know, yes: the fridge is open."),
        ("is anything still open", "open(fridge)", "As far as I know, yes: the fridge is open."),
        ("is anything still on", "powered(lamp)", "As far as I know, yes: the lamp is on."),
        ("what is still on", "powered(lamp)", "As far as I know, yes: the lamp is on."),
        ("which lights are on", "powered(lamp)", "As far as I know, yes: the lamp is on."),
        ("are all the lights off", "powered(lamp)", "As far as I know, no: the lamp is on."),
        ("is any light still on", "powered(lamp)", "As far as I know, yes: the lamp is on."),
        ("are all doors closed", "open(fridge)", "As far as I know, no: the fridge is open."),
        ("is any door open", "open(fridge)", "As far as I know, yes: the fridge is open."),
        ("is everything closed", "open(fridge)", "As far as I know, no: the fridge is open."),
        ("which doors are open", "open(fridge)", "As far as I know, yes: the fridge is open."),
        ("is the lamp off", "unpowered(lamp)", "As far as I know, yes: the lamp is off."),
    ],
)
def test_what_it_did_itself_it_tells_with_its_doubt(pipeline: Pipeline, question: str, fact: str, answer: str) -> None:
    reply = told(pipeline, question, fact)
    assert reply.startswith(answer)
    assert "don't see whether anybody has changed it since" in reply


@pytest.mark.parametrize(
    ("question", "state"), [("is anything open", "open"), ("is everything closed", "open"), ("is everything off", "on")]
)
def test_of_nothing_that_it_knows_to_be_open_it_does_not_say_that_all_is_closed(pipeline: Pipeline, question: str, state: str) -> None:
    assert told(pipeline, question) == f"I know of nothing that is {state}, but I can't see that, and know only what I did myself."


def test_of_several_things_each_state_is_told(pipeline: Pipeline) -> None:
    reply = told(pipeline, "are the fridge and the front door closed", "closed(fridge)")
    assert "yes: the fridge is closed" in reply
    assert "I don't know whether the front door is closed" in reply


def test_it_says_when_it_did_it(pipeline: Pipeline) -> None:
    closed = Deed("close the fridge", "close the fridge", 1.0, NOW.ros - 300.0, "done")
    assert "I left it so 5 minutes ago" in told(pipeline, "is the fridge closed", "closed(fridge)", deeds=(closed,))


def test_a_thing_that_has_no_such_state_is_told_as_such(pipeline: Pipeline) -> None:
    assert "I can't tell whether the stove is off" in told(pipeline, "is the oven off")


def test_whether_it_is_locked_nobody_can_see(pipeline: Pipeline) -> None:
    assert told(pipeline, "is the front door locked", "closed(front_door)").startswith("I don't know whether the front door is locked")


def test_a_lamp_on_the_desk_is_asked_for_its_place_and_not_for_its_state(pipeline: Pipeline) -> None:
    assert "living room" in told(pipeline, "is the lamp on the desk", "powered(lamp)")


@pytest.mark.parametrize("said", ["lock the front door", "unlock the front door please", "make sure the front door is locked"])
def test_locking_is_declined_and_never_taken_for_closing(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said, Context(place="desk"))
    assert understood.decision == "reject"
    assert "lock the front door" in understood.question
    assert understood.question.startswith("I can't")


@pytest.mark.parametrize("said", ["lock it", "unlock that please"])
def test_of_what_it_can_lock_nothing_of_it_says_so(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said, Context(place="desk"))
    assert (understood.decision, understood.question.endswith(("lock anything.", "lock it.", "unlock that."))) == ("reject", True)


def test_of_closing_and_locking_it_closes_and_says_that_it_cannot_lock(pipeline: Pipeline) -> None:
    understood = pipeline.understand("close and lock the front door", Context(place="desk"))
    assert (understood.decision, understood.question) == ("execute", "I can't lock the front door.")
    assert [action.name for action in understood.actions] == ["close"]


def test_a_question_about_a_lamp_that_is_a_place_of_its_own_has_an_answer() -> None:
    """In a home whose lamps are places by themselves, this ended in an error."""
    home = Pipeline(load_domain(project_root() / "benchmarks/meaning/others/home.yaml"))
    assert home.understand("are any lights on in the kitchen").decision in ("answer", "ask")
