"""P(a|ctx): the weights of the domain file times the factors whose conditions the context meets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np

from sayso.domain.model import Domain, Factor, When
from sayso.types import Action, Context, FloatArray


def prior(domain: Domain, actions: Sequence[Action], context: Context) -> FloatArray:
    """(N,) P(a|ctx) ∝ weight(name) · ∏ factors / how many candidates share the name; sums to 1.

    The division makes the weight that of "bring", however many cups there are to bring.
    """
    names = [action.name for action in actions]
    share = {name: names.count(name) for name in set(names)}
    p = np.array([domain.priors.actions.get(name, 1.0) / share[name] for name in names])
    for factor in domain.priors.factors:
        if _situation(domain, factor.when, context):
            p *= np.where([_concerns(factor, action, context) for action in actions], factor.factor, 1.0)
    total = float(p.sum())
    return p / total if total > 0.0 else np.full(len(names), 1.0 / max(1, len(names)))


def _situation(domain: Domain, when: When, context: Context) -> bool:
    """Do the conditions hold that are the same for every action?"""
    speaker = context.speaker or domain.speaker
    return (
        (when.place is None or _is_in(domain, context.place, when.place))
        and (when.last_action is None or when.last_action == context.last_action)
        and (when.speaker is None or when.speaker == speaker)
        and (when.battery_below is None or context.battery < when.battery_below)
        and (when.hours is None or _within(when.hours, context.stamp))
    )


def _concerns(factor: Factor, action: Action, context: Context) -> bool:
    """Is it a factor of this action, and do the conditions hold that name its arguments?"""
    if factor.actions and action.name not in factor.actions:
        return False
    return _holds(factor.when.holding, action, context) and _sees(factor.when.visible, action, context)


def _holds(wanted: str | None, action: Action, context: Context) -> bool:
    if wanted is None:
        return True
    if wanted in ("any", "none"):
        return bool(context.holding) == (wanted == "any")
    return bool(context.holding) and context.holding in (wanted, action.argument(wanted))


def _sees(wanted: str | None, action: Action, context: Context) -> bool:
    return wanted is None or wanted in context.visible or action.argument(wanted) in context.visible


def _is_in(domain: Domain, place: str, outer: str) -> bool:
    while place in domain.places:
        if place == outer:
            return True
        place = domain.places[place].inside
    return False


def _within(hours: tuple[float, float], stamp: float) -> bool:
    """Is the local time of the stamp in [from, to), which may pass midnight?"""
    local = datetime.fromtimestamp(stamp).astimezone()
    hour = local.hour + local.minute / 60.0 + local.second / 3600.0
    start, end = hours
    return start <= hour < end if start <= end else hour >= start or hour < end
