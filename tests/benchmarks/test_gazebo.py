"""`sayso bench gazebo`: on a machine without Gazebo, and in a real one, where it is the test of magnets, drive, camera and pictures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from sayso.cli import main
from sayso.errors import RosError


def figures(file: Path, monkeypatch: pytest.MonkeyPatch, *options: str) -> list[dict[str, Any]]:
    monkeypatch.setattr(sys, "argv", ["sayso", "bench", "gazebo", *options, "--json", str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    rows: list[dict[str, Any]] = json.loads(file.read_text())["rows"]
    return rows


def test_without_a_gazebo_every_row_has_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYSO_GAZEBO", str(tmp_path))
    rows = figures(tmp_path / "rows.json", monkeypatch)
    assert len(rows) == 21
    assert all(row["value"] is None and "it holds no bin/gz-server" in row["reason"] for row in rows)


@pytest.mark.long("runs in Gazebo")
@pytest.mark.ros
@pytest.mark.end_to_end
def test_in_a_real_gazebo_the_magnets_are_free_the_robot_moves_and_the_camera_is_where_it_is_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("rclpy", reason="ROS 2 is not installed")
    from sayso_nodes.running.gazebo_server import gazebo_programs, trouble

    try:
        why = trouble(gazebo_programs())
    except RosError as error:
        why = str(error)
    if why:
        pytest.skip(why)
    rows = {row["measure"]: row for row in figures(tmp_path / "rows.json", monkeypatch, "--quick")}
    assert rows["starts in any order: magnets free, robot moves"]["value"] == 1.0
    for measure in ("angle", "distance"):
        row = rows[f"camera's pose while driving, {measure} to the truth, 95 %"]
        assert row["n"] > 10
        assert row["value"] <= row["goal"]
    assert rows["pixels at the same distance as in MuJoCo's pictures"]["value"] >= 99.0
    found = rows["things found in Gazebo's pictures"]
    assert found["n"] > 10
    assert found["value"] >= found["baselines"]["MuJoCo's"] - 15.0
