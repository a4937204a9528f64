"""The agenda survives restarts, crashes, locks and damaged files; other processes may take entries back."""

from __future__ import annotations

import math
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budget import examples
from sayso import state_file
from sayso.agenda import Agenda, AgendaFile, DeferredTask, Facts, Now, Observable, StandingRule, agenda_named, users_agenda
from sayso.agenda.book import LATE
from sayso.agenda.times import DAY
from sayso.domain import load_domain
from sayso.errors import MemoryFileError
from sayso.selection.memory.memory_file import MemoryFile
from sayso.types import Action

HOME = load_domain()
START = Now(2e9, 2e9)
PATIENCE = 0.05  # s
KITCHEN = Action("go_to", (("goal", "kitchen"),))
COMES = Observable("seen", "anna", event=True, text="Anna comes")
TASK = DeferredTask("", "u1", "at six …", "go to the kitchen", (KITCHEN,), START.wall, START.ros, due=START.wall + 60.0)
RULE = StandingRule("", "u2", "don't …", "go to the bedroom", "go_to", (("goal", "bedroom"),), START.wall)
FULL = replace(TASK, clock="ros", period=60.0, trigger=COMES, guards=(COMES, replace(COMES, place="x")), permitted=("3",), reason="ä'日")


@pytest.fixture(autouse=True)
def _retry_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "agenda.sqlite"


def opened(path: Path) -> Agenda:
    agenda = Agenda(HOME, path, PATIENCE)
    agenda.stored.refresh()
    return agenda


def later(seconds: float) -> Now:
    return Now(START.ros + seconds, START.wall + seconds)


def test_entries_survive_a_restart_as_they_were(path: Path) -> None:
    agenda = opened(path)
    kept = agenda.add_task(FULL), agenda.add_rule(RULE), agenda.add_task(replace(TASK, due=-math.inf, actions=(KITCHEN, KITCHEN)))
    agenda.stored.catch_up()
    assert not agenda.stored.waiting
    assert opened(path).stored.all() == kept
    assert path.stat().st_mode & 0o077 == 0
    assert opened(path).add_task(TASK).id == "4"


def test_a_task_whose_time_has_come_meanwhile_is_due_or_missed(path: Path) -> None:
    agenda = opened(path)
    for due in (10.0, 10.0 + LATE, 1e6):
        agenda.add_task(replace(TASK, due=START.wall + due))
    agenda.due(later(20.0), Facts())  # the robot goes off while the first one waits until it is free
    agenda.stored.catch_up()
    again = opened(path)
    assert [found.id for found in again.due(later(20.0 + LATE), Facts())] == ["2"]
    assert [(found.id, found.reason) for found in again.missed] == [("1", "the robot was off")]


def test_a_task_that_was_begun_is_not_begun_again(path: Path) -> None:
    agenda = opened(path)
    kept = agenda.add_task(TASK)
    agenda.carry_out(kept, later(60.0))
    agenda.stored.catch_up()
    assert opened(path).due(later(61.0), Facts(idle=True)) == ()


def test_a_repeated_task_goes_on_after_a_restart(path: Path) -> None:
    agenda = opened(path)
    agenda.add_task(replace(TASK, period=DAY))
    agenda.stored.catch_up()
    again = opened(path)
    assert again.due(later(3.5 * DAY), Facts()) == ()
    assert len(again.missed) == 1
    assert again.tasks[0].due == START.wall + 60.0 + 4 * DAY


def test_a_simulated_clock_that_begins_anew_counts_from_there(path: Path) -> None:
    agenda = opened(path)
    agenda.add_task(replace(TASK, clock="ros", created_ros=500.0, due=800.0))
    agenda.stored.catch_up()
    again = opened(path)
    assert again.due(Now(2.0, START.wall + 5.0), Facts()) == ()
    assert again.due(Now(301.0, START.wall + 6.0), Facts()) == ()
    assert len(again.due(Now(302.0, START.wall + 7.0), Facts())) == 1


def test_another_process_takes_an_entry_back(path: Path) -> None:
    agenda = opened(path)
    agenda.add_task(TASK)
    agenda.add_rule(RULE)
    agenda.stored.catch_up()
    (taken,) = AgendaFile(path).take_back(HOME.name, "1", "by hand")
    assert taken.id == "1"
    assert AgendaFile(path).take_back(HOME.name, "1", "by hand") == []
    assert agenda.stored.refresh()
    assert [(entry.state, entry.reason) for entry in agenda.stored.all()] == [("taken back", "by hand"), ("in force", "")]
    assert not agenda.stored.refresh()
    assert agenda.due(later(60.0), Facts()) == ()
    path.unlink()
    assert agenda.stored.refresh()
    assert agenda.stored.all() == ()


def test_homes_do_not_mix(path: Path) -> None:
    agenda, other = opened(path), Agenda(HOME.model_copy(update={"name": "cabin"}), path)
    for each in (agenda, other):
        each.add_task(TASK)
        each.stored.catch_up()
    assert AgendaFile(path).homes() == ["cabin", HOME.name]
    assert len(opened(path).tasks) == 1


def test_a_locked_file_delays_the_writing_only(path: Path) -> None:
    agenda = opened(path)
    agenda.add_task(TASK)
    agenda.stored.catch_up()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        agenda.add_rule(RULE)
        agenda.stored.catch_up()
        assert "another process has locked it" in agenda.stored.trouble
        assert agenda.stored.waiting == 1
        assert agenda.forbids(Action("go_to", (("goal", "bed"),)), START.wall)
    agenda.stored.catch_up()
    assert agenda.stored.trouble == ""
    assert len(opened(path).stored.all()) == 2


