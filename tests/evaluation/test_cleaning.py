"""Errands with a cloth in one process, judged by the ground truth."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hand_made import transcript
from sayso.bags.messages import GroundTruth
from sayso.domain import load_domain
from sayso.evaluation.execution import Rehearsal
from sayso.evaluation.judge import Check, judge
from sayso.scene import load_scene
from sayso.types import Action, ActionBelief, ActionCandidate, Grounding, Image, Outcome

HOME = load_domain()


def blind(image: Image, phrase: str, object_id: str) -> Grounding:
    raise AssertionError("these errands need no picture")


@pytest.fixture(scope="module")
def rehearsal() -> Iterator[Rehearsal]:
    made = Rehearsal(HOME, load_scene(), blind)
    yield made
    made.close()


def test_the_counter_is_clean_after_it_was_wiped(rehearsal: Rehearsal) -> None:
    execution = rehearsal(transcript(("wipe the kitchen counter", 1.0)))
    assert execution.done, execution.checks
    assert [outcome.call.name for outcome in execution.outcomes] == ["navigate_to", "clean"]
    assert Check("counter is", "clean", "clean", ok=True) in execution.checks


@pytest.mark.parametrize(
    "sentence",
    [
        "clean the kitchen",
        "clean the red cup",
        "tidy up the desk",
        "vacuum the hallway",
        "mop the kitchen",
        "wash the dishes",
        "clear the dining table",
    ],
)
def test_what_is_no_wiping_of_a_top_is_declined_before_anything_moves(rehearsal: Rehearsal, sentence: str) -> None:
    execution = rehearsal(transcript((sentence, 1.0)))
    assert execution.outcomes == ()
    assert next(check for check in execution.checks if check.what == "decision").found == "reject"


def judged(*facts: str) -> tuple[Check, ...]:
    world = GroundTruth(9.0, 1.0, 1.0, 0.0, {}, {}, frozenset(facts))
    belief = ActionBelief("u", 0.0, (ActionCandidate(0, Action("clean", (("theme", "desk"),)), 1.0, 1.0, 1.0, 1.0),), "execute", "")
    said = transcript(("x", 1.0))
    return judge("done", HOME, transcript=said, belief=belief, outcome=Outcome("u", 9.0, True, "clean"), before=world, after=world)


def test_the_judge_looks_for_stains_and_not_at_the_report() -> None:
    assert judged("clean(desk)")[-1] == Check("desk is", "clean", "clean", ok=True)
    assert judged("dirty(desk)")[-1] == Check("desk is", "clean", "dirty", ok=False)
    assert judged()[-1].what == "the robot reports"  # it never had a stain: there is nothing to see
