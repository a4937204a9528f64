"""What the robot tells in its own words, to whom, and what it says to a question for which it asked."""

from __future__ import annotations

import pytest

from loaded import default_pipeline
from sayso.agenda import Now
from sayso.domain import load_domain
from sayso.meaning.recollection import Deed
from sayso.paths import project_root
from sayso.pipeline import Pipeline
from sayso.selection import INVITATION, Recollection, WorldView
from sayso.selection.answering.own_words import INVITED_FOR, UNKNOWN_ANSWER
from sayso.types import Action
from sayso.yaml_source import read_yaml

HOME = load_domain()
JOKES = read_yaml(project_root() / "src" / "sayso" / "selection" / "answering" / "jokes.yaml", "jokes").value["en"]


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return default_pipeline()


ASKED = ("find ben and tell him what day is tomorrow",)  # before they are done


def told(pipeline: Pipeline, said: str) -> list[tuple[str, str]]:
    """To whom the robot says what."""
    understood = pipeline.understand(said)
    assert understood.decision == ("confirm" if said in ASKED else "execute"), understood.question
    return [(each.argument("recipient"), each.argument("message")) for each in understood.actions if each.name == "tell"]


@pytest.mark.parametrize(
    ("said", "recipient"),
    [
        ("tell me a joke", "operator"),
        ("tell anna a joke", "anna"),
        ("could you tell a joke to ben", "ben"),
        ("find anna and tell a joke", "anna"),
    ],
)
def test_tells_a_joke_to_whom_it_is_asked_to(pipeline: Pipeline, said: str, recipient: str) -> None:
    [(to, joke)] = told(pipeline, said)
    assert to == recipient
    assert joke in JOKES


def test_another_command_may_get_another_joke(pipeline: Pipeline) -> None:
    assert len({told(pipeline, "tell me a joke")[0][1] for _ in range(20)}) > 1


@pytest.mark.parametrize(
    ("said", "recipient", "words"),
    [
        ("tell anna the time", "anna", "It is "),
        ("find ben and tell him what day is tomorrow", "ben", "Tomorrow is "),
        ("tell anna your name", "anna", "I am Sayso's robot."),
        ("introduce anna to ben", "ben", "This is Anna."),
        ("meet anna and introduce her to ben", "ben", "This is Anna."),
        ("answer a question", "operator", INVITATION),
        ("find anna and answer a question", "anna", INVITATION),
        ("answer a question of carla", "carla", INVITATION),
    ],
)
def test_finds_the_words_for_what_is_only_named(pipeline: Pipeline, said: str, recipient: str, words: str) -> None:
    [(to, message)] = told(pipeline, said)
    assert to == recipient
    assert message.startswith(words)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("tell anna that dinner is ready", "dinner is ready"),
        ("tell ben the time is up", "the time is up"),
    ],
)
def test_passes_on_words_that_were_said_as_they_were(pipeline: Pipeline, said: str, message: str) -> None:
    assert [words for _, words in told(pipeline, said)] == [message]


@pytest.mark.parametrize("said", ["tell anna a story", "tell anna your team's name"])
def test_invents_nothing(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said)
    assert understood.decision == "reject"
    assert understood.question.startswith(("I don't know what to say about", "I can't tell"))


def test_everybody_in_a_room_is_looked_for_before_they_are_told(pipeline: Pipeline) -> None:
    understood = pipeline.understand("introduce anna to everyone in the kitchen")
    assert understood.actions == (Action("go_to", (("goal", "kitchen"),)),)
    assert understood.action_belief.then


@pytest.mark.parametrize(("seconds", "known"), [(10.0, True), (INVITED_FOR + 1.0, False)])
def test_says_that_it_does_not_know_if_it_has_asked_for_the_question(pipeline: Pipeline, seconds: float, known: bool) -> None:
    deed = Deed(f"tell Anna {INVITATION}", "answer a question", 1.0, 0.0, "done")
    view = WorldView(recent=Recollection(Now.at(seconds), deeds=(deed,)))
    understood = pipeline.understand("what is the capital of france", view=view)
    assert (understood.decision == "answer") == known
    assert (understood.question == UNKNOWN_ANSWER) == known
