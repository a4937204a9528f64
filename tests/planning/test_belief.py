"""Belief about where objects are, and its update after outcomes."""

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.planning import ELSEWHERE, Planner
from sayso.planning.belief import TRIES
from sayso.planning.facts import ground_skill
from sayso.planning.where import expected_places
from sayso.types import Action, Context, SkillCall, SkillOutcome

DOMAIN = load_domain()
PLANNER = Planner(DOMAIN)
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))


def call(name: str, **arguments: str) -> SkillCall:
    return SkillCall(name, tuple(arguments.items()))


def done(name: str, **arguments: str) -> SkillOutcome:
    return SkillOutcome(call(name, **arguments), succeeded=True)


def failed(name: str, **arguments: str) -> SkillOutcome:
    return SkillOutcome(call(name, **arguments), succeeded=False, reason="it slipped")


def test_objects_are_expected_at_their_usual_places():
    belief = expected_places(DOMAIN, "red_cup", Context())
    assert dict(zip(belief.places, belief.probabilities, strict=True)) == pytest.approx(
        {"counter": 0.6, "kitchen_table": 0.2, "dining_table": 0.1, ELSEWHERE: 0.1}
    )


def test_a_named_source_leaves_little_probability_elsewhere():
    belief = expected_places(DOMAIN, "red_cup", Context(), source="kitchen")
    p = dict(zip(belief.places, belief.probabilities, strict=True))
    assert p["dining_table"] < 0.02 < p["kitchen_table"]
    assert sum(p.values()) == pytest.approx(1.0)


def test_an_unusual_source_adds_its_surfaces():
    belief = expected_places(DOMAIN, "red_cup", Context(), source="bedroom")
    assert set(belief.places) >= {"bed", "nightstand"}
    assert belief.places[int(belief.probabilities.argmax())] in ("bed", "nightstand")


def test_a_visible_object_is_probably_here():
    belief = expected_places(DOMAIN, "red_cup", Context(place="dining_table", visible=("red_cup",)))
    assert belief.places[int(belief.probabilities.argmax())] == "dining_table"


def test_an_unsuccessful_look_updates_by_bayes():
    before = PLANNER.begin(BRING, Context())
    after = before.after(done("navigate_to", goal="counter")).after(failed("look_for", theme="red_cup"))
    miss = 1 - DOMAIN.skills["look_for"].success
    joint = np.array([0.6 * miss, 0.2, 0.1, 0.1])
    assert after.objects["red_cup"].probabilities == pytest.approx(joint / joint.sum())
    assert before.objects["red_cup"].probabilities == pytest.approx([0.6, 0.2, 0.1, 0.1])


def test_an_interrupted_look_does_not_update_the_places():
    at_counter = PLANNER.begin(BRING, Context()).after(done("navigate_to", goal="counter"))
    unseen = SkillOutcome(call("look_for", theme="red_cup"), succeeded=False, reason="the robot was told to stop", interrupted=True)
    after = at_counter.after(unseen)
    assert after.objects["red_cup"].probabilities == pytest.approx(at_counter.objects["red_cup"].probabilities)
    assert after.worth_looking("red_cup", "counter")
    look = ground_skill(DOMAIN, unseen.call)
    assert 0.0 < after.success(look) < at_counter.success(look)
    for _ in range(TRIES - 1):
        after = after.after(unseen)
    assert after.success(look) == 0.0
    assert at_counter.after(unseen).after(failed("look_for", theme="red_cup")).success(look) == at_counter.success(look)


def test_a_sighting_is_valid_only_until_the_robot_leaves():
    at_counter = PLANNER.begin(BRING, Context()).after(done("navigate_to", goal="counter")).after(done("look_for", theme="red_cup"))
    assert ("seen", ("red_cup",)) in at_counter.facts
    assert at_counter.probability("red_cup", "counter") == pytest.approx(0.98)
    gone = at_counter.after(done("navigate_to", goal="desk"))
    assert ("seen", ("red_cup",)) not in gone.facts
    assert gone.probability("red_cup", "counter") == pytest.approx(0.98)


def test_the_robot_is_at_one_place_and_in_all_that_contain_it():
    belief = PLANNER.begin(BRING, Context()).after(done("navigate_to", goal="counter"))
    assert {("robot_at", ("counter",)), ("robot_at", ("kitchen",))} <= belief.facts
    moved = belief.after(done("approach", recipient="operator"))
    assert not [fact for fact in moved.facts if fact[0] == "robot_at"]


def test_an_object_put_down_is_known_to_be_there():
    belief = PLANNER.begin(BRING, Context(holding="red_cup"))
    belief = belief.after(done("navigate_to", goal="desk")).after(done("place", theme="red_cup", goal="desk"))
    assert ("hand_empty", ()) in belief.facts
    assert belief.probability("red_cup", "desk") > 0.9


def test_failures_lower_the_expected_success_until_the_call_is_given_up():
    belief, skill = PLANNER.begin(BRING, Context()), ground_skill(DOMAIN, call("pick", theme="red_cup"))
    rates = [belief.success(skill)]
    for _ in range(TRIES):
        belief = belief.after(failed("pick", theme="red_cup"))
        rates.append(belief.success(skill))
    assert rates == sorted(rates, reverse=True)
    assert rates[0] == DOMAIN.skills["pick"].success
    assert rates[-1] == 0.0
    assert belief.after(done("pick", theme="red_cup")).success(skill) == rates[0]


def test_an_unknown_skill_changes_nothing():
    belief = PLANNER.begin(BRING, Context())
    assert belief.after(done("dance")) is belief


def test_events_are_dropped_when_the_next_action_begins():
    greet = Action("greet", (("message", "hello"),))
    belief = PLANNER.begin(greet, Context()).after(done("say", message="hello"))
    assert ("said", ("hello",)) in belief.facts
    assert ("said", ("hello",)) not in PLANNER.begin(greet, Context(), belief).facts
