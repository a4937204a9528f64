"""Memory and agenda on a disk that is full or protected: all goes on, the reason is named, and later everything is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kept_state import BRING, RULE, SAID, TASK
from sayso import state_file
from sayso.agenda.backing import StoredEntries
from sayso.agenda.file import AgendaFile
from sayso.domain import load_domain
from sayso.selection.memory.memory import Memory
from sayso.selection.memory.memory_file import MemoryFile
from small_disk import small_disk

HOME = load_domain()


@pytest.fixture(autouse=True)
def _retry_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.0)


def test_the_memory_is_read_on_a_full_disk_and_written_when_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        file = disk.folder / "memory.sqlite"
        MemoryFile(file).write([replace(SAID, home=HOME.name, utterance_id="a")])
        disk.fill()
        memory = Memory(HOME, file)
        memory.refresh()
        assert (len(memory), memory.trouble) == (1, "")
        memory.remember("b", 0, BRING, SAID.situation, "confirmed")
        memory.catch_up()
        assert memory.trouble == f"{file} cannot be written (disk I/O error): is there room on the disk?"
        assert memory.finish() == f"1 changes are lost: {memory.trouble}"
        disk.empty()
        disk.protect()
        memory.catch_up()
        assert "cannot be written (Read-only file system): name another file (parameter memory, or $SAYSO_MEMORY)" in memory.trouble
        disk.protect(False)
        assert memory.finish() == memory.trouble == ""
        assert [each.utterance_id for each in MemoryFile(file).read()] == ["a", "b"]


def test_a_task_that_cannot_be_written_is_kept_and_written_later(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk:
        file = disk.folder / "agenda.sqlite"
        AgendaFile(file).write("home", [TASK])
        disk.fill()
        stored = StoredEntries("home", file)
        stored.refresh()
        assert (stored.all(), stored.trouble) == ((TASK,), "")
        stored.put(RULE)
        stored.catch_up()
        assert stored.trouble == f"{file} cannot be written (disk I/O error): is there room on the disk?"
        assert stored.all() == (TASK, RULE)
        disk.empty()
        disk.protect()
        stored.catch_up()
        assert "cannot be written (Read-only file system): name another file (parameter agenda, or $SAYSO_AGENDA)" in stored.trouble
        disk.protect(False)
        assert stored.finish() == stored.trouble == ""
        assert AgendaFile(file).read("home") == [TASK, RULE]
