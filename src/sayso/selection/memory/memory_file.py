"""Confirmed commands in an SQLite file: see `sayso.state_file` for its safety."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from sayso.memory_format import FORMAT
from sayso.selection.memory.situation import Situation
from sayso.state_file import StateFile
from sayso.types import Action

How = Literal["confirmed", "chosen", "corrected"]
MOST = 10_000  # rows to keep, the newest; about 3 MB
COLUMNS = "time, home, utterance_id, clause, action, arguments, how, expected, room, time_of_day, speaker, after, hand"
SELECT = f"SELECT * FROM (SELECT {COLUMNS}, id FROM confirmed ORDER BY id DESC LIMIT {MOST}) ORDER BY id"  # noqa: S608 - built from constants only
INSERT = f"INSERT OR REPLACE INTO confirmed ({COLUMNS}) VALUES ({', '.join('?' * len(COLUMNS.split(',')))})"  # noqa: S608


@dataclass(frozen=True, slots=True)
class ConfirmedAction:
    """An action that a person confirmed, and the situation."""

    time: float  # s since 1970, wall clock
    home: str  # name of its domain
    utterance_id: str
    clause: int  # of the utterance
    action: Action
    how: How  # confirmed: yes; chosen: picked an option or named what was missing; corrected: other than asked about
    situation: Situation
    expected: Mapping[str, float] = field(default_factory=dict)  # name of an action → its probability before the answer
    id: int = 0  # row in the file; 0: not written

    @property
    def key(self) -> tuple[str, int]:
        """Utterance and clause, unique in the file."""
        return self.utterance_id, self.clause


class MemoryFile(StateFile):
    """A file of confirmed commands, created on the first write."""

    def __init__(self, path: Path, patience: float = 1.0) -> None:
        """`patience` is the time to wait for another process's lock, s."""
        super().__init__(path, FORMAT, patience)

    def read(self) -> list[ConfirmedAction]:
        """All commands, oldest first; none if there is no file.

        Raises:
            MemoryDamagedError: the file is damaged: `set_aside` it.
            MemoryFileError: it cannot be read now, or is not ours.
        """
        with self.reading() as connection:
            return [] if connection is None else [_event(row) for row in connection.execute(SELECT)]

    def write(self, events: Sequence[ConfirmedAction], taken_back: Collection[tuple[str, int]] = ()) -> None:
        """Apply all changes in one transaction. An event replaces an earlier one for the same utterance and clause.

        Args:
            events: to be added.
            taken_back: utterances and clauses to be deleted.

        Raises:
            MemoryDamagedError, MemoryFileError: as `read`; nothing was written.
        """
        with self.writing() as connection:
            connection.executemany("DELETE FROM confirmed WHERE utterance_id = ? AND clause = ?", taken_back)
            connection.executemany(INSERT, map(_row, events))
            connection.execute("DELETE FROM confirmed WHERE id <= (SELECT max(id) FROM confirmed) - ?", (MOST,))

    def forget(self, ids: Sequence[int]) -> int:
        """Erase these rows for good, overwriting their bytes in the file and in its log, and return how many there were.

        Raises:
            MemoryDamagedError, MemoryFileError: as `read`; nothing was erased.
        """
        with self.erasing() as connection:
            return sum(connection.execute("DELETE FROM confirmed WHERE id = ?", (number,)).rowcount for number in ids)


def _row(event: ConfirmedAction) -> tuple[object, ...]:
    arguments = json.dumps(dict(event.action.arguments), ensure_ascii=False)
    known = (event.time, event.home, event.utterance_id, event.clause, event.action.name, arguments, event.how, json.dumps(event.expected))
    return *known, *(value for _, value in event.situation.features())


def _event(row: tuple[Any, ...]) -> ConfirmedAction:
    when, home, utterance_id, clause, name, arguments, how, expected, *situation, number = row
    try:
        if how not in get_args(How) or not all(isinstance(value, str) for value in (home, utterance_id, name, *situation)):
            raise ValueError(how)
        if not isinstance(clause, int) or not math.isfinite(when):
            raise ValueError(clause)
        roles = {str(role): value for role, value in json.loads(arguments).items() if isinstance(value, str)}
        shares = {str(other): float(share) for other, share in json.loads(expected).items()}
        if not all(0.0 <= share <= 1.0 for share in shares.values()):
            raise ValueError(expected)
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise sqlite3.DatabaseError(f"row {number} holds invalid values") from None
    action = Action(name, tuple(sorted(roles.items())))
    return ConfirmedAction(when, home, utterance_id, clause, action, how, Situation(*situation), shares, number)
