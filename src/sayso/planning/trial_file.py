"""Skill trials in the memory file: see `sayso.state_file` for its safety."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sayso.memory_format import FORMAT
from sayso.planning.trials import SkillTrial
from sayso.state_file import StateFile
from sayso.types import SkillCall

MOST = 10_000  # rows to keep, the newest; about 3 MB
LONGEST = 200  # characters of a reason
COLUMNS = "time, home, utterance_id, stamp, skill, arguments, place, metres, succeeded, seconds, reason"
SELECT = f"SELECT * FROM (SELECT {COLUMNS}, id FROM skill_trials ORDER BY id DESC LIMIT {MOST}) ORDER BY time, id"  # noqa: S608 - built from constants only
ENDS = "SELECT trial, x, y FROM drive_ends"
INSERT_END = "INSERT OR IGNORE INTO drive_ends SELECT id, ?, ? FROM skill_trials WHERE utterance_id = ? AND stamp = ?"
CLEAR_ENDS = "DELETE FROM drive_ends WHERE trial NOT IN (SELECT id FROM skill_trials)"
INSERT = f"INSERT OR IGNORE INTO skill_trials ({COLUMNS}) VALUES ({', '.join('?' * len(COLUMNS.split(',')))})"  # noqa: S608


class TrialFile(StateFile):
    """The skill trials of a memory file, which is created on the first write."""

    def __init__(self, path: Path, patience: float = 1.0) -> None:
        """`patience` is the time to wait for another process's lock, s."""
        super().__init__(path, FORMAT, patience)

    def read(self) -> list[SkillTrial]:
        """All trials, oldest first; none if there is no file, or an older Sayso has made it.

        Raises:
            MemoryDamagedError: the file is damaged.
            MemoryFileError: it cannot be read now, or is not ours.
        """
        with self.reading() as connection:
            if connection is None or not _has(connection, "skill_trials"):
                return []
            ends = {trial: (x, y) for trial, x, y in connection.execute(ENDS)} if _has(connection, "drive_ends") else {}
            return [_trial(row, ends.get(row[-1])) for row in connection.execute(SELECT)]

    def write(self, trials: Sequence[SkillTrial]) -> int:
        """Add trials in one transaction, and return how many of them were new.

        Raises:
            MemoryDamagedError, MemoryFileError: as `read`; nothing was written.
        """
        with self.writing() as connection:
            before = connection.total_changes
            connection.executemany(INSERT, map(_row, trials))
            new = connection.total_changes - before
            connection.executemany(INSERT_END, [(*trial.ended, *trial.key) for trial in trials if trial.ended is not None])
            connection.execute("DELETE FROM skill_trials WHERE id <= (SELECT max(id) FROM skill_trials) - ?", (MOST,))
            connection.execute(CLEAR_ENDS)
            return new

    def forget(self, ids: Sequence[int]) -> int:
        """Erase these rows for good, as `MemoryFile.forget`, and return how many there were.

        Raises:
            MemoryDamagedError, MemoryFileError: as `read`; nothing was erased.
        """
        with self.erasing() as connection:
            erased = sum(connection.execute("DELETE FROM skill_trials WHERE id = ?", (number,)).rowcount for number in ids)
            if _has(connection, "drive_ends"):
                connection.execute(CLEAR_ENDS)
            return erased


def _has(connection: sqlite3.Connection, table: str) -> bool:
    return bool(connection.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0])


def _row(trial: SkillTrial) -> tuple[object, ...]:
    arguments = json.dumps(dict(trial.call.arguments), ensure_ascii=False)
    what = (trial.time, trial.home, trial.utterance_id, trial.stamp, trial.call.name, arguments, trial.place)
    return *what, trial.metres, int(trial.succeeded), trial.seconds, trial.reason[:LONGEST]


def _trial(row: tuple[Any, ...], ended: tuple[Any, Any] | None) -> SkillTrial:
    when, home, utterance_id, stamp, skill, text, place, metres, succeeded, seconds, reason, number = row
    try:
        if not all(isinstance(value, str) for value in (home, utterance_id, skill, place, reason)) or succeeded not in (0, 1):
            raise ValueError(skill)
        if not isinstance(stamp, int) or not math.isfinite(when) or not (0.0 <= metres < math.inf and 0.0 <= seconds < math.inf):
            raise ValueError(stamp)
        if ended is not None and not all(map(math.isfinite, ended)):
            raise ValueError(ended)
        arguments = tuple((str(role), value) for role, value in json.loads(text).items() if isinstance(value, str))
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise sqlite3.DatabaseError(f"trial {number} holds invalid values") from None
    call = SkillCall(skill, arguments)
    return SkillTrial(utterance_id, stamp, call, place, metres, bool(succeeded), seconds, reason, home, when, number, ended)
