"""Many grounded actions as columns of numbers: what makes 50,000 candidates as easy to weigh as five."""

from __future__ import annotations

import math
from collections.abc import Collection, Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.types import Action

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """N actions. A value is known by its number in `values`; 0 is "", a role that has none."""

    names: tuple[str, ...]  # (A,) of actions
    roles: tuple[str, ...]  # (R,) sorted
    values: tuple[str, ...]  # (V,) ids of entities and literals
    name: Ids  # (N,) index into `names`
    arguments: Ids  # (N, R) index into `values`

    def __len__(self) -> int:
        return len(self.name)

    @classmethod
    def of(cls, actions: Sequence[Action]) -> CandidateTable:
        """The table of these actions, in their order."""
        names = tuple(dict.fromkeys(action.name for action in actions))
        roles = tuple(sorted({role for action in actions for role, _ in action.arguments}))
        values = {"": 0}
        arguments = np.zeros((len(actions), len(roles)), np.int64)
        for row, action in enumerate(actions):
            for role, value in action.arguments:
                arguments[row, roles.index(role)] = values.setdefault(value, len(values))
        return cls(names, roles, tuple(values), np.array([names.index(action.name) for action in actions], np.int64), arguments)

    def action(self, row: int) -> Action:
        """The action of that row."""
        return self.actions(np.array([row]))[0]

    def actions(self, rows: Ids) -> list[Action]:
        """The actions of these rows."""
        columns = zip(self.name[rows].tolist(), self.arguments[rows].tolist(), strict=True)
        return [
            Action(self.names[name], tuple((role, self.values[value]) for role, value in zip(self.roles, held, strict=True) if value))
            for name, held in columns
        ]

    def column(self, role: str) -> Ids:
        """(N,) the values of that role; 0 throughout where no action has it."""
        return self.arguments[:, self.roles.index(role)] if role in self.roles else np.zeros(len(self), np.int64)

    def having(self, values: Sequence[str], role: str) -> NDArray[np.bool_]:
        """(N,) has that role one of these values?"""
        return among(self.values, {*values} - {""})[self.column(role)]


def among(values: Collection[str], chosen: Container[str]) -> NDArray[np.bool_]:
    """(V,) is it one of those?"""
    return np.fromiter(map(chosen.__contains__, values), np.bool_, len(values))


def grouped(columns: Sequence[Ids]) -> tuple[Ids, Ids]:
    """Rows that agree in every column are one group.

    Returns:
        (G,) the first row of each group, groups in the order in which they first come, and (N,) the group of each row.
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
    if possible <= 16 * rows + 1024:  # a place for each combination that there may be: no need to sort
        owner = np.zeros(possible, np.int64)
        owner[key[::-1]] = np.arange(rows)[::-1]  # the first row of each comes last, and stays
        first_alike = owner[key]
    else:
        axis = None if key.ndim == 1 else 0  # rows as wholes are slower to sort, even where they are of one column
        _, first, group = np.unique(key, axis=axis, return_index=True, return_inverse=True)
        first_alike = first[group.reshape(-1)]
    begins = first_alike == np.arange(rows)
    return np.flatnonzero(begins), (np.cumsum(begins) - 1)[first_alike]
