"""A memory or an agenda from elsewhere is refused in one line, whatever its tables are and hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from kept_state import RULE, SAID, TASK
from limited import only
from sayso import state_file
from sayso.agenda.entries import DeferredTask, Observable
from sayso.agenda.file import AgendaFile
from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.selection.memory.memory_file import MemoryFile
from sayso.types import Action

COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
MEMORY_VIEW = (
    f"CREATE VIEW confirmed AS {COUNT} 1.5 AS time, 'home' AS home, 'u' || i AS utterance_id, 0 AS clause, 'bring' AS action, "
    "'{}' AS arguments, 'chosen' AS how, '{}' AS expected, '' AS room, '' AS time_of_day, '' AS speaker, '' AS after, '' AS hand, "
    "i AS id FROM n"
)
AGENDA_VIEW = f"CREATE VIEW entries AS {COUNT} 'home' AS home, i AS id, 'task' AS kind, 1 AS open, '{{}}' AS entry FROM n"
HUGE = "CREATE TABLE {0}(home TEXT, id INTEGER, kind TEXT, open INTEGER, entry TEXT AS (hex(zeroblob(400000000))))"


def memory(path: Path) -> MemoryFile:
    file = MemoryFile(path, 0.05)
    file.write([SAID])
    return file


def agenda(path: Path) -> AgendaFile:
    file = AgendaFile(path, 0.05)
    file.write("home", [TASK, RULE])
    return file


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            database.execute(statement)


READERS: dict[str, tuple[Callable[[Path], object], Callable[[Path], object], str]] = {
    "memory": (memory, lambda path: MemoryFile(path, 0.05).read(), "confirmed"),
    "agenda": (agenda, lambda path: AgendaFile(path, 0.05).read("home"), "entries"),
}
STRANGE = {
    "a view without end": ("DROP TABLE {0}", "VIEW"),
    "a computed column": ("DROP TABLE {0}", HUGE),
    "a second view": ("CREATE VIEW more AS SELECT 1",),
    "a trigger": ("CREATE TRIGGER t AFTER INSERT ON {0} BEGIN DELETE FROM {0}; END",),
    "another column": ("ALTER TABLE {0} ADD COLUMN more TEXT",),
    "no table": ("DROP TABLE {0}",),
}


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("reader", READERS)
def test_a_file_with_tables_of_another_form_is_refused_at_once(tmp_path: Path, reader: str, strange: str) -> None:
    make, read, table = READERS[reader]
    path = tmp_path / "state.sqlite"
    make(path)
    view = MEMORY_VIEW if reader == "memory" else AGENDA_VIEW
    change(path, *((view if one == "VIEW" else one.format(table)) for one in STRANGE[strange]))
    outcome = only(lambda _: read(path), b"")
    assert (outcome.kind, "is damaged" in outcome.said) == ("refused", True), outcome


@pytest.mark.parametrize("reader", READERS)
def test_a_huge_file_is_refused(tmp_path: Path, reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, read, _ = READERS[reader]
    make(tmp_path / "state.sqlite")
    monkeypatch.setattr(state_file, "LARGEST", 1_000)
    with pytest.raises(MemoryDamagedError, match="it has more than"):
        read(tmp_path / "state.sqlite")


VALUES = ("NULL", "1e999", "-1e999", "'x'", "x'ff'", "9223372036854775807", "''", "'[]'", "'null'", "'{\"a\": 1e999}'", "'{\"a\": [1]}'")
DEEP = "'" + "[" * 100_000 + "'"


@pytest.mark.parametrize("value", [*VALUES, DEEP], ids=lambda value: value[:12])
@pytest.mark.parametrize("column", ["time", "home", "utterance_id", "clause", "action", "arguments", "how", "expected", "room", "hand"])
def test_a_row_of_the_memory_with_strange_values_is_read_or_refused(tmp_path: Path, column: str, value: str) -> None:
    path = tmp_path / "memory.sqlite"
    file = memory(path)
    try:
        change(path, f"UPDATE confirmed SET {column} = {value}")
    except sqlite3.IntegrityError:
        return
    try:
        (event,) = file.read()
    except MemoryFileError:
        return
    assert isinstance(event.time, float | int)
    assert all(isinstance(text, str) for text in (event.home, event.utterance_id, event.action.name, str(event.action)))
    assert all(0.0 <= share <= 1.0 for share in event.expected.values())


texts = st.text(max_size=20)
arguments = st.lists(st.tuples(texts, texts), max_size=3).map(tuple)
observables = st.builds(Observable, st.sampled_from(["seen", "idle", "before"]), texts, texts, st.booleans(), st.booleans(), texts)
actions = st.lists(st.builds(Action, texts, arguments), min_size=1, max_size=3).map(tuple)
tasks = st.builds(
    DeferredTask,
    id=st.integers(1, 10**9).map(str),
    utterance_id=texts,
    text=texts,
    what=texts,
    actions=actions,
    created=st.floats(0, 1e10),
    due=st.floats(allow_nan=False),
    clock=st.sampled_from(["ros", "wall"]),
    period=st.floats(0, 1e9),
    until=st.floats(allow_nan=False),
    trigger=st.none() | observables,
    guards=st.lists(observables, max_size=2).map(tuple),
    permitted=st.lists(texts, max_size=2).map(tuple),
)


@examples(40)
@given(task=tasks, until=st.floats(allow_nan=False), ends=st.none() | observables)
def test_what_the_agenda_wrote_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, task: DeferredTask, until: float, ends: Observable | None
) -> None:
    file = AgendaFile(tmp_path_factory.mktemp("agenda") / "agenda.sqlite")
    rule = replace(RULE, id=str(int(task.id) + 1), until=until, ends=ends)
    file.write("home", [task, rule])
    assert file.read("home") == [task, rule]


@pytest.mark.parametrize(
    "entry",
    ["", "{", "[]", "null", "1", "[" * 100_000, '{"id": 1}', "{}", '{"id": "x", "actions": []}', "9" * 10_000],
    ids=lambda entry: entry[:10],
)
def test_an_entry_of_the_agenda_with_strange_values_is_refused(tmp_path: Path, entry: str) -> None:
    file = agenda(tmp_path / "agenda.sqlite")
    change(tmp_path / "agenda.sqlite", f"UPDATE entries SET entry = '{entry}'")
    with pytest.raises(MemoryDamagedError, match="a task holds invalid values"):
        file.read("home")
