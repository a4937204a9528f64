"""Nothing that is less probable than something else is done, however little a mistake costs: the robot declines what it lacks."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.pipeline import Pipeline
from sayso.selection.choosing.decide import LEAST, decide
from sayso.types import Action, ActionCandidate

STOP, BRING = Action("stop"), Action("bring", (("recipient", "operator"), ("theme", "red_cup")))


@pytest.fixture(scope="module")
def pipeline() -> Pipeline:
    return Pipeline(load_domain())


@pytest.mark.parametrize("said", ["slice the bread", "chop up the banana", "chop the apple", "slice up the lemon", "saw the plate in half"])
def test_an_act_that_the_robot_lacks_is_declined(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said)
    assert understood.decision == "reject", understood.question
    assert understood.question


def test_says_what_it_cannot_do(pipeline: Pipeline) -> None:
    assert pipeline.understand("slice the bread").question == "I can't slice the bread."
    assert pipeline.understand("slice my bread").question == "I can't slice your bread."


@pytest.mark.parametrize(
    "said", ["slice the bread", "chop up the banana", "peel the orange", "cook the pan", "grind the pot", "knead the bread", "tickle ben"]
)
def test_nothing_runs_below_the_threshold(pipeline: Pipeline, said: str) -> None:
    understood = pipeline.understand(said)
    assert understood.decision != "execute" or understood.probability >= LEAST


@pytest.mark.parametrize("wrong", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("p", [0.05, 0.27, 0.49])
def test_an_improbable_action_is_not_executed_whatever_it_costs(wrong: float, p: float) -> None:
    domain = load_domain()
    cheap = domain.model_copy(update={"actions": {**domain.actions, "stop": domain.actions["stop"].model_copy(update={"wrong": wrong})}})
    assert decide(cheap, [ActionCandidate(0, STOP, p, 1.0, p, 0.0)]).decision != "execute"


def test_a_cheap_action_that_is_more_probable_than_all_else_is_executed() -> None:
    candidates = [ActionCandidate(0, STOP, LEAST, 1.0, LEAST, 0.0), ActionCandidate(0, BRING, 0.2, 1.0, 0.2, 0.0)]
    assert decide(load_domain(), candidates).decision == "execute"
