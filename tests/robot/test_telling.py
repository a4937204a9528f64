"""What the robot says when it greets somebody or passes a message on."""

from __future__ import annotations

import pytest

from robot_double import at_home, run
from sayso.robot.telling import greeting, passed_on


@pytest.mark.parametrize(
    ("message", "name", "words"),
    [
        ("dinner is ready", "Anna", "Anna, I have a message for you: dinner is ready."),
        ("to come here", "Anna", "Anna, I was asked to tell you to come here."),
        ("where the keys are", "Anna", "Anna, I was asked to ask you where the keys are."),
        ("for the red cup", "Anna", "Anna, I was asked to ask you for the red cup."),
        ("to take my pills", "", "You asked me to remind you: take my pills."),
        ("lunch is served", "", "Lunch is served"),
        ("", "Anna", ""),
        ("It is 10:42.", "Anna", "Anna: It is 10:42."),
        ("What is your question?", "", "What is your question?"),
    ],
)
def test_a_message_is_said_as_somebody_elses_words(message: str, name: str, words: str) -> None:
    assert passed_on(message, name) == words


@pytest.mark.parametrize(("name", "words"), [("Anna", "Good night, Anna"), ("", "Good night")])
def test_a_person_is_greeted_by_name(name: str, words: str) -> None:
    assert greeting("good night", name) == words


def test_the_speaker_is_greeted_without_a_name() -> None:
    runner, robot = at_home()
    assert run(runner, robot, "greet", message="hello", recipient=runner._body.domain.speaker).succeeded
    assert robot.said == ["Hello"]


@pytest.mark.parametrize("skill", ["greet", "tell"])
def test_an_empty_message_is_no_success(skill: str) -> None:
    runner, robot = at_home()
    assert run(runner, robot, skill, message="", recipient="anna").reason == "there is nothing to say"
    assert robot.said == []
