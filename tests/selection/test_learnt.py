"""P(a|ctx) learnt from confirmed commands."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso.domain import load_domain
from sayso.selection import ActionSelector
from sayso.selection.memory.learnt import (
    FACTOR,
    KAPPA,
    KAPPA_NAME,
    KAPPA_SITUATION,
    NEWEST,
    P_EVERYWHERE,
    LearntPrior,
    expected_names,
    learnt_posterior,
)
from sayso.selection.memory.situation import FEATURES, Situation, situation_of, time_of_day
from sayso.types import Action, ActionCandidate, Clause, Context, FloatArray, IntentBelief, Role

HOME = load_domain()


def at(hour: float) -> float:
    return datetime(2026, 3, 3, int(hour), int(hour % 1 * 60)).timestamp()


def bring(thing: str) -> Action:
    return Action("bring", (("recipient", "operator"), ("theme", thing)))


BREAKFAST = Context(stamp=at(8), place="kitchen_table")
SUPPER = Context(stamp=at(20), place="sofa")
RED, BLUE, WHITE = bring("red_cup"), bring("blue_cup"), bring("white_cup")
CUPS = (RED, BLUE, WHITE)


def even(number: int) -> FloatArray:
    return np.full(number, 1.0 / number)


def test_a_habit_is_learnt_after_a_few_commands() -> None:
    prior = LearntPrior(HOME)
    p = []
    for _ in range(4):
        p.append(prior(even(2), (RED, BLUE), BREAKFAST)[0])
        prior.update(RED, BREAKFAST)
    assert p == sorted(p)
    assert p[1] < 0.8 < 0.875 < p[3]  # asks again after one yes, not after three, if a mistake costs as much as success earns


def test_a_morning_habit_does_not_hold_in_the_evening() -> None:
    prior = LearntPrior(HOME)
    for place in ("kitchen_table", "sofa", "desk", "bed", "counter", "dining_table"):
        prior.update(RED, replace(BREAKFAST, place=place))
        prior.update(BLUE, replace(SUPPER, place=place))
    for place in ("sofa", "hallway_shelf"):
        morning, evening = (prior(even(2), (RED, BLUE), replace(when, place=place)) for when in (BREAKFAST, SUPPER))
        assert morning[0] > 0.8
        assert evening[1] > 0.8


def test_a_general_habit_holds_in_new_situations() -> None:
    prior = LearntPrior(HOME)
    for when in (BREAKFAST, SUPPER) * 3:
        prior.update(RED, when)
    elsewhere = Context(stamp=at(15), place="desk", holding="pen", last_action="find", speaker="anna")
    assert prior(even(3), CUPS, elsewhere)[0] > 0.75


def test_habits_carry_over_to_other_actions() -> None:
    prior = LearntPrior(HOME)
    for _ in range(4):
        prior.update(RED, BREAKFAST)
    find = tuple(Action("find", (("theme", thing),)) for thing in ("red_cup", "blue_cup"))
    assert 0.6 < prior(even(2), find, BREAKFAST)[0] < prior(even(2), (RED, BLUE), BREAKFAST)[0]


GO = Action("go_to", (("goal", "kitchen"),))
STOP = Action("stop")


def test_a_name_that_is_never_in_question_keeps_its_prior() -> None:
    prior = LearntPrior(HOME)
    for _ in range(50):
        prior.update(RED, BREAKFAST, {"bring": 0.5, "go_to": 0.5})
        prior.update(GO, BREAKFAST, {"bring": 0.5, "go_to": 0.5})
    base = np.array([0.1, 0.1, 0.1, 0.3, 0.4])
    assert prior(base, (*CUPS, GO, STOP), BREAKFAST)[4] == pytest.approx(0.4)


def test_names_meant_more_often_than_expected_gain_probability() -> None:
    prior = LearntPrior(HOME)
    p = []
    for _ in range(5):
        p.append(prior(np.array([0.5, 0.5]), (RED, GO), BREAKFAST)[0])
        prior.update(RED, BREAKFAST, {"bring": 0.5, "go_to": 0.5})
    assert p == sorted(p)
    assert p[0] == 0.5
    assert p[-1] == pytest.approx((4 + KAPPA_NAME) / (4 + 2 * KAPPA_NAME))  # (n + κ)/(e + κ) with n = 4 and 0, e = 2 each
    sure = LearntPrior(HOME)
    for _ in range(50):
        sure.update(RED, BREAKFAST, {"bring": 1.0})  # "which cup?" leaves no doubt about the name
    assert sure(np.array([0.5, 0.5]), (RED, GO), BREAKFAST)[0] == pytest.approx(0.5)


def test_expected_names_exclude_the_learnt_factor() -> None:
    def candidate(action: Action, likelihood: float, prior: float, learnt: float, clause: int = 0) -> ActionCandidate:
        return ActionCandidate(clause, action, likelihood, prior, 0.0, 0.0, ((FACTOR, learnt),) if learnt != 1.0 else ())

    shown = (candidate(RED, 0.5, 0.6, 3.0), candidate(BLUE, 0.5, 0.2, 1.0), candidate(GO, 0.2, 0.5, 1.0), candidate(STOP, 1.0, 1.0, 1.0, 1))
    assert expected_names(shown) == {"bring": pytest.approx(2 / 3, abs=1e-4), "go_to": pytest.approx(1 / 3, abs=1e-4)}
    assert expected_names(()) == {}


def test_habits_change() -> None:
    prior = LearntPrior(HOME)
    for _ in range(2 * NEWEST):
        prior.update(RED, BREAKFAST)
    assert len(prior) == NEWEST
    for _ in range(NEWEST):
        prior.update(BLUE, BREAKFAST)
    assert len(prior) == NEWEST
    once = LearntPrior(HOME, [(BLUE, situation_of(HOME, BREAKFAST), {})] * NEWEST)
    np.testing.assert_array_equal(prior(even(3), CUPS, BREAKFAST), once(even(3), CUPS, BREAKFAST))


places = st.sampled_from([*HOME.places, "", "the moon"])
contexts = st.builds(
    Context,
    stamp=st.sampled_from([0.0, at(3), at(8), at(12), at(16), at(20)]),
    place=places,
    holding=st.sampled_from(["", "red_cup"]),
    last_action=st.sampled_from(["", "find", "bring"]),
    speaker=st.sampled_from(["", *HOME.people]),
)
actions = st.one_of(
    st.sampled_from([*HOME.objects][:6]).map(bring),
    st.sampled_from([*HOME.objects][:6]).map(lambda thing: Action("find", (("theme", thing),))),
    st.sampled_from([*HOME.places][:6]).map(lambda place: Action("go_to", (("goal", place),))),
    st.sampled_from([Action("stop"), Action("put", (("goal", "desk"), ("theme", next(iter(HOME.objects)))))]),
)
events = st.lists(st.tuples(actions, contexts), max_size=20)
candidates = st.lists(actions, min_size=1, max_size=12, unique=True)


EXPECTED = {"bring": 0.4, "find": 0.3, "put": 0.2}


@st.composite
def bases(draw: st.DrawFn, size: int) -> FloatArray:
    weights = draw(st.lists(st.one_of(st.just(0.0), st.floats(1e-9, 1.0)), min_size=size, max_size=size).filter(lambda w: sum(w) > 0.0))
    return np.array(weights) / sum(weights)


@examples(40)
@given(st.data(), events, candidates, contexts)
def test_the_result_is_a_distribution_and_keeps_zeros(
    data: st.DataObject, met: list[tuple[Action, Context]], among: list[Action], context: Context
) -> None:
    base = data.draw(bases(len(among)))
    prior = LearntPrior(HOME)
    np.testing.assert_array_equal(prior(base, among, context), base)
    for action, when in met:
        prior.update(action, when, EXPECTED)
    p = prior(base, among, context)
    assert p.sum() == pytest.approx(1.0)
    assert ((p > 0.0) == (base > 0.0)).all()
    mixed = random.Random(0).sample(range(len(met)), len(met))
    again = LearntPrior(HOME, [(met[index][0], situation_of(HOME, met[index][1]), EXPECTED) for index in mixed])
    np.testing.assert_allclose(again(base, among, context), p, rtol=1e-9)  # exchangeable: the order does not matter
    order = random.Random(1).sample(range(len(among)), len(among))
    np.testing.assert_allclose(prior(base[order], [among[row] for row in order], context), p[order], rtol=1e-9)


@examples(40)
@given(st.data(), events, contexts)
def test_another_confirmation_never_lowers_the_probability(
    data: st.DataObject, met: list[tuple[Action, Context]], context: Context
) -> None:
    among = (RED, BLUE, WHITE, bring("pen"))
    prior = LearntPrior(HOME, [(action, situation_of(HOME, when), EXPECTED) for action, when in met])
    base = data.draw(bases(4).filter(lambda base: base[0] > 0.0))
    before = prior(base, among, context)[0]
    prior.update(RED, context)
    assert prior(base, among, context)[0] >= before - 1e-12


def urn(base: FloatArray, drawn: list[tuple[int, Situation]], present: Situation, kappa: float) -> FloatArray:
    """Reference implementation: each model predicts every command from the earlier ones (Pólya urn) and is weighted by its likelihood."""

    def predicted(number: int, before: Counter[int]) -> float:
        return (before[number] + kappa * float(base[number])) / (before.total() + kappa)

    def mean(count: Counter[int], around: FloatArray, strength: float) -> FloatArray:
        return np.array([(count[number] + strength * p) / (count.total() + strength) for number, p in enumerate(around)])

    everywhere = mean(Counter(number for number, _ in drawn), base, kappa)
    weights, mixed = [], []
    for feature in (None, *FEATURES):
        seen: dict[str, Counter[int]] = {}
        p = P_EVERYWHERE if feature is None else (1.0 - P_EVERYWHERE) / len(FEATURES)
        for number, situation in drawn:
            before = seen.setdefault(getattr(situation, feature) if feature else "", Counter())
            p *= predicted(number, before)
            before[number] += 1
        value = getattr(present, feature) if feature else ""
        if feature is None or value:
            weights.append(p)
            mixed.append(mean(seen.get(value, Counter()), everywhere, KAPPA_SITUATION) if feature else everywhere)
    return np.asarray(np.average(mixed, axis=0, weights=weights))


@examples(40)
@given(st.data(), st.lists(st.tuples(st.integers(0, 3), contexts), max_size=8), contexts)
def test_the_closed_form_equals_the_urn(data: st.DataObject, met: list[tuple[int, Context]], context: Context) -> None:
    base = np.array(data.draw(st.lists(st.floats(1e-9, 1.0), min_size=4, max_size=4)))
    base /= base.sum()
    drawn = [(number, situation_of(HOME, when)) for number, when in met]
    counts: dict[int, Counter[tuple[str, str]]] = {}
    for number, situation in drawn:
        counts.setdefault(number, Counter()).update([("", ""), *situation.features()])
    present = situation_of(HOME, context)
    np.testing.assert_allclose(learnt_posterior(base, counts, present, KAPPA), urn(base, drawn, present, KAPPA), rtol=1e-9)


def test_converges_to_a_persons_true_distribution() -> None:
    wanted = np.array([0.7, 0.2, 0.1])
    chance = random.Random(4)
    prior = LearntPrior(HOME)
    for _ in range(NEWEST):
        prior.update(chance.choices(CUPS, wanted.tolist())[0], BREAKFAST)
    np.testing.assert_allclose(prior(even(3), CUPS, BREAKFAST), wanted, atol=0.07)


def test_a_situation_has_the_room_and_no_time_of_day_from_a_simulated_clock() -> None:
    assert situation_of(HOME, BREAKFAST) == Situation("kitchen", "morning", HOME.speaker, "nothing", "empty")
    assert situation_of(HOME, Context(stamp=120.0, holding="pen", last_action="find")) == Situation("", "", HOME.speaker, "find", "full")
    assert [time_of_day(at(hour)) for hour in (0, 5.99, 6, 11, 14, 18, 22)] == [
        "night", "night", "morning", "noon", "afternoon", "evening", "night",
    ]  # fmt: skip
    assert time_of_day(math.nan) == ""
    assert str(Situation()) == "anywhere"


def test_the_selector_asks_until_it_has_learnt_the_habit() -> None:
    prior = LearntPrior(HOME)
    select = ActionSelector(HOME, learnt=prior)
    intents = tuple(HOME.intents)
    certain = np.where(np.array(intents) == "bring", 0.97, 0.03 / (len(intents) - 1))
    cup = Role("theme", "the cup", 9, 16, "red_cup", "object", 1.0, tuple((thing, 1.0) for thing in ("red_cup", "blue_cup", "white_cup")))
    clause = Clause("bring me the cup", 0, 16, "bring", certain, (cup,), -5.0)
    belief = IntentBelief("1", 0.0, "bring me the cup", intents, (clause,))
    assert select(belief, BREAKFAST).decision == "ask"
    for _ in range(6):
        prior.update(RED, BREAKFAST)
    learnt = select(belief, BREAKFAST)
    assert learnt.decision != "ask"
    assert learnt.chosen == (RED,)
    assert FACTOR in dict(learnt.candidates[0].factors)
