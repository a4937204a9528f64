"""Spoken errands with people who walk, judged by where the simulation has everybody in the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from hand_made import transcript
from sayso.bags.messages import GroundTruth
from sayso.domain import load_domain
from sayso.evaluation.circumstances import Company
from sayso.evaluation.execution import Execution, Rehearsal
from sayso.evaluation.judge import judge
from sayso.grounding import VisualGrounder
from sayso.scene import load_scene
from sayso.types import Action, ActionBelief, ActionCandidate, Outcome

HOME = load_domain()
BEFORE = GroundTruth(0.0, 3.2, 2.6, 0.0, {}, {}, people={"operator": (4.3, 3.4), "anna": (3.2, 6.4)})


MORE = pytest.mark.long("acts out one more errand")


@pytest.fixture(scope="module")
def home() -> Iterator[Rehearsal]:
    rehearsal = Rehearsal(HOME, load_scene(), VisualGrounder())
    yield rehearsal
    rehearsal.close()


def skills(execution: Execution) -> list[str]:
    return [str(outcome.call) for outcome in execution.outcomes]


def judged(action: Action, after: GroundTruth) -> list[bool]:
    candidate = ActionCandidate(0, action, 1.0, 1.0, 1.0, 1.0)
    belief = ActionBelief("1", 0.0, (candidate,), "execute", "")
    checks = judge(
        "done",
        HOME,
        transcript=transcript(("x", 1.0)),
        belief=belief,
        outcome=Outcome("1", 9.0, True, str(action), ""),
        before=BEFORE,
        after=after,
    )
    return [check.ok for check in checks[2:]]


def test_follow_me_until_i_stop_you(home: Rehearsal) -> None:
    execution = home(transcript(("follow me", 1.0)), company=Company({"operator": ("kitchen",)}, told_after=35.0))
    assert execution.done, execution.checks
    assert skills(execution) == ["follow(recipient=operator)"]
    assert execution.outcomes[0].seconds == pytest.approx(35.0, abs=0.2)


@pytest.mark.long("acts out one more errand")
def test_follow_me_to_a_place_ends_there(home: Rehearsal) -> None:
    execution = home(transcript(("follow me to the kitchen", 1.0)), company=Company({"operator": ("kitchen",)}, when_followed=True))
    assert execution.done, execution.checks
    assert skills(execution) == ["follow(recipient=operator, goal=kitchen)"]


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=MORE)])
def test_a_person_is_guided_to_a_room(home: Rehearsal, seed: int) -> None:
    execution = home(transcript(("guide anna to the kitchen", 1.0)), seed=seed)
    assert execution.done, execution.checks
    assert skills(execution) == ["guide(goal=kitchen, recipient=anna)"]


@pytest.mark.long("acts out one more errand")
def test_a_person_who_walks_meanwhile_is_found_and_taken_along(home: Rehearsal) -> None:
    execution = home(transcript(("take anna to the kitchen", 1.0)), company=Company({"anna": ("hallway_shelf",)}))
    assert execution.done, execution.checks


@pytest.mark.long("acts out one more errand")
def test_the_robot_comes_to_a_person_who_walks_on(home: Rehearsal) -> None:
    execution = home(transcript(("come here", 1.0)), company=Company({"operator": ("kitchen",)}))
    assert execution.done, execution.checks
    truth = home.simulation.truth()
    x, y = truth.people["operator"]
    assert ((truth.x - x) ** 2 + (truth.y - y) ** 2) ** 0.5 < 1.6


@pytest.mark.long("acts out one more errand")
def test_who_did_not_walk_was_not_followed_anywhere(home: Rehearsal) -> None:
    execution = home(transcript(("follow me", 1.0)), company=Company(told_after=5.0))
    assert execution.outcome is not None and execution.outcome.succeeded
    assert not execution.done
    assert [check.what for check in execution.checks if not check.ok] == ["operator has walked"]


def test_the_judge_looks_at_the_person_and_the_robot() -> None:
    follow, guide = Action("follow", (("recipient", "operator"),)), Action("guide", (("goal", "kitchen"), ("recipient", "anna")))
    kitchen = {"operator": (11.4, 2.3), "anna": (11.4, 3.3)}
    assert judged(follow, replace(BEFORE, x=10.5, y=2.3, people=kitchen)) == [True, True]
    assert judged(follow, replace(BEFORE, people=kitchen)) == [True, False]
    assert judged(follow, replace(BEFORE, people={})) == [False]
    assert judged(guide, replace(BEFORE, x=11.4, y=2.3, people=kitchen)) == [True, True]
    assert judged(guide, replace(BEFORE, x=11.4, y=2.3)) == [False, True]
    assert judged(guide, replace(BEFORE, people=kitchen)) == [True, False]
    assert judged(guide, replace(BEFORE, people={})) == [False]
