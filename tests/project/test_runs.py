"""Where recordings go."""

from __future__ import annotations

from pathlib import Path

import pytest

from sayso.errors import SaysoError
from sayso.runs import new_run_folder, run_folder


def test_a_run_has_a_new_folder_in_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = new_run_folder()
    assert folder.is_dir()
    assert folder.parent == tmp_path / "runs"
    assert folder.name.startswith("2")
    replay = run_folder("replay_")
    assert replay.parent == folder.parent
    assert replay.name.startswith("replay_2")


def test_a_directory_that_cannot_hold_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").write_text("not a folder")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SaysoError, match="start this in a folder that you can write to"):
        new_run_folder()
