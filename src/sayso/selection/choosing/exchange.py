"""Roles whose fillers only fit the other way round: "fill the cup with milk" pours the milk into the cup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain
from sayso.domain.vocabulary import parse_literal
from sayso.selection.choosing.candidates import Readings
from sayso.selection.choosing.outcomes import able_with
from sayso.selection.choosing.values import Ids


class Exchange:
    """Moves fillers to the role that they are able to fill. For intents of one action; others say by their words what they mean."""

    def __init__(self, domain: Domain, numbers: Mapping[str, int]) -> None:
        """`numbers` are those of the domain's entities."""
        self._able: dict[str, dict[str, Ids]] = {}
        for intent, spec in domain.intents.items():
            if len(spec.actions) != 1:
                continue
            goal = [parse_literal(literal) for literal in domain.actions[next(iter(spec.actions))].goal]
            able = {role: names for role, names in able_with(domain, goal).items() if role in spec.roles}
            if len(able) > 1:
                self._able[intent] = {role: np.array([numbers[name] for name in sorted(names)], np.int64) for role, names in able.items()}

    def __call__(self, intent: str, readings: Readings) -> Readings:
        """The readings of the intent, two arguments exchanged where one fits only the other's role, and the other does not fit there."""
        able = self._able.get(intent)
        if able is None:
            return readings
        arguments = readings.arguments.copy()
        for one, other in permutations(able, 2):
            at, there = readings.roles.index(one), readings.roles.index(other)
            mine, theirs = arguments[:, at].copy(), arguments[:, there].copy()
            wrong: NDArray[np.bool_] = ~np.isin(mine, able[one]) & np.isin(mine, able[other]) & ~np.isin(theirs, able[other])
            arguments[wrong, at], arguments[wrong, there] = theirs[wrong], mine[wrong]
        return replace(readings, arguments=arguments)
