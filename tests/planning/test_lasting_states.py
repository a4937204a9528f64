"""Planning with doors and appliances: the robot goes there first, frees its hand, and does nothing twice."""

from sayso.domain import load_domain
from sayso.planning import Planner, Task
from sayso.types import Action, Context, SkillOutcome

DOMAIN = load_domain()
PLANNER = Planner(DOMAIN)
KITCHEN = Context(x=11.4, y=2.3, place="kitchen")


def started(name: str, theme: str, context: Context = KITCHEN) -> Task:
    return Task.start(PLANNER, [Action(name, (("theme", theme),))], context)


def ahead(task: Task, context: Context = KITCHEN) -> list[str]:
    return [str(call) for call in task.ahead(context)]


def test_drives_there_and_opens():
    assert ahead(started("open", "fridge")) == ["navigate_to(goal=fridge)", "open(theme=fridge)"]
    assert ahead(started("switch_on", "lamp")) == ["navigate_to(goal=lamp)", "switch_on(theme=lamp)"]


def test_a_robot_that_is_there_opens_at_once():
    at = Context(x=12.78, y=2.6, place="fridge")
    assert ahead(started("open", "fridge", at), at) == ["open(theme=fridge)"]


def test_a_full_hand_is_freed_before_opening_but_not_before_switching():
    full = Context(x=11.4, y=2.3, place="kitchen", holding="red_cup")
    calls = ahead(started("open", "fridge", full), full)
    assert calls[-1] == "open(theme=fridge)"
    assert any(call.startswith("place(") for call in calls)
    assert ahead(started("switch_off", "lamp", full), full) == ["navigate_to(goal=lamp)", "switch_off(theme=lamp)"]


def test_what_it_has_opened_already_is_said_and_nothing_is_done():
    known = Context(x=11.4, y=2.3, place="kitchen", facts=("open(fridge)", "powered(lamp)"))
    task = started("open", "fridge", known)
    assert (task.status, task.next, task.reason) == ("succeeded", None, "The fridge is open.")
    assert started("switch_on", "lamp", known).reason == "The lamp is on."
    assert ahead(started("close", "fridge", known), known) == ["navigate_to(goal=fridge)", "close(theme=fridge)"]


def test_opening_and_closing_in_one_sentence():
    actions = [Action(name, (("theme", "fridge"),)) for name in ("open", "close")]
    task = Task.start(PLANNER, actions, KITCHEN)
    assert ahead(task) == ["navigate_to(goal=fridge)", "open(theme=fridge)", "close(theme=fridge)"]


def test_an_open_fridge_is_no_open_kitchen():
    task = started("open", "fridge")
    while task.next is not None:
        task = task.after(SkillOutcome(task.next, succeeded=True), KITCHEN)
    assert task.status == "succeeded"
    assert {fact for fact in task.belief.facts if fact[0] == "open"} == {("open", ("fridge",))}


def test_a_failed_try_leaves_the_state_unknown_and_is_given_up_with_its_reason():
    task = started("close", "fridge", Context(x=12.78, y=2.6, place="fridge", facts=("open(fridge)",)))
    while task.next is not None:
        task = task.after(SkillOutcome(task.next, task.next.name == "navigate_to", "it is stuck"), Context(x=12.78, y=2.6))
    assert task.status == "failed"
    assert task.reason == "I could not close the fridge: it is stuck."
    assert not [fact for fact in task.belief.facts if fact[0] in ("open", "closed")]


def test_what_does_not_open_is_not_planned():
    assert started("open", "sofa").status == "failed"
    assert started("switch_on", "fridge").status == "failed"


def test_ids_with_digits_are_known_and_nonsense_is_not():
    context = Context(place="kitchen", facts=("open(shelf_2)", "powered(Lamp3)", "open(", "", "open()", "Open the door", "a(b, c)"))
    facts = PLANNER.begin(Action("open", (("theme", "fridge"),)), context).facts
    assert {("open", ("shelf_2",)), ("powered", ("Lamp3",)), ("a", ("b", "c"))} <= facts
    assert {fact[0] for fact in facts} == {"open", "powered", "a", "robot_at", "hand_empty", "hears"}
