"""Things go into the fridge and come out of it in the embedded simulation, judged by the ground truth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hand_made import transcript
from sayso.domain import load_domain
from sayso.evaluation.execution import Performance, Rehearsal
from sayso.grounding import VisualGrounder
from sayso.pipeline import Understanding
from sayso.scene import load_scene
from sayso.scene.scene import GripperSpec
from sayso.types import Context

SCENE = load_scene().model_copy(update={"gripper": GripperSpec(fails={})})


@pytest.fixture(scope="module")
def rehearsal() -> Iterator[Rehearsal]:
    made = Rehearsal(load_domain(), SCENE, VisualGrounder())
    yield made
    made.close()


def silent(asked: Understanding, context: Context) -> None:
    """Nobody answers: nothing is to be asked."""


def performed(rehearsal: Rehearsal, sentence: str, world: dict[str, str]) -> Performance:
    played = rehearsal.perform(transcript((sentence, 1.0)), silent, world)
    assert played.outcome is not None
    assert played.outcome.succeeded, played.outcome.reason
    return played


def test_the_milk_is_put_into_the_fridge_and_the_door_is_closed(rehearsal: Rehearsal) -> None:
    after = performed(rehearsal, "put the milk into the fridge", {"milk": "counter"}).after
    assert (after.locations["milk"], "closed(fridge)" in after.facts) == ("fridge", True)


@pytest.mark.long("acts out one more errand")
def test_the_milk_is_brought_out_of_the_closed_fridge(rehearsal: Rehearsal) -> None:
    played = performed(rehearsal, "bring me the milk from the fridge", {"milk": "fridge"})
    assert "closed(fridge)" in played.before.facts
    assert (played.after.locations["milk"], "closed(fridge)" in played.after.facts) == ("operator", True)


@pytest.mark.long("acts out one more errand")
def test_with_the_milk_in_its_hand_the_robot_says_that_the_door_is_open(rehearsal: Rehearsal) -> None:
    played = performed(rehearsal, "take the milk out of the fridge", {"milk": "fridge"})
    assert (played.after.locations["milk"], "open(fridge)" in played.after.facts) == ("gripper", True)
    assert played.outcome is not None
    assert played.outcome.reason.endswith("I left the fridge open: my hand is full.")
