"""Errands of one sentence are done together by a robot with a basket, in the order that the person gave."""

from sayso.domain import load_domain
from sayso.paths import config_dir
from sayso.planning import Planner, Task
from sayso.types import Action, Context, SkillCall, SkillOutcome

HOME = load_domain(config_dir() / "home_basket.yaml")
PLANNER = Planner(HOME)
AT_SOFA = Context(x=1.42, y=1.85, place="sofa")


def bring(thing: str, person: str = "operator") -> Action:
    return Action("bring", (("recipient", person), ("theme", thing)))


def expected(actions: list[Action], planner: Planner = PLANNER, context: Context = AT_SOFA) -> list[str]:
    return [
        f"{call.name} {' '.join(value for _, value in call.arguments)}" for call in Task.start(planner, actions, context).ahead(context)
    ]


def carried_out(actions: list[Action], fails: set[str], planner: Planner = PLANNER) -> tuple[Task, list[str]]:
    """Carry out; the skills that begin with one of these words fail."""
    task, done = Task.start(planner, actions, AT_SOFA), list[str]()
    while task.next is not None and len(done) < 80:
        text = f"{task.next.name} {' '.join(value for _, value in task.next.arguments)}"
        failed = any(text.startswith(word) for word in fails)
        done.append(text)
        outcome = SkillOutcome(task.next, succeeded=not failed, reason="it slipped" if failed else "")
        x, y = task.belief.after(outcome).xy
        task = task.after(outcome, Context(x=x, y=y))
    return task, done


def test_two_things_on_one_counter_are_one_round_trip() -> None:
    calls = expected([bring("red_cup"), bring("bread")])
    assert sum(call.startswith(("navigate_to", "approach")) for call in calls) == 2
    assert [call.split()[0] for call in calls if "stow" in call] == ["stow", "unstow"]


def test_without_a_basket_they_are_two() -> None:
    plain = Planner(HOME.model_copy(update={"basket": 0}))
    calls = expected([bring("red_cup"), bring("bread")], plain)
    assert sum(call.startswith(("navigate_to", "approach")) for call in calls) == 4
    assert not any("stow" in call for call in calls)


def test_things_are_handed_over_in_the_order_of_the_sentence() -> None:
    calls = expected([bring("red_cup", "anna"), bring("bread"), bring("milk")])
    assert [call for call in calls if call.startswith("hand_over")] == [
        "hand_over red_cup anna",
        "hand_over bread operator",
        "hand_over milk operator",
    ]


def test_what_is_no_errand_keeps_its_place() -> None:
    back = Action("come_here", (("recipient", "operator"),))
    calls = expected([bring("red_cup", "anna"), bring("bread", "anna"), back])
    assert calls[-1] == "approach operator"
    first = expected([Action("go_to", (("goal", "kitchen"),)), bring("red_cup"), bring("bread")])
    assert first[0] == "navigate_to kitchen"


def test_the_basket_is_never_overfilled() -> None:
    small = Planner(HOME.model_copy(update={"basket": 1}))
    inside = 0
    for call in expected([bring("red_cup"), bring("bread"), bring("milk"), bring("apple")], small):
        inside += {"stow": 1, "unstow": -1}.get(call.split()[0], 0)
        assert 0 <= inside <= 1


def test_what_is_in_the_basket_already_is_taken_out() -> None:
    loaded = Context(x=1.42, y=1.85, place="sofa", facts=("stowed(bread)",))
    calls = expected([bring("bread")], context=loaded)
    assert sorted(calls) == ["approach operator", "hand_over bread operator", "unstow bread"]


def test_one_that_cannot_be_taken_does_not_hold_up_the_other() -> None:
    task, done = carried_out([bring("red_cup"), bring("bread")], {"pick red_cup"})
    assert done[-1] == "hand_over bread operator"
    assert task.status == "failed"
    assert "red cup" in task.reason and task.reason.endswith("The rest is done.")
    assert "bread" not in task.reason


def test_a_basket_that_takes_nothing_costs_a_second_trip() -> None:
    task, done = carried_out([bring("red_cup"), bring("bread")], {"stow"})
    assert task.status == "succeeded"
    assert {"hand_over red_cup operator", "hand_over bread operator"} <= set(done)


def test_what_does_not_come_out_of_the_basket_is_told() -> None:
    task, done = carried_out([bring("red_cup"), bring("bread")], {"unstow"})
    assert [call for call in done if call.startswith("hand_over")] == ["hand_over bread operator"]
    assert task.status == "failed"
    assert "the red cup" in task.reason


def test_a_robot_that_lacks_the_skill_goes_twice() -> None:
    served = [name for name in HOME.skills if name != "stow"]
    assert not any("stow" in call for call in expected([bring("red_cup"), bring("bread")], Planner(HOME, served)))


def test_a_thing_that_is_named_twice_is_brought_once() -> None:
    calls = expected([bring("bread"), bring("bread")])
    assert calls.count("hand_over bread operator") == 1


def test_stowing_is_for_the_hand_of_now() -> None:
    task = Task.start(PLANNER, [bring("red_cup"), bring("bread")], Context(x=1.42, y=1.85, holding="red_cup"))
    assert task.next in {SkillCall("approach", (("recipient", "operator"),)), SkillCall("stow", (("theme", "red_cup"),))}
