"""Planning one skill at a time, and replanning after every outcome."""

import math
from functools import cache

import pytest

from sayso.domain import load_domain
from sayso.planning import Planner, Task
from sayso.types import Action, Context, SkillCall, SkillOutcome

DOMAIN = load_domain()
GOAL, PER_SECOND, DISCOUNT = DOMAIN.rewards.goal, DOMAIN.rewards.hour / 3600, DOMAIN.rewards.discount
PLANNER = Planner(DOMAIN)
AT_SOFA = Context(x=2.6, y=2.3, place="living_room")


def standing_at(place: str, **known: str) -> Context:
    x, y, yaw = DOMAIN.places[place].pose
    return Context(x=x, y=y, yaw=yaw, place=place, **known)


def action(name: str, **arguments: str) -> Action:
    return Action(name, tuple(sorted(arguments.items())))


BRING = action("bring", theme="red_cup", recipient="operator")
FIND = action("find", theme="red_cup")


def ahead(*actions: Action, context: Context = AT_SOFA) -> list[str]:
    return [str(call) for call in Task.start(PLANNER, actions, context).ahead(context)]


def carried_out(*actions: Action, fails=lambda call, count: False, context: Context = AT_SOFA):
    """Run a task to its end in a world where these calls fail; returns the task and the calls."""
    task, counts = Task.start(PLANNER, actions, context), {}
    while task.next is not None:
        call = task.next
        counts[call] = counts.get(call, 0) + 1
        assert len(task.done) < 60, "never comes to an end"
        x, y = task.belief.xy
        task = task.after(SkillOutcome(call, not fails(call, counts[call]), "it slipped"), Context(x=x, y=y))
    return task, [str(call) for call in task.done]


def test_failed_calls_are_not_reported_as_done():
    task, calls = carried_out(BRING, fails=lambda call, count: call.name == "pick" and count == 1)
    assert calls.count("pick(theme=red_cup)") == 2
    assert [call.name for call in task.state("u", 0.0).done].count("pick") == 1


def is_look(call: SkillCall) -> bool:
    return call.name == "look_for"


def test_brings_an_object():
    assert ahead(BRING) == [
        "navigate_to(goal=counter)",
        "look_for(theme=red_cup)",
        "pick(theme=red_cup)",
        "approach(recipient=operator)",
        "hand_over(theme=red_cup, recipient=operator)",
    ]


@pytest.mark.parametrize(
    ("wanted", "skills"),
    [
        (action("go_to", goal="kitchen"), ["navigate_to(goal=kitchen)"]),
        (action("come_here", recipient="operator"), ["approach(recipient=operator)"]),
        (action("move", direction="forward", extent="1"), ["move(direction=forward, extent=1)"]),
        (action("turn", direction="left", extent="1.57"), ["turn(direction=left, extent=1.57)"]),
        (action("wait", extent="5"), ["wait(extent=5)"]),
        (action("greet", message="hello", recipient="operator"), ["greet(message=hello, recipient=operator)"]),
        (action("greet", message="hello", recipient="ben"), ["approach(recipient=ben)", "greet(message=hello, recipient=ben)"]),
        (action("tell", message="to come", recipient="ben"), ["approach(recipient=ben)", "tell(message=to come, recipient=ben)"]),
        (action("find", theme="ben"), ["approach(recipient=ben)"]),
        (action("survey", goal="counter"), ["navigate_to(goal=counter)", "survey(goal=counter)"]),
        (action("stop"), ["stop()"]),
        (action("dock"), ["dock()"]),
        (action("find", theme="keys"), ["navigate_to(goal=hallway_shelf)", "look_for(theme=keys)"]),
        (action("pick_up", theme="pan"), ["navigate_to(goal=stove)", "look_for(theme=pan)", "pick(theme=pan)"]),
    ],
)
def test_every_action_has_its_skills(wanted, skills):
    assert ahead(wanted) == skills


def test_every_action_with_a_goal_can_be_planned():
    values = {"recipient": "anna", "message": "hello", "direction": "left", "extent": "1"}
    fixtures = {"open": "fridge", "close": "fridge", "switch_on": "lamp", "switch_off": "lamp", "clean": "counter", "pour": "milk"}
    for name, spec in DOMAIN.actions.items():
        if spec.goal:
            goal = "blue_cup" if name == "pour" else "counter"
            assert ahead(action(name, **{**values, "goal": goal, "theme": fixtures.get(name, "red_cup")})), name


