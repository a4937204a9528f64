"""The order in which the robot looks at places is the best one, and no order is worth more than the bound."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from budget import examples
from sayso.planning.search_order import Search

GAMMA = 0.99
UNIT = st.floats(0.0, 1.0)
PLACE = st.tuples(UNIT, st.floats(4.0, 9.0), st.floats(-20.0, 20.0), st.floats(-20.0, 20.0), st.floats(0.5, 1.0))
PLACES = st.lists(PLACE, min_size=1, max_size=5)
NO_MOVE_HELPS = [  # where moving one place or reversing a part does not lead to the best order
    (0.681, 4.0, -6.55, -12.51, 0.9144813057780017),
    (0.664, 4.0, 6.75, -13.23, 0.7025010612708241),
    (0.681, 4.756729643695074, 19.01, 3.02, 0.5),
    (0.35, 9.0, -15.19, -19.06, 1.0),
    (0.98, 8.427143901785465, 4.05, -18.31, 0.5434074131171078),
]


def search(places: list[tuple[float, ...]], detection: float = 0.9, false_alarm: float = 0.02) -> Search:
    weights, found, x, y, success = (np.array(column) for column in zip(*places, strict=True))
    return Search(
        probability=0.9 * (weights + 1e-3) / (weights + 1e-3).sum(),
        found=found,
        xy=np.stack((x, y), axis=1),
        drive_success=success,
        arrival=1.0 - (1.0 - success) ** 3,
        drive_cost=np.full(len(places), 0.03),
        metre_cost=np.full(len(places), 0.014),
        look_cost=0.04,
        detection=detection,
        false_alarm=false_alarm,
        excluded=1.0 - (1.0 - detection) / (1.0 - false_alarm),
        discount=GAMMA,
    )


def value(made: Search, order: tuple[int, ...], at: int, xy: np.ndarray, seen: float = 0.0) -> float:
    """The value of looking at these places in this order, by recursion from the first one."""
    if not order:
        return 0.0
    place, *rest = order
    p = made.detection * made.probability[place] / (1.0 - made.excluded * seen)
    then = max(0.0, value(made, tuple(rest), -1, made.xy[place], seen + made.probability[place]))
    look = p * made.found[place] - made.look_cost + GAMMA * (1.0 - p) * then
    if place == at:
        return look
    cost = made.drive_cost[place] + made.metre_cost[place] * float(np.hypot(*(made.xy[place] - xy)))
    success = made.drive_success[place]
    tries = 0.0  # V = −cost + γ (success · look + (1 − success) · V), by iteration
    for _ in range(3000):
        tries = -cost + GAMMA * (success * look + (1.0 - success) * tries)
    return tries


def chance(made: Search, order: tuple[int, ...], xy: np.ndarray, done: np.ndarray, seen: float = 0.0) -> float:
    """P(done) of looking at these places in this order for as long as that is worth it, by recursion from the first one."""
    if not order or value(made, order, -1, xy, seen) <= 0.0:
        return 0.0
    place, *rest = order
    p = made.detection * made.probability[place] / (1.0 - made.excluded * seen)
    deceived = made.false_alarm * (1.0 - p / made.detection)
    further = chance(made, tuple(rest), made.xy[place], done, seen + made.probability[place])
    return float(made.arrival[place] * (p * done[place] + (1.0 - p - deceived) * further))


@given(PLACES)
@examples(25)
def test_the_chance_of_an_order_is_that_of_its_looks_one_by_one(places: list[tuple[float, ...]]) -> None:
    made, start, order = search(places), np.zeros(2), np.arange(len(places))
    done = np.linspace(0.5, 1.0, len(places))
    assert made.chance(order, start, 0.0, done) == pytest.approx(chance(made, tuple(order), start, done), abs=1e-6)


@given(PLACES, st.booleans())
@examples(25)
def test_the_value_of_an_order_is_that_of_its_looks_one_by_one(places: list[tuple[float, ...]], is_there: bool) -> None:
    made, at = search(places), 0 if is_there else -1
    start = made.xy[0] if is_there else np.zeros(2)
    order = tuple(range(len(places)))
    assert made.values(np.array([order]), start, at)[0] == pytest.approx(value(made, order, at, start), abs=1e-6)


@given(PLACES, st.booleans())
@example(NO_MOVE_HELPS, False)
@examples(60)
def test_no_order_is_worth_more_than_the_bound_and_the_chosen_one_is_the_best(places: list[tuple[float, ...]], is_there: bool) -> None:
    made, at = search(places), 0 if is_there else -1
    start = made.xy[0] if is_there else np.zeros(2)
    best = float(made.values(np.array(list(permutations(range(len(places))))), start, at).max())
    chosen = float(made.values(made.best_order(start, at)[None], start, at)[0])
    assert made.bound(start, at) >= best - 1e-9
    assert chosen >= best - 0.001 * max(1.0, abs(best))
