"""A person who wants some things more often than the domain thinks: the prior that confirmed commands are to teach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sayso.domain import Domain
from sayso.selection.table import CandidateTable
from sayso.types import Action, Context, FloatArray

QUARTER = 21_600.0  # s of a day: habits are others in the morning than at night


class Habits:
    """How much more often than the domain thinks each action is wanted, by its name, its arguments and the time of day."""

    def __init__(self, domain: Domain, widths: Mapping[str, float], seed: int) -> None:
        """Factors are log-normal; `widths` are those of ln: name, value and hour."""
        chance = np.random.default_rng(seed)
        values = (*domain.places, *domain.objects, *domain.people)
        self._name = {name: float(chance.lognormal(0.0, widths["name"])) for name in domain.actions}
        self._value = {name: float(chance.lognormal(0.0, widths["value"])) for name in values}
        self._hour = {(name, part): float(chance.lognormal(0.0, widths["hour"])) for name in values for part in range(4)}

    def of(self, action: Action, context: Context) -> float:
        """The factor of one action."""
        factor, part = self._name[action.name], int(context.stamp % 86_400.0 // QUARTER)
        for _, value in action.arguments:
            factor *= self._value.get(value, 1.0) * self._hour.get((value, part), 1.0)
        return factor

    def __call__(self, base: FloatArray, actions: Sequence[Action], context: Context) -> FloatArray:
        """The true P(a|ctx) of this person, as what is learnt would have it."""
        p = base * np.array([self.of(action, context) for action in actions])
        return np.asarray(p / p.sum())

    def draw(self, table: CandidateTable, context: Context) -> FloatArray:
        """(N,) for `interactions`."""
        return np.array([self.of(action, context) for action in table.actions(np.arange(len(table)))])
