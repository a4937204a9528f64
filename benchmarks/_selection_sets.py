"""Conformal sets: measured against promised coverage, and the size of the sets."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sayso.console.bench import Row
from sayso.selection.choosing.conformal import kind_of, quantile
from sayso.training.selection.calibration import EPSILONS, Known, fitted_set, holds, meant_score
from sayso.types import FloatArray

REAL = "real classifier"


def rows(every: Mapping[str, Sequence[Sequence[Known]]], splits: int) -> Iterator[Row]:
    """Coverage and size rows; each classifier's interactions come in parts that share no template."""
    for name, parts in every.items():
        together = [each for part in parts for each in part]
        for epsilon in EPSILONS:
            yield _coverage_row(name, together, epsilon, splits)
    parts = every[REAL]
    together = [each for part in parts for each in part]
    for epsilon in EPSILONS:
        yield _size_row(together, epsilon)
    if len(parts) == 2:
        for epsilon in EPSILONS:
            covered = [_covered(fitted, held_out, epsilon).mean() for fitted, held_out in (parts, parts[::-1])]
            measure = f"{REAL}: coverage of other templates than were calibrated on, ε = {epsilon:g}"
            yield Row(measure, 100.0 * float(np.mean(covered)), "%", "higher", None, {"promised": 100.0 * (1.0 - epsilon)}, n=len(together))


def _coverage_row(name: str, every: Sequence[Known], epsilon: float, splits: int) -> Row:
    """Coverage over random halves, before and after the most probable action is forced into the set."""
    score = np.array([meant_score(each) for each in every])
    kinds = np.array([kind_of(each.p) for each in every])
    first = np.array([bool(each.meant) and int(np.argmax(each.p)) in each.meant for each in every])
    chance = np.random.default_rng(0)
    found, forced = [], []
    for _ in range(splits):
        fitted = chance.permutation(len(every)) < len(every) // 2
        limits = {kind: quantile(score[fitted & (kinds == kind)], epsilon) for kind in np.unique(kinds)}
        limit = np.array([limits[kind] for kind in kinds])
        inside = (score <= limit)[~fitted]
        found.append(100.0 * inside.mean())
        forced.append(100.0 * (inside | first[~fitted]).mean())
    coverage, low, high = float(np.mean(found)), *np.quantile(found, (0.25, 0.75))
    off = abs(coverage - 100.0 * (1.0 - epsilon))
    measure = f"{name}: coverage off the promised {1 - epsilon:.0%} (spread: the coverage)"
    others = {"coverage": coverage, "coverage with the best forced in": float(np.mean(forced))}
    return Row(measure, off, "points", "lower", 1.0, others, (float(low), float(high)), len(every))


def _covered(fitted: Sequence[Known], held_out: Sequence[Known], epsilon: float) -> NDArray[np.bool_]:
    choose = fitted_set(fitted, epsilon)
    return np.array([holds(choose, each) for each in held_out])


def _size_row(every: Sequence[Known], epsilon: float) -> Row:
    """The number of actions that a question offers: our sets, and adaptive ones (Romano et al. 2020) with and without randomisation."""
    shuffled = random.Random(0).sample(every, len(every))
    fitted, held_out = shuffled[: len(every) // 2], [each for each in shuffled[len(every) // 2 :] if kind_of(each.p) != "clear"]
    choose = fitted_set(fitted, epsilon)
    unclear = [each for each in fitted if kind_of(each.p) != "clear"]
    others = {
        f"adaptive, {name}": _adaptive_size(unclear, held_out, epsilon, dice) for name, dice in (("with dice", True), ("without", False))
    }
    size = float(np.mean([choose(each.p).sum() for each in held_out]))
    return Row(
        f"{REAL}: actions in the set where no action is far ahead, ε = {epsilon:g}",
        size,
        "",
        "lower",
        None,
        others,
        n=len(held_out),
    )


def _adaptive_size(fitted: Sequence[Known], held_out: Sequence[Known], epsilon: float, dice: bool) -> float:
    chance = np.random.default_rng(0)

    def scores(p: FloatArray) -> FloatArray:
        """The sum of the larger probabilities plus u times the own one."""
        values, group = np.unique(-p, return_inverse=True)
        mass = np.bincount(group, p, len(values))
        return (np.cumsum(mass) - mass)[group] + (chance.random() if dice else 1.0) * p

    limit = quantile(np.array([min((float(scores(each.p)[index]) for index in each.meant), default=math.inf) for each in fitted]), epsilon)
    return float(np.mean([max(1, int((scores(each.p) <= limit).sum())) for each in held_out]))
