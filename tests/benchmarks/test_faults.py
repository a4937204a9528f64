"""`sayso bench faults`: a quick run on the real graph loses nothing, and every row has a value or a reason."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.end_to_end, pytest.mark.timed, pytest.mark.long("runs a benchmark")]


def test_a_quick_run_loses_no_command_and_leaves_no_node_stuck(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sayso.cli import main

    file = tmp_path / "faults.json"
    monkeypatch.setattr(sys, "argv", ["sayso", "bench", "faults", "--quick", "--json", str(file)])
    with pytest.raises(SystemExit) as left:
        main()
    assert not left.value.code
    rows = json.loads(file.read_text())["rows"]
    assert all(row["value"] is not None or row["reason"] for row in rows)
    value = {row["measure"]: row["value"] for row in rows}
    assert all(found == 100.0 for measure, found in value.items() if measure.endswith(("ended properly", "the next command works")))
    for what in (
        "lost",
        "begun twice",
        "stuck afterwards",
        "nodes that crashed",
        "the robot moved",
        "driving unsupervised after the planner's death",
    ):
        assert [found for measure, found in value.items() if measure.endswith(what)] == [0.0], what
    assert all(found == 1.0 for measure, found in value.items() if measure.endswith("works afterwards"))
