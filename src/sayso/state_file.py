"""SQLite files that outlive a run: the memory and the agenda. A crash, a full disk or another process causes an error with a remedy,
never a loss.

Each operation is one short transaction on its own connection: no lock outlives it, and a file that was moved, erased or restored in
between causes no surprise. Write-ahead logging (WAL) lets readers and one writer work side by side. Every commit is synced (FULL), so
that it survives a power cut; writes are minutes apart, so this costs little.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from sayso.errors import MemoryDamagedError, MemoryFileError

LARGEST = 30_000_000  # bytes; 10,000 confirmed commands take 3 MB
LONGEST = 20.0  # s for one operation; it takes milliseconds
SHARED_MEMORY = 65_536  # bytes; SQLite needs 32 KiB beside a file to read it
RETRY_AFTER = 10.0  # s before a file that could not be read or written is tried again


@dataclass(frozen=True, slots=True)
class FileFormat:
    """What one kind of file contains, and how a user names another file."""

    application: bytes  # four letters; PRAGMA application_id, marks our files
    version: int  # of the tables
    tables: tuple[str, ...]  # statements that create them
    parameter: str  # of the node that opens it
    environment: str  # variable with the path of the user's file; empty: no file
    name: str  # of the user's file in the state folder
    tables_before: tuple[int, ...] = ()  # how many of the tables versions 1, 2, … before this one have: each adds some at the end

    @property
    def application_id(self) -> int:
        """`application` as SQLite stores it."""
        return int.from_bytes(self.application, "big")

    def tables_of(self, version: int) -> tuple[str, ...]:
        """The tables of a file of that version: none of 0, which is a new file."""
        return self.tables[: (0, *self.tables_before, len(self.tables))[max(0, version)]]

    @property
    def another(self) -> str:
        """How to name another file."""
        return f"name another file (parameter {self.parameter}, or ${self.environment})"

    def users_file(self) -> Path | None:
        """The user's file: the variable's, else the one in the XDG state folder; None if the variable is set but empty."""
        if self.environment in os.environ:
            named = os.environ[self.environment].strip()
            return Path(named).expanduser() if named else None
        from platformdirs import user_state_path

        return user_state_path("sayso") / self.name

    def named(self, name: str, simulated: bool) -> Path | None:
        """The file that a parameter names: "auto" is the user's own, or none in a simulation or replay."""
        if name == "auto":
            return None if simulated else self.users_file()
        return Path(name).expanduser() if name else None


