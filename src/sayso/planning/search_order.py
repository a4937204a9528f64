"""In which order to look for an object at many places.

Until it is found, a search is a sequence: each look either finds the object or leads to the next place. So the policies are orders of
places; their values follow from the last place back to the first (eq. 19). Local search finds a good order, a relaxation bounds them all.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from sayso.planning.prospect import false_finds
from sayso.types import FloatArray

Order = NDArray[np.int64]
PASSES = 12  # of local search; each takes the best of all moves of one place and all reversals
EXACT = 5  # places of which all orders are compared: moves of one place or one reversal miss the best order of five now and then
DEPTH = 12  # positions that these moves change; the robot plans again after each look, so that later ones matter less


@dataclass(frozen=True, slots=True)
class Search:
    """N places where an object may be, what it costs to look there, and what it is worth to find it."""

    probability: FloatArray  # (N,) P(it is there)
    found: FloatArray  # (N,) reward and discounted value of finding it there
    xy: FloatArray  # (N, 2) m, map frame
    drive_success: FloatArray  # (N,) of driving there
    arrival: FloatArray  # (N,) P(it arrives there in the end)
    drive_cost: FloatArray  # (N,) of a drive without its length
    metre_cost: FloatArray  # (N,) of each metre of a drive
    look_cost: float
    detection: float  # P(it is found | it is there)
    false_alarm: float  # P(it seems to be found | it is not there)
    excluded: float  # share of a place's probability that a miss there takes away
    discount: float  # γ

    def values(self, orders: Order, start: FloatArray, at: int = -1, missed: float = 0.0) -> FloatArray:
        """(M,) values of looking at the places in these orders.

        Args:
            orders: (M, K) places, K ≤ N.
            start: (2,) where the robot is, m.
            at: the place where it is, -1 if at none of these.
            missed: Σ P(place) over further places where it was looked for already.
        """
        finds, metres = self._finds(orders, missed), self._metres(orders, start)
        value: FloatArray = np.zeros(len(orders))
        look = value
        for step in reversed(range(orders.shape[1])):
            place = orders[:, step]
            go_on = self.discount * (1.0 - finds[:, step]) * np.maximum(value, 0.0)  # or give up
            look = finds[:, step] * self.found[place] - self.look_cost + go_on
            value = self._driving(place, metres[:, step], look)
        here: FloatArray = np.where(orders[:, 0] == at, look, value)
        return here

    def _finds(self, orders: Order, missed: float) -> FloatArray:
        """(M, K) P(it is found | it was not found at the places before)."""
        p = self.probability[orders]
        before = self.excluded * (missed + np.cumsum(p, axis=1) - p)
        finds: FloatArray = np.minimum(1.0, self.detection * p / (1.0 - before))
        return finds

    def _metres(self, orders: Order, start: FloatArray) -> FloatArray:
        """(M, K) the way to each place."""
        between = np.linalg.norm(np.diff(self.xy[orders], axis=1), axis=2)
        metres: FloatArray = np.hstack((np.linalg.norm(self.xy[orders[:, :1]] - start, axis=2), between))
        return metres

    def chance(self, order: Order, start: FloatArray, missed: float, done: FloatArray) -> float:
        """P(done) if it looks at the places in this order (K,) for as long as that is worth it; `done` (N,) is P(done | found there)."""
        finds, metres = self._finds(order[None], missed)[0], self._metres(order[None], start)[0]
        value = chance = 0.0
        for step in reversed(range(len(order))):
            found, at = float(finds[step]), order[step : step + 1]
            chance = found * float(done[at][0]) + (1.0 - found - false_finds(found, self.detection, self.false_alarm)) * chance
            look = found * self.found[at] - self.look_cost + self.discount * (1.0 - found) * value
            value = max(0.0, float(self._driving(at, metres[step : step + 1], look)[0]))
            chance *= float(self.arrival[at][0]) if value > 0.0 else 0.0
        return chance

    def _driving(self, place: Order, metres: FloatArray, then: FloatArray) -> FloatArray:
        """The value of driving to a place, again after each failure, and of what follows."""
        success, cost = self.drive_success[place], self.drive_cost[place] + self.metre_cost[place] * metres
        value: FloatArray = (self.discount * success * then - cost) / (1.0 - self.discount * (1.0 - success))
        return value

    def best_order(self, start: FloatArray, at: int = -1) -> Order:
        """(N,) a good order: greedy by the gain for each unit of cost, then improved by local search. Of few places, it is the best one."""
        order = self._greedy(start, at)
        value = self.values(order[None], start, at)[0]
        for _ in range(PASSES):
            moved = order[_moves(len(order))]
            values = self.values(moved, start, at)
            best = int(np.argmax(values))
            if values[best] <= value + 1e-9:
                break
            order, value = moved[best], values[best]
        return order

    def _greedy(self, start: FloatArray, at: int) -> Order:
        left, here, order = list(range(len(self.probability))), start, list[int]()
        while left:
            places = np.array(left)
            cost = self.look_cost + self.drive_cost[places] + self.metre_cost[places] * np.linalg.norm(self.xy[places] - here, axis=1)
            cost = np.where(places == at, self.look_cost, cost) if not order else cost
            chosen = left[int(np.argmax(self.probability[places] * self.found[places] / np.maximum(cost, 1e-9)))]
            order.append(chosen)
            left.remove(chosen)
            here = self.xy[chosen]
        return np.array(order, dtype=np.int64)

    def bound(self, start: FloatArray, at: int = -1) -> float:
        """No order is worth more: each step has the best probability, the best find and the cheapest drive that are left."""
        to_place = np.linalg.norm(self.xy[:, None] - self.xy[None], axis=2)
        np.fill_diagonal(to_place, np.inf)
        nearest = np.minimum(to_place.min(axis=1, initial=np.inf), np.linalg.norm(self.xy - start, axis=1))
        cost = np.sort(self.drive_cost + self.metre_cost * nearest)
        if at >= 0:
            cost = np.concatenate(([0.0], cost[:-1]))
        p = np.sort(self.probability)[::-1]
        finds = np.minimum(1.0, self.detection * p / (1.0 - self.excluded * (np.cumsum(p) - p)))
        worth, success, value = np.sort(self.found)[::-1], float(self.drive_success.max()), 0.0
        for step in reversed(range(len(p))):
            look = finds[step] * worth[step] - self.look_cost + self.discount * (1.0 - finds[step]) * max(value, 0.0)
            skipped = at >= 0 and step == 0
            value = look if skipped else (self.discount * success * look - cost[step]) / (1.0 - self.discount * (1.0 - success))
        return max(0.0, float(value))


@cache
def _moves(count: int) -> Order:
    """(M, N) permutations: all of few places; of more, those that move one to one of the first positions, or reverse a part near them."""
    if count <= EXACT:
        return np.array(list(permutations(range(count))), dtype=np.int64)
    order, found = np.arange(count), list[Order]([np.arange(count)])
    for first in range(count):
        rest = np.delete(order, first)
        found += [np.insert(rest, place, first) for place in range(min(count, DEPTH)) if place != first]
        ends = range(first + 3, min(count, 2 * DEPTH) + 1)
        found += [np.concatenate((order[:first], order[first:end][::-1], order[end:])) for end in ends if first < DEPTH]
    return np.array(found)
