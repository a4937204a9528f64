"""Confirmed commands in an SQLite file. A crash, a full disk or another process causes an error with a remedy, never a loss.

Each operation is one short transaction on its own connection: no lock outlives it, and a file that was moved, erased or restored in
between causes no surprise. Write-ahead logging (WAL) lets readers and one writer work side by side. Every commit is synced (FULL), so
that confirmed commands survive a power cut; confirmations are minutes apart, so this costs little.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.selection.situation import Situation
from sayso.types import Action

How = Literal["confirmed", "chosen", "corrected"]
VERSION = 1  # of the schema
APPLICATION = int.from_bytes(b"Says", "big")  # PRAGMA application_id, marks our files
MOST = 10_000  # rows to keep, the newest; about 3 MB
ENVIRONMENT = "SAYSO_MEMORY"  # path of the user's file; empty: no file
SCHEMA = (
    """CREATE TABLE confirmed (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time REAL NOT NULL,           -- s since 1970, wall clock
  home TEXT NOT NULL,           -- name of its domain
  utterance_id TEXT NOT NULL,
  clause INTEGER NOT NULL,      -- of the utterance
  action TEXT NOT NULL,
  arguments TEXT NOT NULL,      -- JSON object: role to value
  how TEXT NOT NULL,            -- confirmed, chosen or corrected
  expected TEXT NOT NULL,       -- JSON object: name of an action to how probable it was before the answer
  room TEXT NOT NULL, time_of_day TEXT NOT NULL, speaker TEXT NOT NULL, after TEXT NOT NULL, hand TEXT NOT NULL,
  UNIQUE (utterance_id, clause) -- the last word counts
)""",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)
COLUMNS = "time, home, utterance_id, clause, action, arguments, how, expected, room, time_of_day, speaker, after, hand"
SELECT = f"SELECT {COLUMNS}, id FROM confirmed ORDER BY id"  # noqa: S608 - built from constants only
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


def users_memory() -> Path | None:
    """The user's file: $SAYSO_MEMORY, else memory.sqlite in the XDG state folder; None if the variable is set but empty."""
    if ENVIRONMENT in os.environ:
        named = os.environ[ENVIRONMENT].strip()
        return Path(named).expanduser() if named else None
    from platformdirs import user_state_path

    return user_state_path("sayso") / "memory.sqlite"


def memory_named(name: str, simulated: bool) -> Path | None:
    """The file that a parameter names: "auto" is the user's own, or none in a simulation or replay, where there are no real habits."""
    if name == "auto":
        return None if simulated else users_memory()
    return Path(name).expanduser() if name else None


