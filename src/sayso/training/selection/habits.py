"""A simulated person with habits that differ from the domain's prior, for learning from confirmed commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sayso.domain import Domain
from sayso.selection.choosing.table import CandidateTable
from sayso.types import Action, Context, FloatArray

DAY, QUARTER = 86_400.0, 21_600.0  # s; habits depend on the quarter of the day


class SimulatedHabits:
    """Factors on the domain's prior for an action's name, its arguments and the time of day."""

    def __init__(self, domain: Domain, widths: Mapping[str, float], seed: int) -> None:
        """Factors are log-normal; `widths` are the standard deviations of their logarithms: name, value and hour."""
        self._domain = domain
        chance = np.random.default_rng(seed)
        values = (*domain.places, *domain.objects, *domain.people)
        self._name = {name: float(chance.lognormal(0.0, widths["name"])) for name in domain.actions}
        self._value = {name: float(chance.lognormal(0.0, widths["value"])) for name in values}
        self._hour = {(name, part): float(chance.lognormal(0.0, widths["hour"])) for name in values for part in range(4)}

    def of(self, action: Action, context: Context) -> float:
        """The factor for the action's arguments."""
        factor, part = 1.0, int(context.stamp % DAY // QUARTER)
        for _, value in action.arguments:
            factor *= self._value.get(value, 1.0) * self._hour.get((value, part), 1.0)
        return factor

    def __call__(self, base: FloatArray, actions: Sequence[Action], context: Context) -> FloatArray:
        """(N,) this person's P(a|ctx) from the domain's; usable in place of a learnt prior."""
        p = base * self._factors(CandidateTable.of(self._domain, actions), base, context)
        return np.asarray(p / p.sum())

    def draw(self, table: CandidateTable, context: Context) -> FloatArray:
        """(N,) the factors for `interactions`."""
        return self._factors(table, np.ones(len(table)), context)

    def _factors(self, table: CandidateTable, weight: FloatArray, context: Context) -> FloatArray:
        """(N,) factors: argument habits divide an action's share, name habits scale it."""
        wanted = np.array([self.of(action, context) for action in table.actions(np.arange(len(table)))])
        share = np.bincount(table.name, weight * wanted) / np.maximum(np.bincount(table.name, weight), np.finfo(np.float64).tiny)
        names = np.array([self._name[name] for name in table.names])
        return np.asarray(wanted * (names / np.maximum(share, np.finfo(np.float64).tiny))[table.name])
