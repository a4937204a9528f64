"""`sayso bench faults`: a quick run on the real graph loses nothing, and every row has a value or a reason."""

from __future__ import annotations

import pytest

from quick_benchmark import quick_rows

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytestmark = [pytest.mark.ros, pytest.mark.end_to_end, pytest.mark.timed, pytest.mark.long("runs a benchmark")]


def test_a_quick_run_loses_no_command_and_leaves_no_node_stuck() -> None:
    rows = quick_rows("faults").values()
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
