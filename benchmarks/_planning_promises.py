"""What the planner promises against what comes: P(done) of its plans, by bins, and the share of errands that were done.

Homes differ in the number of places, in how probably the thing is at one of them, and in how often driving, grasping and handing over
succeed. In the first kind of world each call has a success of its own, drawn from the planner's prior (equation 20), so that the world
behaves as the planner believes: a test of P(done), not of the planner's model. In the other, a failure says nothing about the next try.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from _planning_worlds import ACTIONS, START, THING, CarriedOut, Success, alike, carried_out, home_with, of_its_own
from sayso.console.bench import Row
from sayso.console.watch import counted
from sayso.domain.model import Domain
from sayso.planning import Planner

BINS = 10  # of equal width
ENOUGH = 100  # errands of a bin whose share says something
LUCK = {"navigate_to": (0.6, 1.0), "approach": (0.6, 1.0), "pick": (0.3, 1.0), "hand_over": (0.6, 1.0)}  # P(success), from … to
PLACES = (3, 5, 8, 12)


def rows(worlds: int) -> Iterator[Row]:
    """Yield the rows of so many errands in each kind of world."""
    kinds: tuple[tuple[str, Callable[[random.Random], Success]], ...] = (
        ("each thing, way and person with its own success", of_its_own),
        ("all alike", lambda _: alike),
    )
    for kind, success in kinds:
        promises = [errand for number in counted(range(worlds), f"errands, {kind}") if (errand := _errand(number, success)).promised]
        yield from _of(f"first plan, {kind}", [(errand.promised[0], errand.done) for errand in promises])
        yield from _of(f"every plan, {kind}", [(promised, errand.done) for errand in promises for promised in errand.promised])


def _errand(number: int, success: Callable[[random.Random], Success]) -> CarriedOut:
    chance = random.Random(f"promise {number}")
    domain, action = failing_home(chance), ACTIONS[number % len(ACTIONS)]
    whereabouts = Planner(domain).begin(action, START).objects[THING]
    truth = chance.choices(whereabouts.places, [float(p) for p in whereabouts.probabilities])[0]
    return carried_out(Planner(domain), action, truth, chance, success(chance))


def failing_home(chance: random.Random) -> Domain:
    """A home with some shelves, where skills fail as often as chance says, and the domain knows it."""
    home = home_with(chance.choice(PLACES), chance.uniform(4.0, 15.0), chance)
    skills = {name: home.skills[name].model_copy(update={"success": chance.uniform(*LUCK[name])}) for name in LUCK}
    return home.model_copy(update={"skills": {**home.skills, **skills}})


def _of(what: str, pairs: Sequence[tuple[float, bool]]) -> Iterator[Row]:
    """The rows of pairs of P(done) and what happened."""
    promised, done = np.array([p for p, _ in pairs]), np.array([came for _, came in pairs], dtype=float)
    bins = np.minimum((promised * BINS).astype(int), BINS - 1)
    gaps = {int(each): float(promised[bins == each].mean() - done[bins == each].mean()) for each in np.unique(bins)}
    counts = {each: int((bins == each).sum()) for each in gaps}
    error = sum(counts[each] * abs(gap) for each, gap in gaps.items()) / len(pairs)
    told = {each: 100.0 * gap for each, gap in gaps.items() if counts[each] >= min(ENOUGH, len(pairs))}
    by_bin = ", ".join(f"{10 * each}–{10 * (each + 1)} %: {gap:+.1f} (n = {counts[each]})" for each, gap in told.items())
    yield Row(
        f"P(done) of the {what}",
        100.0 * float(promised.mean()),
        "%",
        "higher",
        baselines={"done": 100.0 * float(done.mean())},
        n=len(pairs),
    )
    yield Row(
        f"P(done) of the {what}: difference from the share done, mean over tenths",
        100.0 * error,
        "points",
        "lower",
        2.0,
        n=len(pairs),
        reason=by_bin,
    )
    yield Row(
        f"P(done) of the {what}, squared error",
        float(statistics.mean((p - came) ** 2 for p, came in pairs)),
        "",
        "lower",
        baselines={"always the mean": float(done.mean() * (1.0 - done.mean()))},
        n=len(pairs),
    )
