"""Confirmed commands survive crashes, locks, full disks and damaged files, and can be erased for good."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from sayso import state_file
from sayso.domain import load_domain
from sayso.errors import MemoryDamagedError, MemoryFileError
from sayso.memory_format import VERSION, users_memory
from sayso.selection.memory.memory import Memory
from sayso.selection.memory.memory_file import MOST, ConfirmedAction, MemoryFile
from sayso.selection.memory.situation import Situation, situation_of
from sayso.types import Action, Context

HOME = load_domain()
RED, BLUE = (Action("bring", (("recipient", "operator"), ("theme", thing))) for thing in ("red_cup", "blue_cup"))
KITCHEN = Context(stamp=120.0, place="kitchen_table")
PATIENCE = 0.05  # s


@pytest.fixture(autouse=True)
def _retry_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "memory.sqlite"


def remembered(path: Path) -> Memory:
    memory = Memory(HOME, path, PATIENCE)
    memory.refresh()
    return memory


def remember(memory: Memory, *names: str, action: Action = RED) -> None:
    for name in names:
        memory.remember(name, 0, action, situation_of(HOME, KITCHEN), "confirmed")
    memory.catch_up()


def event(name: str, action: Action = RED, clause: int = 0) -> ConfirmedAction:
    return ConfirmedAction(
        1.5, HOME.name, name, clause, action, "chosen", Situation("kitchen", "", "anna", "find", "full"), {"bring": 0.75}
    )


def utterances(path: Path) -> list[str]:
    return [each.utterance_id for each in MemoryFile(path).read()]


def p_red(memory: Memory) -> float:
    return float(memory(np.array([0.5, 0.5]), (RED, BLUE), KITCHEN)[0])


def test_confirmed_commands_survive_a_restart(path: Path) -> None:
    before = remembered(path)
    assert p_red(before) == 0.5
    remember(before, "a", "b", "c")
    after = remembered(path)
    assert len(after) == 3
    assert p_red(after) == p_red(before) > 0.8
    assert not after.trouble
    assert list(path.parent.iterdir()) == [path]  # no log, no lock
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_every_field_is_restored(path: Path) -> None:
    MemoryFile(path).write([event("a"), event("a", Action("wait"), 1)])
    one, other = MemoryFile(path).read()
    assert (one.id, other.id) == (1, 2)
    assert one == ConfirmedAction(1.5, "home", "a", 0, RED, "chosen", Situation("kitchen", "", "anna", "find", "full"), {"bring": 0.75}, 1)
    assert other.action == Action("wait")


def test_without_a_file_the_memory_lasts_as_long_as_the_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    memory = Memory(HOME, None)
    remember(memory, "a", "b")
    assert p_red(memory) > 0.7
    assert (len(memory), memory.waiting, memory.trouble) == (2, 0, "")
    assert not list(tmp_path.iterdir())


def test_only_the_last_action_of_an_utterance_counts(path: Path) -> None:
    memory = remembered(path)
    remember(memory, "a", "a", "a")
    once = p_red(memory)
    assert len(memory) == 1
    remember(memory, "a", action=BLUE)  # "no, the blue one"
    assert p_red(memory) == pytest.approx(1.0 - once)
    assert p_red(remembered(path)) == p_red(memory)


def test_taken_back_commands_leave_the_file(path: Path) -> None:
    memory = remembered(path)
    remember(memory, "a", "b")
    memory.remember("b", 1, BLUE, Situation(), "chosen")
    memory.take_back("a")
    memory.take_back("b", 1)
    memory.take_back("never heard of")
    assert len(memory) == 1
    memory.catch_up()
    assert utterances(path) == ["b"]
    assert p_red(memory) == p_red(remembered(path)) > 0.7


def test_each_home_has_its_own_habits(path: Path) -> None:
    remember(remembered(path), "a", "b")
    other = Memory(HOME.model_copy(update={"name": "office"}), path)
    other.refresh()
    assert p_red(other) == 0.5
    remember(other, "c")
    assert utterances(path) == ["a", "b", "c"]


def test_keeps_the_newest_rows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso.selection.memory.memory_file.MOST", 3)
    for number in range(5):
        MemoryFile(path).write([event(str(number))])
    assert utterances(path) == ["2", "3", "4"]
    assert MOST == 10_000


@contextmanager
def locked(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


def test_a_locked_file_is_written_later(path: Path) -> None:
    memory = remembered(path)
    remember(memory, "a")
    with locked(path):
        remember(memory, "b", "c")
        assert "another process has locked it" in memory.trouble
        assert (len(memory), memory.waiting) == (3, 2)
        assert p_red(memory) > 0.8  # counts although it is not written
    assert utterances(path) == ["a"]
    memory.catch_up()
    assert (memory.trouble, memory.waiting) == ("", 0)
    assert utterances(path) == ["a", "b", "c"]


def test_a_file_that_is_locked_at_the_start_is_read_later(path: Path) -> None:
    remember(remembered(path), "a", "b")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")  # another program may leave this mode, in which a lock also blocks readers
        with locked(path):
            memory = remembered(path)
            assert len(memory) == 0
            assert "another process has locked it" in memory.trouble
            remember(memory, "c")
    memory.catch_up()
    assert len(memory) == 3
    assert not memory.trouble
    assert utterances(path) == ["a", "b", "c"]


def test_does_not_retry_at_every_command_after_a_failure(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = remembered(path)
    remember(memory, "a")
    with locked(path):
        remember(memory, "b")
    monkeypatch.setattr(state_file, "RETRY_AFTER", 60.0)
    memory.catch_up()
    assert memory.waiting == 1
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.0)
    memory.catch_up()
    assert memory.waiting == 0


FIRST = "import sys\nfrom test_memory import *\nstate_file.RETRY_AFTER = 0.0\npath = Path(sys.argv[1])\n"


def run(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run the code in a separate process, with this module's names and `path`."""
    command = [sys.executable, "-c", FIRST + code, str(path)]
    return subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, timeout=60, check=False)


