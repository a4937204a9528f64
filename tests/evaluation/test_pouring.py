"""Errands that pour in one process, judged by the ground truth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from drawing import picture_of
from hand_made import transcript
from sayso.bags.messages import GroundTruth
from sayso.domain import load_domain
from sayso.evaluation.execution import Execution, Rehearsal
from sayso.evaluation.judge import Check, judge
from sayso.scene import load_scene
from sayso.scene.scene import GripperSpec
from sayso.types import Action, ActionBelief, ActionCandidate, Outcome
from true_eyes import Seen

HOME = load_domain()
SCENE = load_scene().model_copy(update={"gripper": GripperSpec(fails={})})


MORE = pytest.mark.long("acts out one more errand")


@pytest.fixture(scope="module")
def rehearsal() -> Iterator[Rehearsal]:
    eyes = Seen()
    made = eyes.rehearsal = Rehearsal(HOME, SCENE, eyes)
    picture_of(made.simulation)  # skips where none can be drawn
    yield made
    made.close()


def skills(execution: Execution) -> list[str]:
    return [outcome.call.name for outcome in execution.outcomes]


@pytest.mark.parametrize(
    ("sentence", "source", "receiver"),
    [
        ("pour the milk into the red cup", "milk", "red_cup"),
        pytest.param("fill the blue cup with orange juice", "orange_juice", "blue_cup", marks=MORE),
    ],
)
def test_an_errand_pours_into_the_vessel_that_was_named(rehearsal: Rehearsal, sentence: str, source: str, receiver: str) -> None:
    execution = rehearsal(transcript((sentence, 1.0)))
    assert execution.done, (execution.checks, execution.outcomes)
    assert skills(execution)[-1] == "pour"
    assert rehearsal.simulation.contents[receiver] == pytest.approx(200.0, abs=3.0)
    assert rehearsal.simulation.holding == source, "it keeps what it has poured from"


@pytest.mark.parametrize("sentence", ["pour the banana into the red cup", "pour the milk into the plate", "pour the red cup into the bowl"])
def test_what_does_not_pour_or_cannot_be_filled_is_declined_before_anything_moves(rehearsal: Rehearsal, sentence: str) -> None:
    execution = rehearsal(transcript((sentence, 1.0)))
    assert (execution.outcomes, execution.outcome) == ((), None)
    assert next(check for check in execution.checks if check.what == "decision").found == "reject"


BEFORE = GroundTruth(9.0, 1.0, 1.0, 0.0, {}, {})


def judged(*facts: str) -> tuple[Check, ...]:
    action = Action("pour", (("theme", "milk"), ("goal", "red_cup")))
    belief = ActionBelief("u", 0.0, (ActionCandidate(0, action, 1.0, 1.0, 1.0, 1.0),), "execute", "")
    after = GroundTruth(9.0, 1.0, 1.0, 0.0, {}, {}, frozenset(facts))
    outcome = Outcome("u", 9.0, True, "pour")
    return judge("done", HOME, transcript=transcript(("x", 1.0)), belief=belief, outcome=outcome, before=BEFORE, after=after)[-2:]


def test_the_judge_looks_into_the_vessel_and_beside_it() -> None:
    assert [check.ok for check in judged("poured(milk, red_cup)")] == [True, True]
    assert [check.ok for check in judged()] == [False, True]
    assert [check.ok for check in judged("poured(milk, blue_cup)")] == [False, True]
    assert [check.ok for check in judged("poured(milk, red_cup)", "spilled(milk)")] == [True, False]
