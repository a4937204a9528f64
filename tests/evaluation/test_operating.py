"""Errands with doors and appliances in one process, judged by the ground truth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hand_made import transcript
from sayso.bags.messages import GroundTruth
from sayso.domain import load_domain
from sayso.evaluation.execution import Execution, Rehearsal
from sayso.evaluation.judge import Check, judge
from sayso.scene import load_scene
from sayso.types import Action, ActionBelief, ActionCandidate, Grounding, Image, Outcome

HOME = load_domain()


def blind(image: Image, phrase: str, object_id: str) -> Grounding:
    raise AssertionError("these errands need no picture")


MORE = pytest.mark.long("acts out one more errand")


@pytest.fixture(scope="module")
def rehearsal() -> Iterator[Rehearsal]:
    made = Rehearsal(HOME, load_scene(), blind)
    yield made
    made.close()


def done(execution: Execution) -> tuple[list[str], set[str]]:
    """The skills that ran, and what was judged true of doors and appliances."""
    assert execution.done, execution.checks
    judged = {f"{check.what} {check.found}" for check in execution.checks if check.found in ("open", "closed", "powered", "unpowered")}
    return [outcome.call.name for outcome in execution.outcomes], judged


@pytest.mark.parametrize(
    ("sentence", "skills", "judged"),
    [
        ("open the fridge", ["navigate_to", "open"], {"fridge is open"}),
        pytest.param("open the front door", ["navigate_to", "open"], {"front_door is open"}, marks=MORE),
        ("switch on the lamp", ["navigate_to", "switch_on"], {"lamp is powered"}),
        pytest.param("turn the television on", ["navigate_to", "switch_on"], {"tv_stand is powered"}, marks=MORE),
        pytest.param("open the drawer", ["navigate_to", "open"], {"nightstand is open"}, marks=MORE),
    ],
)
def test_an_errand_is_done(rehearsal: Rehearsal, sentence: str, skills: list[str], judged: set[str]) -> None:
    assert done(rehearsal(transcript((sentence, 1.0)))) == (skills, judged)


@pytest.mark.parametrize("sentence", ["open the banana", "open the sofa", "switch on the fridge"])
def test_what_cannot_be_opened_or_switched_is_declined_before_anything_moves(rehearsal: Rehearsal, sentence: str) -> None:
    execution = rehearsal(transcript((sentence, 1.0)))
    assert execution.outcomes == ()
    assert execution.outcome is None
    decision = next(check for check in execution.checks if check.what == "decision")
    assert decision.found == "reject"


WORLD = GroundTruth(9.0, 1.0, 1.0, 0.0, {}, {}, frozenset({"closed(fridge)", "unpowered(lamp)"}))
OPENED = GroundTruth(9.0, 1.0, 1.0, 0.0, {}, {}, frozenset({"open(fridge)", "unpowered(lamp)"}))
HALF = GroundTruth(9.0, 1.0, 1.0, 0.0, {}, {}, frozenset({"unpowered(lamp)"}))


def judged(name: str, theme: str, after: GroundTruth) -> Check:
    action = Action(name, (("theme", theme),))
    belief = ActionBelief("u", 0.0, (ActionCandidate(0, action, 1.0, 1.0, 1.0, 1.0),), "execute", "")
    checks = judge(
        "done", HOME, transcript=transcript(("x", 1.0)), belief=belief, outcome=Outcome("u", 9.0, True, name), before=WORLD, after=after
    )
    return checks[-1]


def test_the_judge_reads_the_state_of_the_world_and_not_the_report() -> None:
    assert judged("open", "fridge", OPENED) == Check("fridge is", "open", "open", ok=True)
    assert judged("open", "fridge", WORLD) == Check("fridge is", "open", "closed", ok=False)
    assert judged("open", "fridge", HALF) == Check("fridge is", "open", "neither", ok=False)
    assert judged("switch_off", "lamp", WORLD).ok
    assert not judged("switch_on", "lamp", WORLD).ok


def test_a_door_that_opened_without_a_command_counts_as_moved() -> None:
    checks = judge("no command", HOME, transcript=None, belief=None, outcome=None, before=WORLD, after=OPENED)
    assert checks[-1] == Check("doors and appliances changed", "none", "closed(fridge), open(fridge)", ok=False)
