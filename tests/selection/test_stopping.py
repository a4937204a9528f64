"""A request to stop wins over all else in its sentence: what takes back, what is unclear, what is not meant for the robot."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.pipeline import Pipeline
from sayso.selection import Dialogue
from sayso.types import Action


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain())


STOPS = (
    "stop",
    "oh never mind, stop",
    "never mind stop",
    "never mind, freeze",
    "never mind: stand still",
    "okay never mind halt",
    "never mind the cup, stop",
    "forget it, stop",
    "forget it stop",
    "leave it, stop",
    "drop it, stop",
    "cancel that, stop",
    "scratch that, stop right there",
    "no, stop",
    "no no no, stop",
    "wait, stop",
    "don't do that, stop",
    "don't go there, stop",
    "stop, never mind the cup",
    "stop never mind",
    "stop, i changed my mind",
    "stop! forget about it",
    "stop, don't do that",
    "halt, cancel that",
    "bring me the cup, no wait, stop",
    "bring me the cup, never mind, stop",
    "bring me the unicorn, stop",
    "where is the cup, stop",
    "anna is here, stop",
    "friday, stop",
    "ben, stop it",
    "i said stop",
    "stop for ten seconds",
    "stop for a minute",
    "halt for five seconds",
    "stopp",
)
GOES_ON = (
    "don't stop",
    "please don't stop",
    "do not stop",
    "never stop",
    "don't you dare stop",
    "you must not stop",
    "don't stop until you are in the kitchen",
    "go to the bus stop",
    "the bus stop",
    "where is the bus stop",
    "that was a full stop",
    "the music stopped",
    "stop the music",
    "tell anna to stop",
    "did you stop",
    "why did you stop",
    "stop in ten seconds",
    "stop when you are in the kitchen",
)


@pytest.mark.parametrize("said", STOPS)
def test_stops_at_once(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, understood.actions) == ("execute", (Action("stop"),)), understood.question


@pytest.mark.parametrize("said", GOES_ON)
def test_does_not_stop(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said)
    assert understood.decision != "execute" or Action("stop") not in understood.actions


def test_a_stop_is_a_part_of_a_sequence_that_can_be_done(pipeline: Pipeline) -> None:
    assert [action.name for action in pipeline.understand("go to the kitchen and stop").actions] == ["go_to", "stop"]
    assert [action.name for action in pipeline.understand("stop and go to the kitchen").actions] == ["stop", "go_to"]


@pytest.mark.parametrize(
    "said",
    [
        "go down the hallway to the bathroom and stop",
        "walk past the unicorn and then stop",
        "turn facing the xyzzy then stop",
        "go to the xyzzy. stop after entering the bedroom",
        "move forward one metre, stop, take a picture",
    ],
)
def test_the_end_of_a_way_stops_nothing_now(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, understood.actions) != ("execute", (Action("stop"),))


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("never mind, go to the kitchen", "go_to(goal=kitchen)"),
        ("oh never mind, look for the keys", "find(theme=keys)"),
        ("nevermind bring me the apple", "bring(recipient=operator, theme=apple)"),
        ("never mind the mess, bring me the apple", "bring(recipient=operator, theme=apple)"),
    ],
)
def test_what_follows_never_mind_is_asked_for_and_not_forbidden(pipeline: Pipeline, said: str, action: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, [str(each) for each in understood.actions]) == ("execute", [action]), understood.question


@pytest.mark.parametrize("asked", ["bring me the cup", "put the cup in the study", "tell anna something", "move forward for ten seconds"])
@pytest.mark.parametrize("said", ["stop", "oh never mind, stop", "no, stop"])
def test_a_stop_is_no_answer_to_a_question(pipeline: Pipeline, asked: str, said: str) -> None:
    dialogue, now = Dialogue(pipeline.domain, describe=pipeline.describe), 10.0
    question = pipeline.understand(asked)
    assert question.decision in ("ask", "confirm")
    dialogue.begin(question.action_belief, now)
    heard = pipeline.understand(said)
    turns = dialogue.hear(heard.intent_belief, None, lambda: heard.action_belief, now + 1.0)
    assert (turns[-1].belief.decision, turns[-1].belief.chosen) == ("execute", (Action("stop"),))
    assert dialogue.open is None
    assert pipeline.answer(question, said) is None
