"""Belief about where objects are, and its update after outcomes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.domain import load_domain
from sayso.planning import ELSEWHERE, Planner
from sayso.planning.belief import TRIES
from sayso.planning.facts import ground_skill
from sayso.planning.where import after_missing, after_sighting, expected_places
from sayso.types import Action, Context, ObjectBelief, SkillCall, SkillOutcome

DOMAIN = load_domain()
PLANNER = Planner(DOMAIN)
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))


# P(it is on the counter | it was seen there), from P = 0.6.
SEEN = 0.6 * 0.9 / (0.6 * 0.9 + 0.4 * 0.018)


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
    look = DOMAIN.skills["look_for"]
    joint = np.array([0.6, 0.2, 0.1, 0.1]) * [1 - look.success, *[1 - look.false_alarm] * 3]
    assert after.objects["red_cup"].probabilities == pytest.approx(joint / joint.sum())
    assert before.objects["red_cup"].probabilities == pytest.approx([0.6, 0.2, 0.1, 0.1])


def test_an_interrupted_look_does_not_update_the_places():
    at_counter = PLANNER.begin(BRING, Context()).after(done("navigate_to", goal="counter"))
    unseen = SkillOutcome(call("look_for", theme="red_cup"), succeeded=False, reason="the robot was told to stop", interrupted=True)
    after = at_counter.after(unseen)
    assert after.objects["red_cup"].probabilities == pytest.approx(at_counter.objects["red_cup"].probabilities)
    assert after.worth_looking("red_cup", "counter")
    look = ground_skill(DOMAIN, unseen.call)
    assert after.success(look) == at_counter.success(look)  # it says nothing about the camera
    for _ in range(TRIES - 1):
        after = after.after(unseen)
    assert after.success(look) == 0.0
    assert at_counter.after(unseen).after(failed("look_for", theme="red_cup")).success(look) == at_counter.success(look)


def test_a_sighting_is_valid_only_until_the_robot_leaves():
    at_counter = PLANNER.begin(BRING, Context()).after(done("navigate_to", goal="counter")).after(done("look_for", theme="red_cup"))
    assert ("seen", ("red_cup",)) in at_counter.facts
    assert at_counter.probability("red_cup", "counter") == pytest.approx(SEEN)
    gone = at_counter.after(done("navigate_to", goal="desk"))
    assert ("seen", ("red_cup",)) not in gone.facts
    assert gone.probability("red_cup", "counter") == pytest.approx(SEEN)


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
    assert rates[0] > belief.after(done("pick", theme="red_cup")).success(skill) > 0.0


def test_successes_count_as_much_as_failures():
    """Three successes and a failure on Beta(2.7, 0.3) give 5.7 / 7."""
    belief, skill = PLANNER.begin(BRING, Context()), ground_skill(DOMAIN, call("pick", theme="red_cup"))
    for outcome in (done, done, done, failed):
        belief = belief.after(outcome("pick", theme="red_cup"))
    assert belief.success(skill) == pytest.approx(5.7 / 7.0)
    assert PLANNER.begin(BRING, Context(), belief).success(skill) == belief.success(skill)


@given(st.floats(0.02, 0.98), st.floats(0.05, 0.95), st.floats(0.0, 0.5), st.booleans())
def test_a_look_updates_by_bayes_whatever_it_finds(p: float, detection: float, false_alarm: float, found: bool):
    prior = ObjectBelief("cup", ("here", ELSEWHERE), np.array([p, 1.0 - p]), 0.0)
    after = (after_sighting if found else after_missing)(prior, "here", detection, false_alarm)
    here, others = (detection, false_alarm) if found else (1.0 - detection, 1.0 - false_alarm)
    assert after.probabilities[0] == pytest.approx(p * here / (p * here + (1.0 - p) * others))


def test_a_look_agrees_with_simulated_looks():
    chance, detection, false_alarm = np.random.default_rng(0), 0.9, 0.018
    there = chance.random(200_000) < 0.1
    found = chance.random(200_000) < np.where(there, detection, false_alarm)
    prior = ObjectBelief("cup", ("here", ELSEWHERE), np.array([0.1, 0.9]), 0.0)
    assert there[found].mean() == pytest.approx(after_sighting(prior, "here", detection, false_alarm).probabilities[0], abs=0.01)
    assert there[~found].mean() == pytest.approx(after_missing(prior, "here", detection, false_alarm).probabilities[0], abs=0.01)


def test_a_thing_seen_where_nobody_thought_of_it_is_probably_there():
    prior = ObjectBelief("cup", ("counter", ELSEWHERE), np.array([0.9, 0.1]), 0.0)
    after = after_sighting(prior, "bed", 0.9, 0.018)
    assert after.places == ("counter", ELSEWHERE, "bed")
    assert after.probabilities == pytest.approx(np.array([0.9 * 0.018, 0.05 * 0.018, 0.05 * 0.9]) / (0.95 * 0.018 + 0.05 * 0.9))


def test_an_unknown_skill_changes_nothing():
    belief = PLANNER.begin(BRING, Context())
    assert belief.after(done("dance")) is belief


def test_events_are_dropped_when_the_next_action_begins():
    greet = Action("greet", (("message", "hello"),))
    belief = PLANNER.begin(greet, Context()).after(done("say", message="hello"))
    assert ("said", ("hello",)) in belief.facts
    assert ("said", ("hello",)) not in PLANNER.begin(greet, Context(), belief).facts


def test_a_survey_moves_what_was_seen_there_and_what_was_not():
    belief = PLANNER.begin(BRING, Context()).after(done("navigate_to", goal="counter"))
    after = belief.surveyed(done("survey", goal="counter"), Context(place="counter", visible=("blue_cup",)))
    assert after.probability("blue_cup", "counter") > 0.9 > belief.probability("blue_cup", "counter")
    assert after.probability("red_cup", "counter") < 0.1 < belief.probability("red_cup", "counter")
    assert ("seen", ("blue_cup",)) in after.facts  # the next skill may pick it up
    assert "remote_control" not in after.objects  # nothing was expected of it there
    for held in after.objects.values():
        assert held.is_distribution


def test_a_survey_says_nothing_about_what_the_robot_holds():
    belief = PLANNER.begin(BRING, Context())
    after = belief.surveyed(done("survey", goal="counter"), Context(holding="red_cup"))
    assert after.probability("red_cup", "counter") == belief.probability("red_cup", "counter")


@pytest.mark.parametrize("outcome", [failed("survey", goal="counter"), done("navigate_to", goal="counter"), done("vacuum")])
def test_other_outcomes_show_nothing(outcome):
    belief = PLANNER.begin(BRING, Context())
    assert belief.surveyed(outcome, Context(visible=("blue_cup",))) is belief
