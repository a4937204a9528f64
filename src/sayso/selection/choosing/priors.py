"""P(a|ctx): the weights of the domain file times the factors whose conditions the context meets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from sayso.agenda.places import inside
from sayso.domain.model import Domain, Factor, When
from sayso.selection.choosing.table import CandidateTable
from sayso.selection.choosing.values import Ids
from sayso.types import Context, FloatArray


@dataclass(frozen=True, slots=True)
class Prior:
    """P(a|ctx) and its factors."""

    p: FloatArray  # (N,) sums to 1, or is all 0 if the domain rules everything out
    factors: tuple[tuple[str, FloatArray], ...]  # name and (N,) factor; their product is `p` up to a constant

    def why(self, rows: Ids) -> list[tuple[tuple[str, float], ...]]:
        """For each of these rows, the factors that are not 1."""
        names = [name for name, _ in self.factors]
        columns = zip(*(factor[rows].tolist() for _, factor in self.factors), strict=True)
        return [tuple((name, factor) for name, factor in zip(names, row, strict=True) if factor != 1.0) for row in columns]

    def times(self, name: str, p: FloatArray) -> Prior:
        """The prior updated to `p`; the ratio is recorded as a further factor, called `name`."""
        ratio = np.divide(p, self.p, out=np.zeros_like(p), where=self.p > 0.0)
        return Prior(p, (*self.factors, (name, ratio)))


def prior(domain: Domain, table: CandidateTable, context: Context | None) -> Prior:
    """P(a|ctx) ∝ weight(name) · ∏ factors / number of candidates of that name; without a context, the weights alone.

    The division keeps the total weight of "bring" the same, however many cups there are.
    """
    weight = np.array([domain.priors.actions.get(name, 1.0) for name in table.names])[table.name]
    share = 1.0 / np.bincount(table.name, minlength=len(table.names))[table.name]
    factors = [("weight", weight), ("share among its kind", share)]
    if context is not None:
        names = {*table.names}
        named = (factor for factor in domain.priors.factors if not factor.actions or not names.isdisjoint(factor.actions))
        holding = (factor for factor in named if _context_fits(domain, factor.when, context))
        factors += [(factor.name, np.where(_applies(factor, table, context), factor.factor, 1.0)) for factor in holding]
    p: FloatArray = reduce(np.multiply, (values for _, values in factors))
    total = float(p.sum())
    return Prior(p / total if total > 0.0 else p, tuple(factors))


def _context_fits(domain: Domain, when: When, context: Context) -> bool:
    """Whether the conditions hold that do not depend on the action."""
    speaker = context.speaker or domain.speaker
    return (
        (when.place is None or inside(domain, context.place, when.place))
        and (when.last_action is None or when.last_action == context.last_action)
        and (when.speaker is None or when.speaker == speaker)
        and (when.battery_below is None or context.battery < when.battery_below)
        and (when.hours is None or _within(when.hours, context.stamp))
    )


def _applies(factor: Factor, table: CandidateTable, context: Context) -> NDArray[np.bool_]:
    """(N,) whether the factor names the action and its conditions on arguments hold."""
    concerned = np.array([not factor.actions or name in factor.actions for name in table.names], np.bool_)[table.name]
    holding, visible = factor.when.holding, factor.when.visible
    if holding in ("any", "none"):
        concerned &= bool(context.holding) == (holding == "any")
    elif holding is not None and holding != context.holding:
        concerned &= table.having((context.holding,), holding)
    if visible is not None and visible not in context.visible:
        concerned &= table.having(context.visible, visible)
    return concerned


def _within(hours: tuple[float, float], stamp: float) -> bool:
    """Whether the local time of the stamp is in [from, to), an interval that may span midnight."""
    local = datetime.fromtimestamp(stamp).astimezone()
    hour = local.hour + local.minute / 60.0 + local.second / 3600.0
    start, end = hours
    return start <= hour < end if start <= end else hour >= start or hour < end