@pytest.mark.parametrize("content", [b"not a database at all", b"SQLite format 3\0" + b"x" * 4000])
def test_a_damaged_file_is_set_aside(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    agenda = opened(path)
    assert agenda.stored.set_aside is not None
    assert agenda.stored.set_aside.read_bytes() == content
    assert agenda.stored.set_aside.name.startswith("agenda.sqlite.corrupt-")
    agenda.add_task(TASK)
    agenda.stored.catch_up()
    assert len(opened(path).tasks) == 1


def test_a_file_that_is_damaged_while_the_robot_runs_loses_nothing(path: Path) -> None:
    agenda = opened(path)
    agenda.add_task(TASK)
    agenda.stored.catch_up()
    path.write_bytes(b"overwritten by a careless program")
    agenda.stored.refresh()
    agenda.stored.catch_up()
    assert agenda.stored.set_aside
    assert len(opened(path).tasks) == 1


@pytest.mark.parametrize("text", ["{}", "[]", "7", "not JSON", '{"state": "asleep"}'])
def test_an_entry_with_impossible_values_is_damage(path: Path, text: str) -> None:
    agenda = opened(path)
    agenda.add_task(TASK)
    agenda.stored.catch_up()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE entries SET entry = ?", (text,))
    assert opened(path).stored.set_aside


def test_a_file_of_another_program_stays_as_it_is(path: Path) -> None:
    path.parent.mkdir()
    MemoryFile(path).write([])
    agenda = opened(path)
    assert "belongs to another program: name another file (parameter agenda, or $SAYSO_AGENDA)" in agenda.stored.trouble
    with pytest.raises(MemoryFileError, match="another program"):
        AgendaFile(path).read(HOME.name)


def test_a_folder_without_permission_is_no_reason_to_stop(path: Path) -> None:
    path.parent.mkdir()
    (path.parent / "file").write_text("no folder")
    agenda = opened(path.parent / "file" / "agenda.sqlite")
    agenda.add_task(TASK)
    agenda.stored.catch_up()
    assert "cannot be written" in agenda.stored.trouble
    assert len(agenda.due(later(60.0), Facts())) == 1


WRITER = """
import sys
from pathlib import Path
from sayso.agenda import AgendaFile, DeferredTask
from sayso.types import Action
for number in range(1, 1000):
    AgendaFile(Path(sys.argv[1])).write("home", [DeferredTask(str(number), "u", "", "", (Action("dock"),), 0.0)])
    print(number, flush=True)
"""


def test_a_process_that_is_killed_while_it_writes_loses_nothing_written() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agenda.sqlite"
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        for _ in range(5):
            last = int(writer.stdout.readline())
        time.sleep(0.01)
        os.kill(writer.pid, signal.SIGKILL)
        last = max([last, *map(int, writer.stdout.read().split())])
        writer.wait()
        assert len(AgendaFile(path).read("home")) >= last


WORDS = st.text(max_size=12)
OBSERVABLE = st.builds(Observable, st.sampled_from(["seen", "idle", "before"]), WORDS, WORDS, st.booleans(), st.booleans(), WORDS)
ACTION = st.builds(Action, WORDS, st.lists(st.tuples(WORDS, WORDS), max_size=3).map(tuple))
TASKS = st.builds(
    DeferredTask,
    id=st.just(""),
    utterance_id=WORDS,
    text=WORDS,
    what=WORDS,
    actions=st.lists(ACTION, min_size=1, max_size=3).map(tuple),
    created=st.floats(0, 2e9),
    due=st.floats(0, 2e9) | st.just(-math.inf),
    clock=st.sampled_from(["ros", "wall"]),
    trigger=st.none() | OBSERVABLE,
    guards=st.lists(OBSERVABLE, max_size=2).map(tuple),
)
RULES = st.builds(
    StandingRule,
    id=st.just(""),
    utterance_id=WORDS,
    text=WORDS,
    what=WORDS,
    action=WORDS,
    arguments=st.lists(st.tuples(WORDS, WORDS), max_size=3).map(tuple),
    created=st.floats(0, 2e9),
    until=st.floats(0, 2e9) | st.just(math.inf),
    ends=st.none() | OBSERVABLE,
)


@examples(30)
@given(st.lists(TASKS | RULES, max_size=4))
def test_every_entry_survives_the_file(entries: list[DeferredTask | StandingRule]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        agenda = opened(Path(folder) / "agenda.sqlite")
        for entry in entries:
            agenda.stored.put(replace(entry, id=agenda.stored.new_id()))
        agenda.stored.catch_up()
        assert opened(Path(folder) / "agenda.sqlite").stored.all() == agenda.stored.all()


def test_path_of_the_users_agenda(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert users_agenda() is None  # conftest switches it off
    monkeypatch.setenv("SAYSO_AGENDA", str(tmp_path / "mine.sqlite"))
    assert users_agenda() == tmp_path / "mine.sqlite"
    assert agenda_named("auto", simulated=False, namespace="/robot1") == tmp_path / "mine-robot1.sqlite"
    assert agenda_named("auto", simulated=True) is None
    assert agenda_named("", simulated=False) is None
    assert agenda_named(str(tmp_path / "x"), simulated=True, namespace="/robot1") == tmp_path / "x"
    monkeypatch.delenv("SAYSO_AGENDA")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert users_agenda() == tmp_path / "sayso" / "agenda.sqlite"
