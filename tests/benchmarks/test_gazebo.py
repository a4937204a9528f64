"""`sayso bench gazebo` on a machine without Gazebo."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from sayso.cli import main


def test_without_a_gazebo_every_row_has_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYSO_GAZEBO", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["sayso", "bench", "gazebo", "--json", str(tmp_path / "rows.json")])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    rows = json.loads((tmp_path / "rows.json").read_text())["rows"]
    assert len(rows) == 9
    assert all(row["value"] is None and "it holds no bin/gz-server" in row["reason"] for row in rows)
