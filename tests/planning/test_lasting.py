"""Following people in the plan: where to, and what ends it."""

from __future__ import annotations

import pytest

from sayso.domain import load_domain
from sayso.errors import DomainError
from sayso.paths import config_dir
from sayso.planning import Planner, Task, ended_as_told, is_endless, momentary
from sayso.types import Action, Context, SkillCall, SkillOutcome

HOME = load_domain()
PLANNER = Planner(HOME)
FOLLOW = Action("follow", (("recipient", "anna"),))
FOLLOW_TO = Action("follow", (("goal", "kitchen"), ("recipient", "anna")))
GUIDE = Action("guide", (("goal", "kitchen"), ("recipient", "anna")))


def test_following_and_guiding_are_one_skill_each_with_the_goal_if_one_was_said() -> None:
    assert [str(call) for call in Task.start(PLANNER, [FOLLOW], Context()).plan.ahead] == ["follow(recipient=anna)"]
    assert [str(call) for call in Task.start(PLANNER, [FOLLOW_TO], Context()).plan.ahead] == ["follow(recipient=anna, goal=kitchen)"]
    assert [str(call) for call in Task.start(PLANNER, [GUIDE], Context()).plan.ahead] == ["guide(goal=kitchen, recipient=anna)"]


def test_a_person_is_guided_to_where_the_robot_is_and_followed_by_a_robot_that_is_with_them() -> None:
    here = Context(x=11.4, y=2.3, place="kitchen")
    assert [call.name for call in Task.start(PLANNER, [GUIDE], here).plan.ahead] == ["guide"]
    task = Task.start(PLANNER, [Action("come_here", (("recipient", "anna"),)), FOLLOW, GUIDE], here)
    done = []
    while task.next is not None:
        done.append(task.next.name)
        task = task.after(SkillOutcome(task.next, succeeded=True), here)
    assert done == ["approach", "follow", "guide"]


def test_no_other_goal_is_reached_by_following_or_guiding_somebody() -> None:
    for action in (Action("go_to", (("goal", "kitchen"),)), Action("come_here", (("recipient", "anna"),))):
        assert [call.name for call in Task.start(PLANNER, [action], Context()).plan.ahead] in (["navigate_to"], ["approach"])


def test_following_without_a_goal_is_done_when_it_is_ended() -> None:
    task = Task.start(PLANNER, [FOLLOW], Context())
    assert task.next is not None and is_endless(HOME, task.next)
    ended = ended_as_told(HOME, SkillOutcome(task.next, succeeded=False, reason="replaced by another command", interrupted=True))
    assert task.after(ended, Context()).status == "succeeded"


def test_following_whose_end_is_unknown_may_begin_again_as_half_a_turn_may_not() -> None:
    assert {"turn", "say"} <= momentary(HOME)
    assert {"follow", "guide"}.isdisjoint(momentary(HOME))


def test_following_to_a_goal_is_not_done_when_it_is_ended_before() -> None:
    task = Task.start(PLANNER, [FOLLOW_TO], Context())
    assert task.next is not None and not is_endless(HOME, task.next)
    ended = SkillOutcome(task.next, succeeded=False, reason="cancelled", interrupted=True)
    assert ended_as_told(HOME, ended) == ended
    assert not is_endless(HOME, SkillCall("wait"))


def test_a_person_who_was_lost_is_looked_for_again_and_then_the_robot_says_where_it_lost_them() -> None:
    task = Task.start(PLANNER, [FOLLOW], Context())
    for _ in range(3):
        assert task.next is not None
        task = task.after(SkillOutcome(task.next, succeeded=False, reason="I lost Anna near the kitchen"), Context())
    assert task.status == "failed"
    assert task.reason == "I could not follow Anna: I lost Anna near the kitchen."


@pytest.mark.parametrize(("optional", "wrong"), [("gaol", "is not an argument"), ("recipient", "so it is not optional")])
def test_an_optional_argument_that_cannot_be_is_refused(tmp_path, optional: str, wrong: str) -> None:
    file = tmp_path / "home.yaml"
    skill = f"{{arguments: {{recipient: person, goal: place}}, optional: [{optional}], effects: [followed(recipient)]}}"
    file.write_text(f"include: [{config_dir() / 'home.yaml'}]\nscene: ''\nskills:\n  follow: {skill}\n")
    with pytest.raises(DomainError, match=wrong):
        load_domain(file)
