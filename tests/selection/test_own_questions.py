"""Questions about an act of one's own are answered, and carry nothing out; those that an example asks are requests."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.paths import project_root
from sayso.pipeline import Pipeline


@pytest.fixture(scope="module")
def home() -> Pipeline:
    return Pipeline(load_domain(project_root() / "examples" / "skills" / "home.yaml"))


@pytest.fixture(scope="module")
def laboratory() -> Pipeline:
    return Pipeline(load_domain(project_root() / "benchmarks" / "meaning" / "homes" / "lab.yaml"))


@pytest.mark.parametrize(
    "said",
    [
        "should I vacuum the kitchen",
        "did you vacuum the kitchen",
        "have you vacuumed the kitchen",
        "do you vacuum the kitchen",
        "are you vacuuming the kitchen",
        "who vacuumed the kitchen",
        "why did you vacuum the kitchen",
        "when did you vacuum the study",
        "how would you vacuum the study",
        "did you wave to anna",
        "should i wave to ben",
    ],
)
def test_a_question_about_an_own_act_is_not_carried_out(home: Pipeline, said: str) -> None:
    understood = home.understand(said)
    assert understood.decision in ("answer", "reject")
    assert understood.question


@pytest.mark.parametrize("said", ["was the kitchen vacuumed", "does the study need vacuuming", "has anna waved", "is the kitchen vacuumed"])
def test_whether_something_is_so_is_at_most_a_hint(home: Pipeline, said: str) -> None:
    understood = home.understand(said)
    assert understood.decision in ("answer", "confirm", "ask", "reject")
    assert understood.question


def test_what_was_done_is_told(home: Pipeline) -> None:
    assert home.understand("did you vacuum the kitchen").question == "I remember no such task."


@pytest.mark.parametrize(
    ("said", "action"),
    [
        ("vacuum the kitchen", "vacuum(goal=kitchen)"),
        ("will you vacuum the kitchen", "vacuum(goal=kitchen)"),
        ("could you run the vacuum in the study", "vacuum(goal=study)"),
        ("the kitchen needs vacuuming", "vacuum(goal=kitchen)"),
        ("wave to anna", "wave(recipient=anna)"),
    ],
)
def test_a_request_is_carried_out(home: Pipeline, said: str, action: str) -> None:
    understood = home.understand(said)
    assert (understood.decision, [str(each) for each in understood.actions]) == ("execute", [action])


@pytest.mark.parametrize("said", ["how heavy is the flask", "what is the weight of the flask", "what does the flask weigh"])
def test_a_question_as_an_example_asks_it_is_a_request(laboratory: Pipeline, said: str) -> None:
    understood = laboratory.understand(said)
    assert (understood.decision, [str(each) for each in understood.actions]) == ("execute", ["weigh(theme=flask)"])


@pytest.mark.parametrize("said", ["did you weigh the flask", "why did you weigh the flask", "should we weigh the flask"])
def test_other_questions_about_it_are_not(laboratory: Pipeline, said: str) -> None:
    assert laboratory.understand(said).decision == "answer"
