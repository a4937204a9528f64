"""The journal of utterances on their way survives its writer."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso import state_file
from sayso.errors import MemoryFileError
from sayso.utterances import Followed, Journal
from small_disk import small_disk


def test_what_was_on_its_way_is_known_to_the_next_process_of_that_robot_alone(tmp_path: Path) -> None:
    file = tmp_path / "in_flight.sqlite"
    Journal(file, "0/one").write(Followed(("a", "b")))
    Journal(file, "0/two").write(Followed(("c",)))
    assert Journal(file, "0/one").read() == Followed(("a", "b"))
    assert Journal(file, "0/two").read() == Followed(("c",))


def test_what_has_ended_is_no_longer_there(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "in_flight.sqlite", "0/")
    journal.write(Followed(("a", "b")))
    journal.write(Followed(("b",)))
    assert journal.read() == Followed(("b",))
    journal.write(Followed())
    assert journal.read() == Followed()


def test_what_has_ended_or_was_asked_about_is_remembered_as_such(tmp_path: Path) -> None:
    file = tmp_path / "in_flight.sqlite"
    journal = Journal(file, "0/")
    journal.write(Followed(("a", "b", "c")))
    journal.write(Followed(("c",), asked=("b",), over=("a",)))
    assert Journal(file, "0/").read() == Followed(("c",), asked=("b",), over=("a",))


def test_there_need_be_no_file_and_a_damaged_one_is_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "in_flight.sqlite"
    assert Journal(file, "0/").read() == Followed()
    file.write_bytes(b"no database at all" * 100)
    assert Journal(file, "0/").read() == Followed()
    assert not file.exists()
    Journal(file, "0/").write(Followed(("a",)))
    assert Journal(file, "0/").read() == Followed(("a",))


def test_a_file_that_cannot_be_written_is_said_and_tried_again(tmp_path: Path) -> None:
    folder = tmp_path / "no_folder"
    folder.write_text("")
    journal = Journal(folder / "in_flight.sqlite", "0/")
    with pytest.raises(MemoryFileError):
        journal.write(Followed(("a",)))
    folder.unlink()
    journal.write(Followed(("a",)))
    assert journal.read() == Followed(("a",))


def test_a_full_or_protected_disk_is_named_as_long_as_it_lasts_and_then_all_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.0)
    with small_disk(tmp_path / "disk") as disk:
        file = disk.folder / "in_flight.sqlite"
        Journal(file, "0/").write(Followed(("a",)))
        disk.fill()
        journal = Journal(file, "0/")
        assert journal.left() == Followed(("a",))  # it is read all the same
        journal.catch_up(Followed(("a", "b")))
        assert journal.trouble == f"{file} cannot be written (disk I/O error): is there room on the disk?"
        assert journal.is_due
        disk.empty()
        disk.protect()
        journal.catch_up(Followed(("a", "b")))
        assert "cannot be written (Read-only file system)" in journal.trouble
        disk.protect(False)
        journal.catch_up(Followed(("a", "b")))
        assert (journal.trouble, journal.is_due) == ("", False)
        assert Journal(file, "0/").read() == Followed(("a", "b"))


def test_nothing_is_written_over_what_could_not_be_read_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.0)
    file = tmp_path / "in_flight.sqlite"
    Journal(file, "0/").write(Followed(("earlier",)))
    journal = Journal(file, "0/")
    with monkeypatch.context() as locked:
        locked.setattr(Journal, "read", _refuse)
        assert journal.left() == Followed()
        assert journal.trouble == "locked"
        journal.catch_up(Followed(("new",)))
    assert Journal(file, "0/").read() == Followed(("earlier",))
    assert journal.left() == Followed(("earlier",))
    journal.catch_up(Followed(("earlier", "new")))
    assert Journal(file, "0/").read() == Followed(("earlier", "new"))


def test_a_journal_that_is_damaged_while_it_is_used_is_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "in_flight.sqlite"
    journal = Journal(file, "0/")
    journal.write(Followed(("a",)))
    file.write_bytes(b"no database at all" * 100)
    journal.write(Followed(("a", "b")))
    assert Journal(file, "0/").read() == Followed(("a", "b"))


def _refuse(_: Journal) -> Followed:
    raise MemoryFileError("locked")