class MemoryFile:
    """A file of confirmed commands, created on the first write."""

    def __init__(self, path: Path, patience: float = 1.0) -> None:
        """`patience` is the time to wait for another process's lock, s."""
        self.path = path
        self._patience = patience

    def read(self) -> list[ConfirmedAction]:
        """All commands, oldest first; none if there is no file.

        Raises:
            MemoryDamagedError: the file is damaged: `set_aside` it.
            MemoryFileError: it cannot be read now, or is not ours.
        """
        if not self.path.is_file() or not self.path.stat().st_size:
            return []
        with self._open("read") as connection:
            if not _version(connection):
                return []  # another process is creating it
            return [_event(row) for row in connection.execute(SELECT)]

    def write(self, events: Sequence[ConfirmedAction], taken_back: Collection[tuple[str, int]] = ()) -> None:
        """Apply all changes in one transaction. An event replaces an earlier one for the same utterance and clause.

        Args:
            events: to be added.
            taken_back: utterances and clauses to be deleted.

        Raises:
            MemoryDamagedError, MemoryFileError: as `read`; nothing was written.
        """
        self._create()
        with self._open("written") as connection, connection:
            connection.execute("BEGIN IMMEDIATE")  # before reading the version: two processes may create the file at once
            if not _version(connection):
                for statement in SCHEMA:
                    connection.execute(statement)
            connection.executemany("DELETE FROM confirmed WHERE utterance_id = ? AND clause = ?", taken_back)
            connection.executemany(INSERT, map(_row, events))
            connection.execute("DELETE FROM confirmed WHERE id <= (SELECT max(id) FROM confirmed) - ?", (MOST,))

    def forget(self, ids: Sequence[int]) -> int:
        """Erase these rows for good, overwriting their bytes in the file and in its log, and return how many there were.

        Raises:
            MemoryDamagedError, MemoryFileError: as `read`; nothing was erased.
        """
        with self._open("written") as connection:
            connection.execute("PRAGMA secure_delete = ON")
            with connection:
                erased = sum(connection.execute("DELETE FROM confirmed WHERE id = ?", (number,)).rowcount for number in ids)
            connection.execute("VACUUM")
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise MemoryFileError(f"{self.path}: erased, but another process still holds old pages in {self.path}-wal; try again")
        return erased

    def set_aside(self) -> Path:
        """Rename a damaged file, so that a new one can be created and this one can be examined.

        Raises:
            MemoryFileError: it cannot be renamed.
        """
        base = f"{self.path.name}.corrupt-{datetime.now().astimezone():%Y%m%d-%H%M%S}"
        aside = next(name for name in _numbered(self.path.with_name(base)) if not name.exists())
        try:
            for tail in ("-wal", "-shm"):  # its log, which must not be applied to the new file
                with suppress(FileNotFoundError):
                    self.path.with_name(self.path.name + tail).rename(f"{aside}{tail}")
            self.path.rename(aside)
        except OSError as error:
            raise MemoryFileError(f"{self.path} is damaged and cannot be set aside ({error.strerror}): move it away") from None
        return aside

    def signature(self) -> tuple[tuple[int, int, int], ...]:
        """Changes whenever any process has written to the file or its log."""
        found = []
        for tail in ("", "-wal"):
            with suppress(OSError):
                status = self.path.with_name(self.path.name + tail).stat()
                if status.st_size:
                    found.append((status.st_ino, status.st_mtime_ns, status.st_size))
        return tuple(found)

    def _create(self) -> None:
        """Create the empty file, readable by its owner only, for privacy."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise MemoryFileError(f"{self.path} cannot be written ({error.strerror}): {REMEDY}") from None

    @contextmanager
    def _open(self, doing: Literal["read", "written"]) -> Iterator[sqlite3.Connection]:
        uri = self.path.absolute().as_uri()
        if doing == "read" and not os.access(self.path.parent, os.W_OK):
            uri += "?immutable=1"  # in a read-only folder SQLite cannot open the log, and no one can write
        connection = None
        try:
            connection = sqlite3.connect(uri, timeout=self._patience, isolation_level="IMMEDIATE", uri=True)
            self._check(connection)
            if doing == "written":
                self._enable_wal(connection)
                connection.execute("PRAGMA synchronous = FULL")
            yield connection
        except sqlite3.OperationalError as error:
            raise MemoryFileError(f"{self.path} cannot be {doing} ({error}): {_remedy(str(error))}") from None
        except sqlite3.DatabaseError as error:
            raise MemoryDamagedError(f"{self.path} is damaged ({error})") from None
        finally:
            if connection is not None:
                connection.close()

    def _check(self, connection: sqlite3.Connection) -> None:
        """Raise unless the file is ours, of a known version and intact, or empty."""
        connection.execute("BEGIN")  # one transaction, so that we see a concurrent creation completely or not at all
        with connection:
            version = _version(connection)
            ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION
            if not ours and (version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]):
                raise MemoryFileError(f"{self.path} belongs to another program: name another file (parameter memory, or ${ENVIRONMENT})")
            if version > VERSION:
                raise MemoryFileError(
                    f"{self.path} is from a newer Sayso (version {version}; this one reads {VERSION}): update Sayso, or name another file"
                )
            if (result := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(str(result).splitlines()[-1])

    def _enable_wal(self, connection: sqlite3.Connection) -> None:
        """Enable write-ahead logging. SQLite ignores its time-out for this statement, hence the loop."""
        until = time.monotonic() + self._patience
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if not _is_locked(str(error)) or time.monotonic() >= until:
                    raise
                time.sleep(0.01)
            else:
                return


REMEDY = f"name another file (parameter memory, or ${ENVIRONMENT}), or fix the folder's permissions"


def _version(connection: sqlite3.Connection) -> int:
    """Version of the schema; 0 if there is none yet."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _remedy(error: str) -> str:
    if _is_locked(error):
        return "another process has locked it; stop that process, or wait"
    if "full" in error or "I/O" in error:
        return "is there room on the disk?"
    return REMEDY


def _is_locked(error: str) -> bool:
    return "locked" in error or "busy" in error


def _numbered(path: Path) -> Iterator[Path]:
    yield path
    number = 2
    while True:
        yield path.with_name(f"{path.name}-{number}")
        number += 1


def _row(event: ConfirmedAction) -> tuple[object, ...]:
    arguments = json.dumps(dict(event.action.arguments), ensure_ascii=False)
    known = (event.time, event.home, event.utterance_id, event.clause, event.action.name, arguments, event.how, json.dumps(event.expected))
    return *known, *(value for _, value in event.situation.features())


def _event(row: tuple[Any, ...]) -> ConfirmedAction:
    when, home, utterance_id, clause, name, arguments, how, expected, *situation, number = row
    try:
        if how not in get_args(How):
            raise ValueError(how)
        action = Action(name, tuple(sorted(json.loads(arguments).items())))
        shares = {str(other): float(share) for other, share in json.loads(expected).items()}
    except (ValueError, TypeError, AttributeError):
        raise sqlite3.DatabaseError(f"row {number} holds invalid values") from None
    return ConfirmedAction(when, home, utterance_id, clause, action, how, Situation(*situation), shares, number)