def test_a_full_disk_loses_nothing(path: Path) -> None:
    remember(remembered(path), "a")
    code = """
import resource
memory = remembered(path)
limit = path.stat().st_size // 2
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
remember(memory, "b", "c")
print(memory.trouble)
print(memory.waiting, len(memory), p_red(memory) > 0.8)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(utterances(path))
memory.catch_up()
print(memory.waiting, repr(memory.trouble))
"""
    done = run(code, path)
    trouble, *rest = done.stdout.splitlines()
    assert "is there room on the disk?" in trouble, done.stderr
    assert rest == ["2 3 True", "['a']", "0 ''"]
    assert utterances(path) == ["a", "b", "c"]


def rubbish(path: Path) -> None:
    path.write_bytes(b"not a database\n" * 100)


def cut(path: Path) -> None:
    os.truncate(path, 5000)


def overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)


def nonsense(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE confirmed SET arguments = '[1'")


@pytest.mark.parametrize("damage", [rubbish, cut, overwritten, nonsense])
def test_a_damaged_file_is_set_aside_and_a_new_one_created(path: Path, damage: object) -> None:
    MemoryFile(path).write([event(str(number)) for number in range(100)])
    damage(path)  # type: ignore[operator]
    damaged = path.read_bytes()
    with pytest.raises(MemoryDamagedError, match="is damaged"):
        MemoryFile(path).read()
    memory = remembered(path)
    assert memory.set_aside is not None
    assert memory.set_aside.name.startswith("memory.sqlite.corrupt-")
    assert memory.set_aside.read_bytes() == damaged
    assert len(memory) == 0
    remember(memory, "new")
    assert utterances(path) == ["new"]
    assert not memory.trouble


def test_a_file_damaged_at_run_time_is_rewritten(path: Path) -> None:
    memory = remembered(path)
    remember(memory, "a", "b")
    rubbish(path)
    remember(memory, "c")
    assert utterances(path) == ["a", "b", "c"]
    first = memory.set_aside
    rubbish(path)
    memory.refresh()  # this time, reading detects the damage
    memory.catch_up()
    assert utterances(path) == ["a", "b", "c"]
    assert first != memory.set_aside
    assert len(list(path.parent.glob("*.corrupt-*"))) == 2


def test_a_file_of_a_newer_version_is_not_touched(path: Path) -> None:
    remember(remembered(path), "a")
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    memory = remembered(path)
    assert "from a newer Sayso" in memory.trouble
    remember(memory, "b")
    assert "update Sayso" in memory.trouble
    assert (len(memory), memory.waiting) == (1, 1)
    assert path.read_bytes() == before


def test_another_programs_database_is_not_touched(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    before = path.read_bytes()
    memory = remembered(path)
    remember(memory, "a")
    assert "belongs to another program" in memory.trouble
    assert path.read_bytes() == before


def test_a_read_only_folder_is_reported_and_its_file_read() -> None:
    code = """
if os.geteuid() == 0:
    os.setuid(65534)  # root ignores permissions
memory = remembered(path)
print(len(memory), memory.trouble)
remember(memory, "c")
print(memory.waiting, memory.trouble)
other = remembered(path.parent / "deeper" / "memory.sqlite")
remember(other, "d")
print(other.waiting, other.trouble)
"""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.sqlite"
        remember(remembered(path), "a", "b")
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        done = run(code, path)
        Path(folder).chmod(0o755)
        assert utterances(path) == ["a", "b"]
    lines = done.stdout.splitlines()
    assert lines[0] == "2 ", done.stderr
    assert all(line.startswith("1 ") for line in lines[1:])
    assert all("cannot be written" in line and "fix the folder's permissions" in line for line in lines[1:])


def test_written_commands_survive_sigkill(path: Path) -> None:
    code = """
memory = remembered(path)
for number in range(1000):
    remember(memory, str(number))
    print(number, memory.waiting, flush=True)
"""
    command = [sys.executable, "-c", FIRST + code, str(path)]
    with subprocess.Popen(command, cwd=Path(__file__).parent, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = []
        for line in writer.stdout:
            acknowledged.append(line.split())
            if len(acknowledged) == 12:
                writer.send_signal(signal.SIGKILL)  # while it writes the next one
    assert writer.returncode == -signal.SIGKILL
    assert {waiting for _, waiting in acknowledged} == {"0"}
    kept = utterances(path)
    assert kept[: len(acknowledged)] == [name for name, _ in acknowledged]
    assert len(kept) <= len(acknowledged) + 1
    remember(remembered(path), "after")
    assert utterances(path) == [*kept, "after"]


def test_concurrent_creation_loses_no_writes(tmp_path: Path) -> None:
    def write(path: Path, name: str, start: threading.Barrier) -> None:
        start.wait()
        for number in range(3):
            MemoryFile(path, patience=30.0).write([event(f"{name}{number}")])

    for attempt in range(15):  # the interleaving of statements is random
        path, start = tmp_path / f"{attempt}" / "memory.sqlite", threading.Barrier(4)
        threads = [threading.Thread(target=write, args=(path, name, start)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(utterances(path)) == [f"{name}{number}" for name in "abcd" for number in range(3)]


def test_rows_erased_by_another_process_are_forgotten(path: Path) -> None:
    memory = remembered(path)
    remember(memory, "a", "b", "c")
    assert MemoryFile(path).forget([1, 2]) == 2
    memory.refresh()
    assert len(memory) == 1
    path.unlink()  # by hand
    memory.refresh()
    assert len(memory) == 0
    assert p_red(memory) == 0.5
    remember(memory, "d")
    assert utterances(path) == ["d"]


def test_erased_data_is_gone_from_every_byte_of_the_file(path: Path) -> None:
    secret = Action("bring", (("theme", "a very private thing"),))
    file = MemoryFile(path)
    file.write([event("a"), event("b", secret), event("c")])
    file.write([event("b", RED)])  # corrected: the old row remains in free pages
    file.write([event("d", secret)])
    assert b"private" in path.read_bytes()
    assert file.forget([each.id for each in file.read() if each.action == secret]) == 1
    assert [each.utterance_id for each in file.read()] == ["a", "c", "b"]
    assert all(b"private" not in each.read_bytes() for each in path.parent.iterdir())


def test_forgetting_a_locked_file_erases_nothing(path: Path) -> None:
    file = MemoryFile(path, PATIENCE)
    file.write([event("a")])
    with locked(path), pytest.raises(MemoryFileError, match="another process has locked it"):
        file.forget([1])
    assert utterances(path) == ["a"]


def test_path_of_the_users_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert users_memory() is None  # conftest switches it off
    monkeypatch.setenv("SAYSO_MEMORY", str(tmp_path / "mine"))
    assert users_memory() == tmp_path / "mine"
    monkeypatch.delenv("SAYSO_MEMORY")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert users_memory() == tmp_path / "sayso" / "memory.sqlite"
