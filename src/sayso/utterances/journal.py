"""The utterances on their way, in an SQLite file, so that the watcher knows after its own death what was lost: see `sayso.state_file`."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from sayso.errors import MemoryDamagedError
from sayso.state_file import FileFormat, StateFile

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
    """The utterances of one robot that have not ended."""

    def __init__(self, path: Path, robot: str) -> None:
        super().__init__(path, FORMAT)
        self._robot = robot
        self._written: frozenset[str] | None = None  # None: unknown

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
        """Let the file have these and no others of this robot.

        Raises:
            MemoryFileError: it cannot be written now; try again.
        """
        ordered = tuple(utterance_ids)
        wanted = frozenset(ordered)
        if wanted == self._written:
            return
        with self.writing() as connection:
            found = {row[0] for row in connection.execute("SELECT utterance_id FROM in_flight WHERE robot = ?", (self._robot,))}
            gone, new = found - wanted, [each for each in ordered if each not in found]
            connection.executemany("DELETE FROM in_flight WHERE robot = ? AND utterance_id = ?", [(self._robot, each) for each in gone])
            connection.executemany("INSERT INTO in_flight VALUES (?, ?, ?)", [(self._robot, each, time.time()) for each in new])
        self._written = wanted
