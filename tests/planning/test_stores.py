"""What is behind a door: the door is opened before, and closed after if it was not open."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.planning import Planner, Task
from sayso.types import Action, Context, SkillOutcome

HOME = load_domain()
SOFA = Context(x=2.6, y=2.3, place="living_room")
PUT = Action("put", (("goal", "fridge"), ("theme", "milk")))
TAKE = Action("pick_up", (("source", "fridge"), ("theme", "milk")))
BRING = Action("bring", (("recipient", "operator"), ("source", "fridge"), ("theme", "milk")))
JUICE = Action("bring", (("recipient", "operator"), ("source", "fridge"), ("theme", "orange_juice")))
LOOK, GO = Action("survey", (("goal", "fridge"),)), Action("go_to", (("goal", "fridge"),))
OPEN, CLOSE = (Action(name, (("theme", "fridge"),)) for name in ("open", "close"))
HANDS = ("open", "close", "place", "pick", "hand_over", "survey")


def ways(*actions: Action, context: Context = SOFA) -> list[str]:
    """The skills of the hand and the eye on the expected way."""
    return [call.name for call in Task.start(Planner(HOME), actions, context).ahead(context) if call.name in HANDS]


@pytest.mark.parametrize(
    ("actions", "skills"),
    [
        ((PUT,), ["open", "pick", "place", "close"]),
        ((BRING,), ["open", "pick", "hand_over", "close"]),
        ((BRING, JUICE), ["open", "pick", "hand_over", "pick", "hand_over", "close"]),
        ((LOOK,), ["open", "survey", "close"]),
        ((TAKE,), ["open", "pick"]),
        ((GO,), []),
        ((OPEN, PUT, CLOSE), ["open", "pick", "place", "close"]),
        ((OPEN, PUT), ["open", "pick", "place"]),
        ((CLOSE, PUT), ["close", "open", "pick", "place", "close"]),
    ],
)
def test_the_door_is_open_for_what_is_done_inside(actions: tuple[Action, ...], skills: list[str]) -> None:
    assert ways(*actions) == skills


def test_a_door_that_was_open_stays_open() -> None:
    assert ways(PUT, context=Context(x=2.6, y=2.3, place="living_room", facts=("open(fridge)",))) == ["pick", "place"]


def test_what_the_hand_holds_is_set_down_to_open_the_door() -> None:
    full = Context(x=2.6, y=2.3, place="living_room", holding="milk")
    assert ways(PUT, context=full) == ["place", "open", "pick", "place", "close"]


@pytest.mark.parametrize(
    ("usual", "skills"),
    [({"fridge": 3, "counter": 1}, ["open", "pick", "hand_over", "close"]), ({"fridge": 1, "counter": 3}, ["pick", "hand_over"])],
)
def test_a_thing_that_is_usually_in_the_fridge_is_taken_from_there(usual: dict[str, float], skills: list[str]) -> None:
    milk = HOME.objects["milk"].model_copy(update={"usual": usual})
    home = HOME.model_copy(update={"objects": {**HOME.objects, "milk": milk}})
    action = Action("bring", (("recipient", "operator"), ("theme", "milk")))
    assert [call.name for call in Task.start(Planner(home), (action,), SOFA).ahead(SOFA) if call.name in HANDS] == skills


def run(task: Task, fails: str = "") -> tuple[Task, list[str]]:
    """The task to its end, if that skill never succeeds."""
    done = []
    while task.next is not None:
        done.append(task.next.name)
        task = task.after(SkillOutcome(task.next, succeeded=task.next.name != fails, reason="it slipped"), SOFA)
    return task, done


def test_it_says_that_it_left_the_door_open_with_a_full_hand() -> None:
    task, _ = run(Task.start(Planner(HOME), (TAKE,), SOFA))
    assert (task.status, task.reason) == ("succeeded", "Done. I left the fridge open: my hand is full.")


def test_after_a_failure_the_door_is_closed_and_nothing_else_is_done() -> None:
    task, done = run(Task.start(Planner(HOME), (BRING, Action("dock", ())), SOFA), fails="pick")
    assert (task.status, done[-1]) == ("failed", "close")
    assert task.reason.startswith("I could not pick up the milk: it slipped")
    assert task.reason.endswith("The fridge is closed.")


def test_a_robot_that_opens_nothing_says_so_before_it_moves() -> None:
    task = Task.start(Planner(HOME, frozenset(HOME.skills) - {"open", "close"}), (BRING,), SOFA)
    assert (task.next, task.reason) == (None, "I can't open the fridge: this robot has no skill 'open'.")
