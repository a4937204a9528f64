"""Tasks and rules in an SQLite file: see `sayso.state_file` for its safety."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from pydantic import TypeAdapter

from sayso.agenda.entries import DeferredTask, StandingRule
from sayso.state_file import FileFormat, StateFile

VERSION = 1  # of the tables
ENVIRONMENT = "SAYSO_AGENDA"  # path of the user's file; empty: no file
ALL = "all"  # instead of an id: every open entry
_TASK, _RULE = TypeAdapter(DeferredTask), TypeAdapter(StandingRule)
MOST = 10_000  # entries of a home that are read
KEPT = 100  # tasks and rules of a home that are over, the newest, for the list
TABLES = (
    """CREATE TABLE entries (
  home TEXT NOT NULL,           -- name of its domain
  id INTEGER NOT NULL,
  kind TEXT NOT NULL,           -- task or rule
  open INTEGER NOT NULL,        -- 1: still to be done, or in force
  entry TEXT NOT NULL,          -- JSON object: the fields of DeferredTask or StandingRule
  PRIMARY KEY (home, id)
)""",
)
FORMAT = FileFormat(b"Sayt", VERSION, TABLES, "agenda", ENVIRONMENT, "agenda.sqlite")
Entry = DeferredTask | StandingRule


def users_agenda() -> Path | None:
    """The user's file: $SAYSO_AGENDA, else agenda.sqlite in the XDG state folder; None if the variable is set but empty."""
    return FORMAT.users_file()


def agenda_named(name: str, simulated: bool, namespace: str = "") -> Path | None:
    """The file that a parameter names; "auto" is the user's own, one for each robot (by its ROS namespace), and none in a simulation."""
    path, robot = FORMAT.named(name, simulated), namespace.strip("/").replace("/", "-")
    return path.with_name(f"{path.stem}-{robot}{path.suffix}") if path and robot and name == "auto" else path


class AgendaFile(StateFile):
    """A file of tasks and rules, created on the first write."""

    def __init__(self, path: Path, patience: float = 1.0) -> None:
        """`patience` is the time to wait for another process's lock, s."""
        super().__init__(path, FORMAT, patience)

    def take_back(self, home: str, which: str, reason: str) -> list[Entry]:
        """Take back the open entry of that id, or "all", and return what was taken back; raises as `read`."""
        found = [entry for entry in self.read(home) if entry.open and which in (ALL, entry.id)]
        changed: list[Entry] = [replace(entry, state="taken back", reason=reason) for entry in found]
        if changed:
            self.write(home, changed)
        return found

    def homes(self) -> list[str]:
        """The homes that have entries; raises as `read`."""
        with self.reading() as connection:
            rows = [] if connection is None else connection.execute("SELECT DISTINCT home FROM entries ORDER BY home").fetchall()
        return [str(home) for (home,) in rows]

    def read(self, home: str) -> list[Entry]:
        """All entries of that home, oldest first; none if there is no file.

        Raises:
            MemoryDamagedError: the file is damaged: `set_aside` it.
            MemoryFileError: it cannot be read now, or is not ours.
        """
        with self.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute("SELECT kind, entry FROM entries WHERE home = ? ORDER BY id LIMIT ?", (home, MOST))
            return [_entry(kind, text) for kind, text in rows]

    def write(self, home: str, entries: Iterable[Entry]) -> None:
        """Add these entries, or replace those with the same ids, in one transaction.

        Raises:
            MemoryDamagedError, MemoryFileError: as `read`; nothing was written.
        """
        rows = [(home, int(entry.id), _kind(entry), int(entry.open), _as_json(entry)) for entry in entries]
        with self.writing() as connection:
            connection.executemany("INSERT OR REPLACE INTO entries (home, id, kind, open, entry) VALUES (?, ?, ?, ?, ?)", rows)
            old = "SELECT id FROM entries WHERE home = ? AND open = 0 ORDER BY id DESC LIMIT -1 OFFSET ?"
            connection.execute(f"DELETE FROM entries WHERE home = ? AND id IN ({old})", (home, home, KEPT))  # noqa: S608 - constants only


def _kind(entry: Entry) -> str:
    return "task" if isinstance(entry, DeferredTask) else "rule"


def _as_json(entry: Entry) -> str:
    return json.dumps(asdict(entry), ensure_ascii=False)


def _entry(kind: str, text: str) -> Entry:
    try:
        entry = _TASK.validate_json(text) if kind == "task" else _RULE.validate_json(text)
        times = (entry.due, entry.until, entry.period) if isinstance(entry, DeferredTask) else (entry.until,)
        if not entry.id.isdecimal() or len(entry.id) > 18 or not math.isfinite(entry.created) or any(map(math.isnan, times)):
            raise ValueError(entry.id)
        if isinstance(entry, DeferredTask) and (not entry.actions or not 0.0 <= entry.period < math.inf):
            raise ValueError(entry.what)
    except (ValueError, TypeError):
        raise sqlite3.DatabaseError(f"a {str(kind)[:10]} holds invalid values") from None
    return entry