def test_pours_where_the_receiver_stands_and_keeps_the_vessel():
    calls = ahead(action("pour", theme="milk", goal="red_cup"))
    assert calls.index("pick(theme=milk)") < calls.index("look_for(theme=red_cup)")
    assert calls[-1] == "pour(theme=milk, goal=red_cup)"
    assert not any(call.startswith(("place", "hand_over")) for call in calls)


def test_gives_a_held_object_at_once():
    holding = Context(x=2.6, y=2.3, holding="red_cup")
    assert ahead(BRING, context=holding) == ["approach(recipient=operator)", "hand_over(theme=red_cup, recipient=operator)"]


def test_first_puts_a_held_object_on_the_nearest_surface():
    calls = ahead(BRING, context=Context(x=2.6, y=2.3, place="living_room", holding="keys"))
    assert calls[:2] == ["navigate_to(goal=coffee_table)", "place(theme=keys, goal=coffee_table)"]
    assert calls[-1] == "hand_over(theme=red_cup, recipient=operator)"


def test_at_the_counter_means_in_the_kitchen():
    plan = PLANNER(action("go_to", goal="kitchen"), PLANNER.begin(action("go_to", goal="kitchen"), standing_at("counter")))
    assert (plan.status, plan.next, plan.reason) == ("succeeded", None, "I am at the kitchen.")


def test_looks_first_at_its_own_place():
    assert ahead(BRING, context=standing_at("kitchen_table"))[0] == "look_for(theme=red_cup)"


def test_searches_every_place_and_says_where_it_looked():
    task, calls = carried_out(BRING, fails=lambda call, _: is_look(call))
    assert [call for call in calls if call.startswith("navigate")] == [
        "navigate_to(goal=counter)",
        "navigate_to(goal=kitchen_table)",
        "navigate_to(goal=dining_table)",
    ]
    assert task.status == "failed"
    assert task.reason == "I looked at the counter, the kitchen table and the dining table and did not find the red cup."


def test_does_not_report_places_where_no_look_completed():
    task = Task.start(PLANNER, [FIND], AT_SOFA)
    while task.next is not None:
        x, y = task.belief.xy
        outcome = SkillOutcome(task.next, not is_look(task.next), "the camera sends no pictures", interrupted=is_look(task.next))
        task = task.after(outcome, Context(x=x, y=y))
    assert [is_look(call) for call in task.done].count(True) == 3
    assert (task.status, task.reason) == ("failed", "I could not look for the red cup: the camera sends no pictures.")


def test_finds_it_at_the_second_place():
    task, calls = carried_out(BRING, fails=lambda call, count: is_look(call) and count == 1)
    assert task.status == "succeeded"
    assert calls[2:5] == ["navigate_to(goal=kitchen_table)", "look_for(theme=red_cup)", "pick(theme=red_cup)"]


def test_searches_more_places_than_it_plans_over_at_once():
    things = {**DOMAIN.objects, "red_cup": DOMAIN.objects["red_cup"].model_copy(update={"usual": {}})}
    planner = Planner(DOMAIN.model_copy(update={"objects": things}))
    task = Task.start(planner, [FIND], AT_SOFA)
    while task.next is not None:
        x, y = task.belief.xy
        task = task.after(SkillOutcome(task.next, task.next.name != "look_for"), Context(x=x, y=y))
    surfaces = [place for place, spec in DOMAIN.places.items() if spec.surface]
    assert {place for _, place in task.belief.misses} == set(surfaces)


def test_looks_again_before_it_picks_again():
    task, calls = carried_out(BRING, fails=lambda call, count: call.name == "pick" and count == 1)
    assert task.status == "succeeded"
    assert calls[2:6] == ["pick(theme=red_cup)", "look_for(theme=red_cup)", "pick(theme=red_cup)", "approach(recipient=operator)"]


def test_gives_up_after_repeated_failure_and_says_why():
    task, calls = carried_out(BRING, fails=lambda call, _: call.name == "pick")
    assert task.status == "failed"
    assert calls.count("pick(theme=red_cup)") == 3
    assert "I could not pick up the red cup: it slipped." in task.reason


def test_skips_a_place_that_it_cannot_reach():
    task, calls = carried_out(FIND, fails=lambda call, _: call.argument("goal") == "counter")
    assert task.status == "succeeded"
    assert calls.count("navigate_to(goal=counter)") == 3
    assert calls[-1] == "look_for(theme=red_cup)"


def test_says_when_it_cannot_get_there():
    task, _ = carried_out(action("go_to", goal="study"), fails=lambda call, _: True)
    assert (task.status, task.reason) == ("failed", "I could not get to the study: it slipped.")


