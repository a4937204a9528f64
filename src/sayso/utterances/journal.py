"""What became of the last utterances, in an SQLite file, so that the watcher knows after its own death what was lost, and what was not:
see `sayso.state_file`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from pathlib import Path

from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.state_file import FileFormat, FileTrouble, StateFile

ENVIRONMENT = "SAYSO_IN_FLIGHT"  # path of the user's file; empty: no file
FORGOTTEN_AFTER = 600.0  # s: nobody waits for an answer any more
TABLES = (
    """CREATE TABLE utterances (
  robot TEXT NOT NULL,          -- ROS domain and namespace
  utterance_id TEXT NOT NULL,
  heard REAL NOT NULL,          -- s since 1970, wall clock
  state TEXT NOT NULL,          -- on_its_way, asked or over
  PRIMARY KEY (robot, utterance_id)
)""",
)
FORMAT = FileFormat(b"Sayj", 1, TABLES, "journal", ENVIRONMENT, "in_flight.sqlite")


def journal_named(name: str, simulated: bool) -> Path | None:
    """The file that a parameter names; "auto" is the user's own, and none in a simulation."""
    return FORMAT.named(name, simulated)


@dataclass(frozen=True, slots=True)
class Followed:
    """The ids of the utterances that a watcher has followed, oldest first."""

    on_its_way: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()  # ended by a question; an answer may begin them anew
    over: tuple[str, ...] = ()  # ended


class Journal(StateFile):
    """The last utterances of one robot.

    `left` and `catch_up` never raise: they are tried again later, and meanwhile `trouble` holds the reason.
    """

    def __init__(self, path: Path, robot: str) -> None:
        super().__init__(path, FORMAT)
        self._robot = robot
        self._written: Followed | None = None  # None: unknown
        self._trouble, self._is_read = FileTrouble(), False

    @property
    def trouble(self) -> str:
        """Why the file could not be read or written; empty if all is well."""
        return self._trouble.reason

    @property
    def is_due(self) -> bool:
        """Whether it is time to try again what failed."""
        return bool(self.trouble) and self._trouble.may_retry

    def left(self) -> Followed:
        """What an earlier process left, once; nothing if that cannot be read now."""
        if self._is_read or not self._trouble.may_retry:
            return Followed()
        try:
            found = self.read()
        except MemoryFileError as error:
            self._trouble.failed(error)
            return Followed()
        self._is_read = True
        self._trouble.read(unwritten=False)
        return found

    def catch_up(self, followed: Followed) -> None:
        """`write`, unless that failed just now. Nothing is written before `left` was read: it would be lost."""
        if not self._is_read or not self._trouble.may_retry:
            return
        try:
            self.write(followed)
        except MemoryFileError as error:
            self._trouble.failed(error)
        else:
            self._trouble.written()

    def read(self) -> Followed:
        """What an earlier process left and is not forgotten; a damaged file is set aside.

        Raises:
            MemoryFileError: it cannot be read now.
        """
        try:
            with self.reading() as connection:
                if connection is None:
                    return Followed()
                asked = "SELECT state, utterance_id FROM utterances WHERE robot = ? AND heard > ? ORDER BY heard, rowid"
                rows = connection.execute(asked, (self._robot, time.time() - FORGOTTEN_AFTER)).fetchall()
                return Followed(*(tuple(name for state, name in rows if state == each.name) for each in fields(Followed)))
        except MemoryDamagedError:
            self.set_aside()
            return Followed()

    def write(self, followed: Followed) -> None:
        """Let the file have these and no others of this robot; a damaged one is set aside.

        Raises:
            MemoryFileError: it cannot be written now; try again.
        """
        if followed == self._written:
            return
        try:
            self._replace(followed)
        except MemoryDamagedError:
            self.set_aside()
            self._replace(followed)
        self._written = followed

    def _replace(self, followed: Followed) -> None:
        wanted = {name: each.name for each in fields(followed) for name in getattr(followed, each.name)}
        with self.writing() as connection:
            rows = connection.execute("SELECT utterance_id, state FROM utterances WHERE robot = ?", (self._robot,))
            found: dict[str, str] = dict(rows.fetchall())
            gone = [(self._robot, name) for name in found if name not in wanted]
            new = [(self._robot, name, time.time(), state) for name, state in wanted.items() if name not in found]
            changed = [(state, self._robot, name) for name, state in wanted.items() if found.get(name, state) != state]
            connection.executemany("DELETE FROM utterances WHERE robot = ? AND utterance_id = ?", gone)
            connection.executemany("UPDATE utterances SET state = ? WHERE robot = ? AND utterance_id = ?", changed)
            connection.executemany("INSERT INTO utterances VALUES (?, ?, ?, ?)", new)
