"""The journal of utterances on their way survives its writer."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.errors import MemoryFileError
from sayso.utterances import Journal


def test_what_was_on_its_way_is_known_to_the_next_process_of_that_robot_alone(tmp_path: Path) -> None:
    file = tmp_path / "in_flight.sqlite"
    Journal(file, "0/one").write(("a", "b"))
    Journal(file, "0/two").write(("c",))
    assert Journal(file, "0/one").read() == ("a", "b")
    assert Journal(file, "0/two").read() == ("c",)


def test_what_has_ended_is_no_longer_there(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "in_flight.sqlite", "0/")
    journal.write(("a", "b"))
    journal.write(("b",))
    assert journal.read() == ("b",)
    journal.write(())
    assert journal.read() == ()


def test_there_need_be_no_file_and_a_damaged_one_is_set_aside(tmp_path: Path) -> None:
    file = tmp_path / "in_flight.sqlite"
    assert Journal(file, "0/").read() == ()
    file.write_bytes(b"no database at all" * 100)
    assert Journal(file, "0/").read() == ()
    assert not file.exists()
    Journal(file, "0/").write(("a",))
    assert Journal(file, "0/").read() == ("a",)


def test_a_file_that_cannot_be_written_is_said_and_tried_again(tmp_path: Path) -> None:
    folder = tmp_path / "no_folder"
    folder.write_text("")
    journal = Journal(folder / "in_flight.sqlite", "0/")
    with pytest.raises(MemoryFileError):
        journal.write(("a",))
    folder.unlink()
    journal.write(("a",))
    assert journal.read() == ("a",)
