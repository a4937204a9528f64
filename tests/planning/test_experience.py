"""The robot learns how well and how fast its skills work, by object and place, and plans with it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, invgamma

from sayso.domain import load_domain
from sayso.planning import Experience, Planner
from sayso.planning.experience import HALF_LIFE, PRIOR_TRIALS, SHAPE, TrialTally
from sayso.planning.facts import ground_skill
from sayso.planning.relevant import goal_of, relevant_skills
from sayso.planning.search import Compiler
from sayso.planning.trials import DRIVE, SkillTrial, Tried, teaches, trial_of
from sayso.planning.window import solve
from sayso.types import Action, Context, SkillCall, SkillOutcome

HOME = load_domain()
PICK = HOME.skills["pick"]
BRING = Action("bring", (("recipient", "operator"), ("theme", "red_cup")))
START = Context(x=2.6, y=2.3, place="living_room")


def trial(call: SkillCall, place: str, succeeded: bool, seconds: float = 0.0, metres: float = 0.0, number: int = 0) -> SkillTrial:
    return SkillTrial("u", number, call, place, metres, succeeded, seconds, home=HOME.name)


def pick(thing: str, place: str, succeeded: bool = True, seconds: float = 0.0) -> SkillTrial:
    return trial(SkillCall("pick", (("theme", thing),)), place, succeeded, seconds)


def success(experience: Experience, thing: str, place: str, prior: float = 0.9) -> float:
    return experience.expected_success(Tried("pick", thing, place), prior)


def learnt(trials: Iterable[SkillTrial]) -> Experience:
    return Experience.of(HOME, trials)


def test_little_data_shrinks_to_the_general_as_worked_by_hand() -> None:
    cup_shelf, milk_shelf, cup_table = (Tried("pick", *each) for each in (("cup", "shelf"), ("milk", "shelf"), ("cup", "table")))
    experience = Experience({cup_shelf: TrialTally(0, 4), milk_shelf: TrialTally(0, 2), cup_table: TrialTally(3, 0)})
    # n trials of another kind count as 4n/(n + 3): the cup on the shelf as 0 of 2.285714, the milk there as 0 of 1.6, the cup on the table
    # as 2 of 2. The milk was never picked from the table. Others elsewhere: m = 3·.9/(3 + 2.285714) = .510811.
    # Of the table: (3·.510811 + 2)/5 = .706486; of the milk: 3·.510811/4.6 = .333137; (2·.706486 + 1.6·.333137)/3.6 = .540554.
    assert success(experience, "milk", "table") == pytest.approx(0.540554, abs=1e-5)
    # The milk on the shelf: others elsewhere (2.7 + 2)/5 = .94; of the shelf 3·.94/5.285714 = .533514; of the milk elsewhere none.
    # So the prior is .533514, and with its own 0 of 2: 3·.533514/5 = .320108.
    assert success(experience, "milk", "shelf") == pytest.approx(0.320108, abs=1e-5)
    # A hundred failures at one place are one bad place: elsewhere they count as 400/103 = 3.883, 3·.9/6.883 = .392.
    assert success(Experience({cup_shelf: TrialTally(0, 100)}), "cup", "table") == pytest.approx(0.392, abs=1e-3)


def test_durations_shrink_to_the_general_as_worked_by_hand() -> None:
    slow = learnt([pick("red_cup", "counter", seconds=12.0)])  # twice what the home expects
    assert slow.pace(Tried("pick", "red_cup", "counter")) == pytest.approx((3 + 2) / 4)
    # Elsewhere the others count: (3·1 + 2)/(3 + 1) of the object; nothing of the place.
    assert slow.pace(Tried("pick", "red_cup", "desk")) == pytest.approx(1.25)
    drive = SkillCall("navigate_to", (("goal", "desk"),))
    one = 6.0 + DRIVE / 0.4  # s that a drive of the usual length takes: 16
    short = learnt([trial(drive, "desk", True, 14.0, metres=1.0)])  # expected: 6 + 1/0.4 = 8.5
    assert short.pace(Tried("navigate_to", "", "desk")) == pytest.approx((3 + 14 / one) / (3 + 8.5 / one))


def test_without_trials_the_domain_counts_to_the_last_bit() -> None:
    empty, belief = Experience(), Planner(HOME).begin(BRING, START)
    for name, skill in HOME.skills.items():
        assert empty.expected_success(Tried(name, "red_cup", "counter"), skill.success) == skill.success
        assert empty.pace(Tried(name, "", "")) == 1.0
    others = Planner(HOME, experience=learnt([trial(SkillCall("dock"), "", False, 90.0)]))  # tells nothing about bringing
    goal = goal_of(HOME, BRING)
    plain, same = (solve(goal, relevant_skills(HOME, goal, each, BRING), each) for each in (belief, others.begin(BRING, START)))
    assert np.array_equal(plain.solution.values, same.solution.values)
    assert np.array_equal(plain.problem.mdp.reward, same.problem.mdp.reward)
    assert np.array_equal(plain.problem.mdp.transition.toarray(), same.problem.mdp.transition.toarray())


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), st.booleans()), max_size=60), st.floats(0.0, 1.0))
def test_the_expected_success_stays_a_probability_and_each_trial_moves_it_its_way(
    trials: list[tuple[str, str, bool]], prior: float
) -> None:
    experience = learnt(pick(*each) for each in trials)
    before = success(experience, "a", "x", prior)
    better, worse = (success(experience.after(HOME, pick("a", "x", won)), "a", "x", prior) for won in (True, False))
    assert 0.0 <= worse <= before + 1e-9
    assert before - 1e-9 <= better <= 1.0


def test_recovers_a_known_probability_and_its_interval_covers_as_often_as_it_says() -> None:
    rng, covered, errors = np.random.default_rng(0), [], []
    what = Tried("pick", "red_cup", "counter")
    for _ in range(400):
        p = rng.beta(PRIOR_TRIALS * PICK.success, PRIOR_TRIALS * (1 - PICK.success))
        posterior = learnt(pick("red_cup", "counter", won) for won in rng.random(25) < p).success(what, PICK.success)
        low, high = beta.interval(0.9, posterior.alpha, posterior.beta)
        covered.append(low <= p <= high)
        errors.append(abs(posterior.mean - p))
    assert 0.86 <= np.mean(covered) <= 0.97
    assert np.mean(errors) < 0.05


def test_recovers_a_known_duration_and_its_interval_covers_as_often_as_it_says() -> None:
    rng, covered, errors = np.random.default_rng(1), [], []
    drive, what = SkillCall("navigate_to", (("goal", "desk"),)), Tried("navigate_to", "", "desk")
    skill = HOME.skills["navigate_to"]
    one = skill.seconds + DRIVE / skill.speed
    for _ in range(400):
        slower = invgamma.rvs(SHAPE * PRIOR_TRIALS + 1, scale=SHAPE * PRIOR_TRIALS, random_state=rng)
        metres = rng.uniform(0.5, 8.0, 25)
        expected = skill.seconds + metres / skill.speed
        took = rng.gamma(SHAPE * expected / one, slower * one / SHAPE)
        posterior = learnt(trial(drive, "desk", True, t, m) for t, m in zip(took, metres, strict=True)).duration(what)
        low, high = invgamma.interval(0.9, posterior.alpha, scale=posterior.beta)
        covered.append(low <= slower <= high)
        errors.append(abs(posterior.beta / (posterior.alpha - 1.0) / slower - 1.0))
    assert 0.86 <= np.mean(covered) <= 0.97
    assert np.mean(errors) < 0.1


def test_a_repaired_gripper_is_trusted_again_and_a_trial_counts_half_after_the_half_life() -> None:
    broken = learnt(pick("red_cup", "counter", succeeded=False) for _ in range(200))
    assert success(broken, "red_cup", "counter") < 0.1
    mended = broken
    for _ in range(round(2 * HALF_LIFE)):
        mended = mended.after(HOME, pick("red_cup", "counter"))
    assert success(mended, "red_cup", "counter") > 0.7
    one = learnt([pick("red_cup", "counter", succeeded=False), *[pick("red_cup", "counter")] * round(HALF_LIFE)])
    assert one.tallies[Tried("pick", "red_cup", "counter")].failures == pytest.approx(0.5)


def test_a_robot_that_cannot_pick_from_one_place_looks_at_the_other_first() -> None:
    at_two = HOME.objects["red_cup"].model_copy(update={"usual": {"counter": 1.2, "kitchen_table": 1.0}})
    home = HOME.model_copy(update={"objects": {**HOME.objects, "red_cup": at_two}})

    def first(experience: Experience) -> SkillCall | None:
        planner = Planner(home, experience=experience)
        return planner(BRING, planner.begin(BRING, START)).next

    usual, other = (SkillCall("navigate_to", (("goal", place),)) for place in ("counter", "kitchen_table"))
    errand = [pick("red_cup", "counter", succeeded=False)] * 3 + [pick("red_cup", "kitchen_table")]  # given up at one, done at the other
    assert [first(learnt(errand * number)) for number in range(4)] == [usual, usual, other, other]
    assert first(learnt([replace(each, home="office") for each in errand * 3])) == usual


def test_where_a_skill_takes_longer_it_costs_more() -> None:
    slow = learnt(pick("red_cup", "counter", seconds=60.0) for _ in range(20))
    beliefs = [Planner(HOME, experience=each).begin(BRING, START) for each in (Experience(), slow)]
    plain, slowed = (
        Compiler(goal_of(HOME, BRING), relevant_skills(HOME, goal_of(HOME, BRING), each, BRING), each, frozenset()) for each in beliefs
    )
    skill = ground_skill(HOME, SkillCall("pick", (("theme", "red_cup"),)))
    assert beliefs[0].pace(skill, "counter") == 1.0 < beliefs[1].pace(skill, "desk") < beliefs[1].pace(skill, "counter") < 10.0
    values = [planner.begin(BRING, START) for planner in (Planner(HOME), Planner(HOME, experience=slow))]
    assert plain.now == slowed.now
    assert Planner(HOME)(BRING, values[0]).value > Planner(HOME)(BRING, values[1]).value


@pytest.mark.parametrize(
    ("call", "interrupted"),
    [
        (SkillCall("pick", (("theme", "red_cup"),)), True),  # stopped, replaced, cancelled, its server lost
        (SkillCall("follow", (("recipient", "anna"),)), False),  # goes on until somebody ends it
        (SkillCall("say", (("message", "hello"),)), False),  # takes as long as the words
        (SkillCall("move", (("direction", "back"), ("extent", "1"))), False),
        (SkillCall("stop"), False),
        (SkillCall("juggle"), False),
    ],
)
def test_what_says_nothing_about_a_skill_teaches_nothing(call: SkillCall, interrupted: bool) -> None:
    assert not teaches(HOME, SkillOutcome(call, succeeded=False, interrupted=interrupted))
    assert trial_of(HOME, SkillOutcome(call, succeeded=False, interrupted=interrupted), "counter", (0.0, 0.0), ("u", 1.0)) is None


def test_a_look_teaches_its_duration_alone() -> None:
    look = SkillCall("look_for", (("theme", "red_cup"),))
    experience = learnt(trial(look, "counter", False, 16.0) for _ in range(10))
    what = Tried("look_for", "red_cup", "counter")
    assert experience.expected_success(what, 0.9) == 0.9
    assert experience.pace(what) > 1.5


def drive(place: str, ended: tuple[float, float] | None) -> SkillTrial:
    return replace(trial(SkillCall("navigate_to", (("goal", place),)), place, True, 10.0, metres=3.0), ended=ended)


def test_recovers_where_drives_end_with_no_more_error_than_the_mean_of_their_noise() -> None:
    rng, (x, y, _) = np.random.default_rng(3), HOME.places["counter"].pose
    truth = np.array([-0.4, 0.3])
    ends = truth + rng.normal(0.0, 0.1, (200, 2))
    experience = learnt(drive("counter", (x + float(dx), y + float(dy))) for dx, dy in ends)
    assert experience.ends["counter"].mean == pytest.approx(truth, abs=0.06)
    # A trial counts half after HALF_LIFE later ones: the weights' sum is 1 / (1 − KEPT) = 43.8 of drives, and 3 that ended right.
    assert experience.ends["counter"].drives == pytest.approx(43.8, abs=0.5)
    assert learnt([drive("counter", (x + 0.4, y))]).ends["counter"].mean == pytest.approx((0.1, 0.0))


def test_the_next_plan_expects_the_robot_where_its_drives_end() -> None:
    x, y, yaw = HOME.places["counter"].pose
    beside = learnt([drive("counter", (x, y + 1.5))] * 20)
    _, aside = beside.ends["counter"].mean
    assert 1.2 < aside < 1.5
    assert beside.displaced(HOME).places["counter"].pose == pytest.approx((x, y + aside, yaw))
    values = [planner(BRING, planner.begin(BRING, START)).value for planner in (Planner(HOME), Planner(HOME, experience=beside))]
    assert values[0] != values[1]
    assert learnt([drive("counter", (x + 0.05, y))] * 20).displaced(HOME) is HOME
    assert learnt([drive("counter", None)]).displaced(HOME) is HOME


@pytest.mark.parametrize(
    ("call", "succeeded", "ended", "kept"),
    [
        (SkillCall("navigate_to", (("goal", "counter"),)), True, (1.0, 2.0), (1.0, 2.0)),
        (SkillCall("navigate_to", (("goal", "counter"),)), False, (1.0, 2.0), None),
        (SkillCall("navigate_to", (("goal", "counter"),)), True, (math.nan, 2.0), None),
        (SkillCall("pick", (("theme", "red_cup"),)), True, (1.0, 2.0), None),
    ],
)
def test_only_a_drive_that_arrived_tells_where_it_ended(
    call: SkillCall, succeeded: bool, ended: tuple[float, float], kept: tuple[float, float] | None
) -> None:
    after = Context(stamp=6.0, x=ended[0], y=ended[1])
    made = trial_of(HOME, SkillOutcome(call, succeeded, "", 5.0), "counter", (0.0, 0.0), ("u", 1.0), after)
    assert made is not None
    assert made.ended == kept


def test_an_outcome_becomes_a_trial_of_its_place_and_distance() -> None:
    drive = trial_of(
        HOME, SkillOutcome(SkillCall("navigate_to", (("goal", "counter"),)), True, seconds=9.0), "desk", (0.0, 0.0), ("u", 1.5)
    )
    assert drive is not None
    assert (drive.place, drive.stamp, drive.seconds) == ("counter", 1500, 9.0)
    assert drive.metres == pytest.approx(math.hypot(*HOME.places["counter"].pose[:2]))
    odd = trial_of(
        HOME, SkillOutcome(SkillCall("pick", (("theme", "red_cup"),)), False, "slipped", math.nan), "counter", (0.0, 0.0), ("u", 2.0)
    )
    assert odd is not None
    assert (odd.place, odd.seconds, odd.metres, odd.reason) == ("counter", 0.0, 0.0, "slipped")
