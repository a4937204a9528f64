"""Skill trials survive restarts in the memory file, which may be old, damaged, locked or read-only without harm to the robot."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from kept_state import SAID
from sayso import state_file
from sayso.domain import load_domain
from sayso.errors import MemoryFileError
from sayso.memory_format import CONFIRMED, FORMAT
from sayso.planning.kept_experience import KeptExperience
from sayso.planning.trial_file import TrialFile
from sayso.planning.trials import SkillTrial, Tried
from sayso.selection.memory.memory_file import MemoryFile
from sayso.types import SkillCall

HOME = load_domain()
PICK = Tried("pick", "red_cup", "counter")
FAILED = SkillTrial("u1", 1500, SkillCall("pick", (("theme", "red_cup"),)), "counter", 0.0, False, 7.5, "slipped", HOME.name)
PATIENCE = 0.05  # s


@pytest.fixture(autouse=True)
def _retry_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


def kept(path: Path | None) -> KeptExperience:
    made = KeptExperience(HOME, path, PATIENCE)
    made.synchronise()
    return made


def expected(learning: KeptExperience) -> float:
    return learning.experience.expected_success(PICK, 0.9)


def fail(learning: KeptExperience, *numbers: int) -> None:
    for number in numbers:
        learning.add(replace(FAILED, stamp=number))
    learning.synchronise()


def old_file(path: Path) -> None:
    """As an older Sayso made it, with one confirmed command."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(CONFIRMED)
        connection.execute("PRAGMA user_version = 1")
        connection.execute(f"PRAGMA application_id = {FORMAT.application_id}")
    MemoryFile.read(MemoryFile(path))


def test_what_was_learnt_survives_a_restart(path: Path) -> None:
    before = kept(path)
    fail(before, 1, 2, 3)
    after = kept(path)
    assert expected(after) == expected(before) < 0.6
    assert (len(after), after.waiting, after.trouble) == (3, 0, "")


def test_every_field_of_a_trial_is_restored(path: Path) -> None:
    trial = replace(FAILED, metres=1.5, time=12.5)
    assert TrialFile(path).write([trial]) == 1
    assert TrialFile(path).read() == [replace(trial, id=1)]


def test_where_a_drive_ended_is_restored_and_erased_with_its_trial(path: Path) -> None:
    before, (x, y, _) = kept(path), HOME.places["counter"].pose
    arrived = SkillTrial("u2", 1, SkillCall("navigate_to", (("goal", "counter"),)), "counter", 3.0, True, 9.0, home=HOME.name)
    before.add(replace(arrived, ended=(x + 1.0, y)))
    before.synchronise()
    assert kept(path).experience.ends["counter"].mean == pytest.approx((0.25, 0.0))
    (trial,) = TrialFile(path).read()
    TrialFile(path).forget([trial.id])
    assert kept(path).experience.ends == {}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM drive_ends").fetchone() == (0,)


def test_a_trial_that_is_known_already_counts_once(path: Path) -> None:
    assert TrialFile(path).write([FAILED, replace(FAILED, stamp=2)]) == 2
    assert TrialFile(path).write([FAILED, replace(FAILED, stamp=3)]) == 1


def test_without_a_file_it_lasts_as_long_as_the_object() -> None:
    learning = kept(None)
    fail(learning, 1, 2)
    assert expected(learning) < 0.7
    assert (len(learning), learning.waiting, str(learning)) == (2, 0, "2 skill trials")


def test_each_home_has_its_own_experience(path: Path) -> None:
    TrialFile(path).write([replace(FAILED, home="office")])
    assert expected(kept(path)) == 0.9


def test_the_file_of_an_older_sayso_is_read_and_extended_and_keeps_its_commands(path: Path) -> None:
    old_file(path)
    assert TrialFile(path).read() == []
    assert MemoryFile(path).read() == []
    fail(kept(path), 1)
    MemoryFile(path).write([SAID])
    assert [each.utterance_id for each in MemoryFile(path).read()] == [SAID.utterance_id]
    assert len(TrialFile(path).read()) == 1


def test_a_file_of_version_1_with_other_tables_is_refused(path: Path) -> None:
    old_file(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE skill_trials (x)")
    with pytest.raises(MemoryFileError, match="not as Sayso makes it"):
        TrialFile(path).read()


def test_an_erased_trial_is_forgotten_by_the_running_robot(path: Path) -> None:
    learning = kept(path)
    fail(learning, 1, 2)
    assert TrialFile(path).forget([1, 2]) == 2
    learning.synchronise()
    assert expected(learning) == 0.9


def test_a_locked_file_is_written_later_and_the_trial_counts_meanwhile(path: Path) -> None:
    learning = kept(path)
    fail(learning, 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        fail(learning, 2)
        assert "locked" in learning.trouble
        assert str(learning) == "2 skill trials, 1 not written yet"
        assert expected(learning) < 0.6
    learning.synchronise()
    assert (learning.trouble, learning.waiting) == ("", 0)
    assert len(TrialFile(path).read()) == 2


def test_a_damaged_file_leaves_the_domains_constants_and_says_so(path: Path) -> None:
    path.write_bytes(b"not a database, and long enough to be one" * 100)
    learning = kept(path)
    assert expected(learning) == 0.9
    assert "damaged" in learning.trouble
    fail(learning, 1)
    assert expected(learning) < 0.9
    assert "1 skill trials are lost" in learning.finish()
    path.unlink()  # as the action_selector sets it aside
    learning.synchronise()
    assert (learning.trouble, len(TrialFile(path).read())) == ("", 1)


def test_a_row_with_invalid_values_is_damage(path: Path) -> None:
    TrialFile(path).write([FAILED])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE skill_trials SET seconds = -1")
    learning = kept(path)
    assert "holds invalid values" in learning.trouble
    assert expected(learning) == 0.9
