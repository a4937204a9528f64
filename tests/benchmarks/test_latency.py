"""The latency benchmark runs against the real nodes and measures every row of its table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end, pytest.mark.timed, pytest.mark.long("runs a benchmark")]


def test_a_quick_run_fills_every_row(tmp_path: Path) -> None:
    file = tmp_path / "latency.json"
    command = [sys.executable, "-c", "from sayso.cli import main; main()", "bench", "latency", "--quick", "--json", str(file)]
    run = subprocess.run(["timeout", "-k", "5", "180", *command], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    rows = json.loads(file.read_text())["rows"]
    assert len(rows) == 8
    assert [row["measure"] for row in rows if row["value"] is None] == []
    assert all(row["baselines"] for row in rows)
