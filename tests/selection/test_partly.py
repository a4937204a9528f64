"""A request of which the robot can do a part."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.pipeline import Pipeline
from sayso.types import Action


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain())


@pytest.mark.parametrize(
    ("said", "actions", "question"),
    [
        ("turn left and take a picture", ["turn"], "I can't take a picture."),
        ("go to the kitchen, bring me the vase and iron it", ["go_to", "bring"], "I can't iron it."),
    ],
)
def test_a_sequence_is_done_up_to_what_the_robot_lacks(pipeline: Pipeline, said: str, actions: list[str], question: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, [action.name for action in understood.actions], understood.question) == ("execute", actions, question)


@pytest.mark.parametrize("said", ["take a picture and turn left", "slice the bread and bring it to me"])
def test_what_comes_after_an_act_that_the_robot_lacks_is_only_offered(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).decision == "confirm"


@pytest.mark.parametrize(
    "said", ["go to the kitchen and bring me the unicorn", "go to the kitchen and stop at the unicorn", "turn around and go to the unicorn"]
)
def test_the_way_to_what_it_does_not_know_is_not_offered(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said)
    assert (understood.decision, understood.question) == ("reject", "I don't know the unicorn.")


def test_a_way_past_what_it_does_not_know_is_offered_to_its_end(pipeline: Pipeline) -> None:
    understood = pipeline.understand("go past the unicorn and stop at the sofa")
    assert (understood.decision, understood.question) == ("confirm", "I don't know the unicorn. Should I drive to the sofa?")


@pytest.mark.parametrize("said", ["is there a doorway near", "do i have email from my work"])
def test_a_question_about_what_it_does_not_know_is_not_taken_for_talk(pipeline: Pipeline, said: str) -> None:
    assert pipeline.understand(said).question == f"I can't answer “{said}”."


@pytest.mark.parametrize("said", ["let me know when the post comes", "notify me if the humidity is too low"])
def test_a_report_of_what_it_cannot_notice_is_not_offered_now(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said)
    assert understood.decision == "reject"
    assert understood.question.startswith(("I can't notice", "I can't tell"))


def test_a_message_at_a_moment_that_it_cannot_notice_is_offered_now(pipeline: Pipeline) -> None:
    assert pipeline.understand("tell anna that dinner is ready when the oven rings").question.endswith(
        "Shall I tell Anna dinner is ready now?"
    )


@pytest.mark.parametrize("said", ["leave the bedroom and go to the kitchen", "go from the bedroom to the kitchen"])
def test_where_a_way_begins_needs_no_question(pipeline: Pipeline, said: str) -> None:
    assert [str(action) for action in pipeline.understand(said).actions] == ["go_to(goal=kitchen)"]


def test_in_front_of_furniture_is_where_the_robot_goes(pipeline: Pipeline) -> None:
    understood = pipeline.understand("stop in front of the desk")
    assert (understood.decision, [str(action) for action in understood.actions]) == ("execute", ["go_to(goal=desk)"])


def test_a_ban_beside_a_way_that_is_not_offered_is_no_action(pipeline: Pipeline) -> None:
    understood = pipeline.understand("don't go into the bedroom, turn around and go to the unicorn")
    assert understood.decision == "reject"
    assert Action("go_to", (("goal", "bedroom"),)) not in understood.actions
