"""The latency benchmark runs against the real nodes and measures every row of its table."""

from __future__ import annotations

import pytest

from quick_benchmark import quick_rows

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end, pytest.mark.timed, pytest.mark.long("runs a benchmark")]


def test_a_quick_run_fills_every_row() -> None:
    rows = list(quick_rows("latency").values())
    assert len(rows) == 8
    assert [row["measure"] for row in rows if row["value"] is None] == []
    assert all(row["baselines"] for row in rows)
