"""Grounded actions as integer columns, so that 50,000 candidates can be scored at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain
from sayso.selection.choosing.values import Ids, Values
from sayso.types import Action


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """N actions with numbered argument values; 0 is "", a role without a value."""

    names: tuple[str, ...]  # (A,) action names
    roles: tuple[str, ...]  # (R,) sorted
    values: Values  # ids of entities and literals
    name: Ids  # (N,) index into `names`
    arguments: Ids  # (N, R) index into `values`

    def __len__(self) -> int:
        return len(self.name)

    @classmethod
    def of(cls, domain: Domain, actions: Sequence[Action]) -> CandidateTable:
        """The table of these actions of the domain, in order."""
        names = tuple(dict.fromkeys(action.name for action in actions))
        roles = tuple(sorted({role for action in actions for role, _ in action.arguments}))
        values = Values.of(domain).extended(value for action in actions for _, value in action.arguments)
        arguments = np.zeros((len(actions), len(roles)), np.int64)
        for row, action in enumerate(actions):
            for role, value in action.arguments:
                arguments[row, roles.index(role)] = values.numbers[value]
        return cls(names, roles, values, np.array([names.index(action.name) for action in actions], np.int64), arguments)

    def action(self, row: int) -> Action:
        """The action in that row."""
        return self._action(int(self.name[row]), self.arguments[row].tolist())

    def actions(self, rows: Ids) -> list[Action]:
        """The actions in these rows."""
        return list(map(self._action, self.name[rows].tolist(), self.arguments[rows].tolist()))

    def _action(self, name: int, arguments: Sequence[int]) -> Action:
        values = self.values.names
        return Action(self.names[name], tuple((role, values[value]) for role, value in zip(self.roles, arguments, strict=True) if value))

    def column(self, role: str) -> Ids:
        """(N,) the values of that role; all 0 if no action has it."""
        return self.arguments[:, self.roles.index(role)] if role in self.roles else np.zeros(len(self), np.int64)

    def having(self, values: Sequence[str], role: str) -> NDArray[np.bool_]:
        """(N,) whether the role has one of these values."""
        return self.values.among(values)[self.column(role)]


def grouped(columns: Sequence[Ids]) -> tuple[Ids, Ids]:
    """Group rows that agree in every column.

    Returns:
        (G,) the first row of each group, in order of first appearance, and (N,) the group of each row.
    """
    table = np.array(columns)
    rows = table.shape[1]
    if not rows:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    table = table - table.min(axis=1, keepdims=True)
    spans = (table.max(axis=1) + 1).tolist()
    possible = math.prod(spans)
    if possible == 1:
        return np.zeros(1, np.int64), np.zeros(rows, np.int64)
    key: Ids = np.ravel_multi_index(tuple(table), spans) if possible < 2**62 else table.T
    if possible <= 16 * rows + 1024:  # few enough combinations for a lookup table, which avoids sorting
        owner = np.zeros(possible, np.int64)
        owner[key[::-1]] = np.arange(rows)[::-1]  # in reverse, so that the first row of each group is written last
        first_alike = owner[key]
    else:
        axis = None if key.ndim == 1 else 0  # sorting along an axis is slower, even with one column
        _, first, group = np.unique(key, axis=axis, return_index=True, return_inverse=True)
        first_alike = first[group.reshape(-1)]
    begins = first_alike == np.arange(rows)
    return np.flatnonzero(begins), (np.cumsum(begins) - 1)[first_alike]
