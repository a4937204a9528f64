"""Messages to pass on, and those that only name what to speak of."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.pipeline import Pipeline
from sayso.selection.choosing.topics import is_topic


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("tell anna that dinner is ready", "dinner is ready"),
        ("tell anna the dinner is ready", "the dinner is ready"),
        ("tell ben to come to the kitchen", "to come to the kitchen"),
        ("ask carla where the keys are", "where the keys are"),
        ("say that the food is getting cold", "the food is getting cold"),
        ("tell ben his plan failed", "his plan failed"),
    ],
)
def test_a_message_is_passed_on(pipeline: Pipeline, said: str, message: str) -> None:
    understanding = pipeline.understand(said)
    assert understanding.decision == "execute"
    assert [(action.name, action.argument("message")) for action in understanding.actions] == [("tell", message)]


@pytest.mark.parametrize("said", ["tell anna a story", "tell anna a secret", "tell ben about the party"])
def test_the_robot_invents_no_message(pipeline: Pipeline, said: str) -> None:
    understanding = pipeline.understand(said)
    assert understanding.decision == "reject"
    assert understanding.question.startswith(("I don't know what to say about “", "I can't tell"))


@pytest.mark.parametrize(
    ("message", "clause", "to_speaker", "topic"),
    [
        ("the score", "tell me the score", True, True),
        ("the score is two to one", "tell anna the score is two to one", False, False),
        ("you are late", "tell me that you are late", True, False),
        ("to take my pills", "remind me to take my pills", True, False),
        ("something nice", "tell anna something nice", False, True),
        ("another funny joke please", "tell anna another funny joke please", False, True),
    ],
)
def test_a_topic_is_told_from_words_to_repeat(message: str, clause: str, to_speaker: bool, topic: bool) -> None:
    assert is_topic(message, clause, to_speaker=to_speaker) is topic


def test_nothing_to_tell_is_asked_for(pipeline: Pipeline) -> None:
    understanding = pipeline.understand("tell anna something")
    assert (understanding.decision, understanding.question) == ("ask", "What should I tell Anna?")


def test_hello_to_somebody_is_said_to_their_face(pipeline: Pipeline) -> None:
    plan = pipeline.understand("say hello to ben").plan
    assert plan is not None
    assert [str(call) for call in plan.ahead] == ["approach(recipient=ben)", "greet(message=hello, recipient=ben)"]
    here = pipeline.understand("hello").plan
    assert here is not None
    assert [call.name for call in here.ahead] == ["greet"]  # who speaks to the robot is within earshot


def test_after_a_drive_the_speaker_is_gone_back_to(pipeline: Pipeline) -> None:
    plan = pipeline.understand("go to the kitchen and greet me").plan
    assert plan is not None
    assert [call.name for call in plan.ahead] == ["navigate_to", "approach", "greet"]


def test_only_messages_are_topics(pipeline: Pipeline) -> None:
    assert pipeline.understand("switch on the light in the kitchen and bring me the juice").question.startswith(
        "I can't switch the light on."
    )