def test_two_commands_are_executed_in_order():
    calls = ahead(action("go_to", goal="kitchen"), action("repeat", message="hello"))
    assert calls == ["navigate_to(goal=kitchen)", "say(message=hello)"]


def test_an_object_that_was_found_is_not_searched_again():
    _, calls = carried_out(FIND, action("pick_up", theme="red_cup"))
    assert calls == ["navigate_to(goal=counter)", "look_for(theme=red_cup)", "pick(theme=red_cup)"]


def test_the_same_event_twice_happens_twice():
    step = action("move", direction="forward", extent="1")
    assert ahead(step, step) == ["move(direction=forward, extent=1)"] * 2


def test_the_second_command_is_not_started_if_the_first_fails():
    go, greet = action("go_to", goal="study"), action("greet", message="hello")
    task, calls = carried_out(go, greet, fails=lambda call, _: call.name == "navigate_to")
    assert task.status == "failed"
    assert not [call for call in calls if call.startswith("say")]


def test_an_action_without_a_goal_cannot_be_planned():
    task, calls = carried_out(action("count"))
    assert (task.status, task.reason, calls) == ("failed", "I can't count things.", [])


def test_the_value_equals_an_independent_expectimax():
    """A search in which driving never fails is a finite tree, solved by recursion over the places searched."""
    skills = {**DOMAIN.skills, "navigate_to": DOMAIN.skills["navigate_to"].model_copy(update={"success": 1.0})}
    domain = DOMAIN.model_copy(update={"skills": skills})
    places = {"counter": 0.6, "kitchen_table": 0.2, "dining_table": 0.1}
    drive, look = skills["navigate_to"], skills["look_for"]
    excluded = 1.0 - (1.0 - look.success) / (1.0 - look.false_alarm)  # of a place's probability, by a miss there

    def seconds(start: tuple[float, float], place: str) -> float:
        return drive.seconds + math.dist(start, domain.places[place].pose[:2]) / drive.speed

    @cache
    def looking(place: str, missed: frozenset[str]) -> float:
        p = look.success * places[place] / (1.0 - sum(places[other] * excluded for other in missed))
        return p * GOAL - PER_SECOND * look.seconds + DISCOUNT * (1 - p) * value(domain.places[place].pose[:2], place, missed | {place})

    @cache
    def value(here: tuple[float, float], at: str, missed: frozenset[str]) -> float:
        options = [0.0]  # giving up
        for place in places.keys() - missed:  # driving without looking there never helps
            way = -PER_SECOND * seconds(here, place) + DISCOUNT * looking(place, missed)
            options.append(looking(place, missed) if place == at else way)
        return max(options)

    planner = Planner(domain)
    x, y, _ = domain.places["kitchen_table"].pose
    for context in (AT_SOFA, Context(x=x, y=y, place="kitchen_table")):
        plan = planner(FIND, planner.begin(FIND, context))
        at = context.place if context.place in places else ""
        assert plan.value == pytest.approx(value((context.x, context.y), at, frozenset()), abs=1e-4)


BOTH = (action("bring", recipient="operator", theme="milk"), action("bring", recipient="operator", theme="bread"))


def test_if_one_of_several_things_is_not_found_the_others_are_still_brought():
    task, calls = carried_out(*BOTH, fails=lambda call, _: call.argument("theme") == "milk")
    assert calls[-1] == "hand_over(theme=bread, recipient=operator)"
    assert task.status == "failed"
    assert task.reason.startswith("I looked at ")
    assert "the milk" in task.reason
    assert task.reason.endswith("The rest is done.")
    assert task.state("u", 0.0).status == "failed"


def test_the_last_of_several_things_that_fails_is_told_with_the_others():
    task, _ = carried_out(*BOTH, fails=lambda call, _: call.name == "look_for")
    assert task.status == "failed"
    assert "the milk" in task.reason and "the bread" in task.reason
    assert "rest" not in task.reason


def test_another_action_is_not_begun_after_a_failure():
    task, calls = carried_out(
        action("go_to", goal="kitchen"), action("repeat", message="hello"), fails=lambda call, _: call.name == "navigate_to"
    )
    assert task.status == "failed"
    assert "say(message=hello)" not in calls


def test_who_has_been_met_can_be_followed_and_guided():
    met = action("greet", message="hello", recipient="ben")
    assert ahead(met, action("follow", recipient="ben"))[-1] == "follow(recipient=ben)"
    assert ahead(met, action("guide", recipient="ben", goal="kitchen"))[-1] == "guide(goal=kitchen, recipient=ben)"