class StateFile:
    """A file of that format, created on the first write."""

    def __init__(self, path: Path, file_format: FileFormat, patience: float = 1.0) -> None:
        """`patience` is the time to wait for another process's lock, s."""
        self.path = path
        self._format = file_format
        self._patience = patience

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection to read from; None if there is no file yet, or another process is creating it.

        Raises:
            MemoryDamagedError: the file is damaged: `set_aside` it.
            MemoryFileError: it cannot be read now, or is not ours.
        """
        if not self.path.is_file() or not self.path.stat().st_size:
            yield None
            return
        with self._open("read") as connection:
            yield connection if _version(connection) else None

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection in one transaction, committed at the end of the block; creates the file, and the tables that it lacks.

        Raises:
            MemoryDamagedError, MemoryFileError: as `reading`; nothing was written.
        """
        self._create()
        with self._open("written") as connection, connection:
            connection.execute("BEGIN IMMEDIATE")  # before reading the version: two processes may create the file at once
            version = _version(connection)
            if version < self._format.version:  # a new file, or one of an older Sayso
                pragmas = (f"PRAGMA application_id = {self._format.application_id}", f"PRAGMA user_version = {self._format.version}")
                for statement in (*self._format.tables[len(self._format.tables_of(version)) :], *pragmas):
                    connection.execute(statement)
            yield connection

    @contextmanager
    def erasing(self) -> Iterator[sqlite3.Connection]:
        """A connection in one transaction whose deletions overwrite the bytes in the file and in its log.

        Raises:
            MemoryDamagedError, MemoryFileError: as `reading`; nothing was erased.
        """
        with self._open("written") as connection:
            connection.execute("PRAGMA secure_delete = ON")
            with connection:
                yield connection
            connection.execute("VACUUM")
            busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise MemoryFileError(f"{self.path}: erased, but another process still holds old pages in {self.path}-wal; try again")

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
            raise MemoryFileError(f"{self.path} cannot be written ({error.strerror}): {self._permissions()}") from None

    @contextmanager
    def _open(self, doing: Literal["read", "written"]) -> Iterator[sqlite3.Connection]:
        uri = self.path.absolute().as_uri()
        if doing == "read" and (not os.access(self.path.parent, os.W_OK) or self._lacks_room()):
            uri += "?immutable=1"  # in a read-only folder or on a full disk SQLite cannot open the log, and no one can write
        connection = None
        try:
            if self.path.stat().st_size > LARGEST:
                raise sqlite3.DatabaseError(f"it has more than {LARGEST // 1_000_000} MB")
            connection = sqlite3.connect(uri, timeout=self._patience, isolation_level="IMMEDIATE", uri=True)
            until = time.monotonic() + LONGEST + self._patience
            connection.set_progress_handler(lambda: time.monotonic() > until, 100_000)
            self._check(connection)
            if doing == "written":
                self._enable_wal(connection)
                connection.execute("PRAGMA synchronous = FULL")
            yield connection
        except sqlite3.OperationalError as error:
            raise MemoryFileError(f"{self.path} cannot be {doing} ({error}): {self._remedy(str(error))}") from None
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise MemoryDamagedError(f"{self.path} is damaged ({error})") from None
        finally:
            if connection is not None:
                connection.close()

    def _lacks_room(self) -> bool:
        """Whether the disk is too full for SQLite's shared memory, and the log holds nothing that must be read too."""
        log = self.path.with_name(f"{self.path.name}-wal")
        return shutil.disk_usage(self.path.parent).free < SHARED_MEMORY and not (log.exists() and log.stat().st_size)

    def _check(self, connection: sqlite3.Connection) -> None:
        """Raise unless the file is ours, of a known version and intact, or empty."""
        known = self._format.version
        connection.execute("BEGIN")  # one transaction, so that we see a concurrent creation completely or not at all
        with connection:
            version = _version(connection)
            ours = connection.execute("PRAGMA application_id").fetchone()[0] == self._format.application_id
            if not ours and (version or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]):
                raise MemoryFileError(f"{self.path} belongs to another program: {self._format.another}")
            if version > known:
                raise MemoryFileError(
                    f"{self.path} is from a newer Sayso (version {version}; this one reads {known}): update Sayso, or name another file"
                )
            if version:
                self._refuse_foreign(connection, version)
            if (result := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(str(result).splitlines()[-1])

    def _refuse_foreign(self, connection: sqlite3.Connection, version: int) -> None:
        """Raise unless the file has our tables as we create them: a view of the same name, or a computed column, can run without end."""
        ours = {_normal(statement) for statement in self._format.tables_of(version)}
        rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'").fetchmany(100)
        strange = [f"the {kind} '{str(name)[:40]}'" for kind, name, text in rows if _normal(str(text)) not in ours]
        if strange or len(rows) != len(ours):
            raise sqlite3.DatabaseError(f"{strange[0] if strange else 'a table'} is not as Sayso makes it")

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

    def _permissions(self) -> str:
        return f"{self._format.another}, or fix the folder's permissions"

    def _remedy(self, error: str) -> str:
        if _is_locked(error):
            return "another process has locked it; stop that process, or wait"
        if "interrupted" in error:
            return f"it takes longer than {LONGEST:g} s; move the file away if that happens again"
        if "full" in error or "I/O" in error:
            return "is there room on the disk?"
        return self._permissions()


class FileTrouble:
    """Why a file could not be read or written, and when it may be tried again."""

    def __init__(self) -> None:
        self.reason = ""  # empty if all is well
        self._failed_at = float("-inf")  # s, monotonic time of the last failure

    @property
    def may_retry(self) -> bool:
        """Whether enough time has passed since the last failure."""
        return time.monotonic() - self._failed_at > RETRY_AFTER

    def retry(self) -> None:
        """Let it be tried again at once."""
        self._failed_at = float("-inf")

    def failed(self, error: MemoryFileError) -> None:
        """The file failed just now."""
        self.reason = str(error)
        self._failed_at = time.monotonic()

    def read(self, unwritten: bool) -> None:
        """The file was read; a reason why it could not be written holds until all is written."""
        if not unwritten:
            self.reason = ""
        self.retry()

    def written(self) -> None:
        """Everything was written."""
        self.read(unwritten=False)


def _version(connection: sqlite3.Connection) -> int:
    """Version of the tables; 0 if there are none yet."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _normal(statement: str) -> str:
    """A statement without differences in white space."""
    return " ".join(statement.split())


def _is_locked(error: str) -> bool:
    return "locked" in error or "busy" in error


def _numbered(path: Path) -> Iterator[Path]:
    yield path
    number = 2
    while True:
        yield path.with_name(f"{path.name}-{number}")
        number += 1
