"""The utterances on their way, in an SQLite file, so that the watcher knows after its own death what was lost: see `sayso.state_file`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.state_file import FileFormat, FileTrouble, StateFile

ENVIRONMENT = "SAYSO_IN_FLIGHT"  # path of the user's file; empty: no file
FORGOTTEN_AFTER = 600.0  # s: nobody waits for an answer any more
TABLES = (
    """CREATE TABLE in_flight (
  robot TEXT NOT NULL,          -- ROS domain and namespace
  utterance_id TEXT NOT NULL,
  heard REAL NOT NULL,          -- s since 1970, wall clock
  PRIMARY KEY (robot, utterance_id)
)""",
)
FORMAT = FileFormat(b"Sayj", 1, TABLES, "journal", ENVIRONMENT, "in_flight.sqlite")


def journal_named(name: str, simulated: bool) -> Path | None:
    """The file that a parameter names; "auto" is the user's own, and none in a simulation."""
    return FORMAT.named(name, simulated)


class Journal(StateFile):
    """The utterances of one robot that have not ended.

    `left` and `catch_up` never raise: they are tried again later, and meanwhile `trouble` holds the reason.
    """

    def __init__(self, path: Path, robot: str) -> None:
        super().__init__(path, FORMAT)
        self._robot = robot
        self._written: frozenset[str] | None = None  # None: unknown
        self._trouble, self._is_read = FileTrouble(), False

    @property
    def trouble(self) -> str:
        """Why the file could not be read or written; empty if all is well."""
        return self._trouble.reason

    @property
    def is_due(self) -> bool:
        """Whether it is time to try again what failed."""
        return bool(self.trouble) and self._trouble.may_retry

    def left(self) -> tuple[str, ...]:
        """What an earlier process left, once; empty if that cannot be read now."""
        if self._is_read or not self._trouble.may_retry:
            return ()
        try:
            found = self.read()
        except MemoryFileError as error:
            self._trouble.failed(error)
            return ()
        self._is_read = True
        self._trouble.read(unwritten=False)
        return found

    def catch_up(self, utterance_ids: Iterable[str]) -> None:
        """`write`, unless that failed just now. Nothing is written before `left` was read: it would be lost."""
        if not self._is_read or not self._trouble.may_retry:
            return
        try:
            self.write(utterance_ids)
        except MemoryFileError as error:
            self._trouble.failed(error)
        else:
            self._trouble.written()

    def read(self) -> tuple[str, ...]:
        """Those that an earlier process left, oldest first, if they are not forgotten; a damaged file is set aside.

        Raises:
            MemoryFileError: it cannot be read now.
        """
        try:
            with self.reading() as connection:
                if connection is None:
                    return ()
                asked = "SELECT utterance_id FROM in_flight WHERE robot = ? AND heard > ? ORDER BY heard"
                return tuple(row[0] for row in connection.execute(asked, (self._robot, time.time() - FORGOTTEN_AFTER)))
        except MemoryDamagedError:
            self.set_aside()
            return ()

    def write(self, utterance_ids: Iterable[str]) -> None:
        """Let the file have these and no others of this robot; a damaged one is set aside.

        Raises:
            MemoryFileError: it cannot be written now; try again.
        """
        ordered = tuple(utterance_ids)
        wanted = frozenset(ordered)
        if wanted == self._written:
            return
        try:
            self._replace(wanted, ordered)
        except MemoryDamagedError:
            self.set_aside()
            self._replace(wanted, ordered)
        self._written = wanted

    def _replace(self, wanted: frozenset[str], ordered: tuple[str, ...]) -> None:
        with self.writing() as connection:
            found = {row[0] for row in connection.execute("SELECT utterance_id FROM in_flight WHERE robot = ?", (self._robot,))}
            gone, new = found - wanted, [each for each in ordered if each not in found]
            connection.executemany("DELETE FROM in_flight WHERE robot = ? AND utterance_id = ?", [(self._robot, each) for each in gone])
            connection.executemany("INSERT INTO in_flight VALUES (?, ?, ?)", [(self._robot, each, time.time()) for each in new])
