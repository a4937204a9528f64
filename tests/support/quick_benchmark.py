"""Runs a benchmark as `sayso bench NAME --quick` does: each row has a value, or names the data or the program that this machine lacks."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LIMIT = 3600  # s: a machine that does other work besides takes long; a row that gets nowhere is given up before


def quick_rows(name: str) -> dict[str, dict[str, Any]]:
    """The rows of a quick run by their measure.

    Raises:
        AssertionError: it fails, has no rows, or has a row without a value for any other reason than that something is not on this machine.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.json"
        command = [sys.executable, "-c", "from sayso.cli import main; main()", "bench", name, "--quick", "--json", str(file)]
        run = subprocess.run(["timeout", "-k", "10", str(LIMIT), *command], capture_output=True, text=True, check=False, cwd=folder)
        assert run.returncode == 0, run.stderr
        rows: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["rows"]
        left = [each.name for each in Path(folder).iterdir() if each != file]
    assert rows
    assert unexplained(rows) == []
    assert left == [], "it leaves files where it was started"
    return {row["measure"]: row for row in rows}


def unexplained(rows: list[dict[str, Any]]) -> list[str]:
    """The rows that have no value, although nothing is absent."""
    return [f"{row['measure']}: {row['reason']}" for row in rows if row["value"] is None and not (row["absent"] and row["reason"])]
