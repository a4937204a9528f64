"""The replay benchmark generates its bags and measures every row of its table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


def bench(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from sayso.cli import main; main()", "bench", "replay", "--quick", *options]
    return subprocess.run(["timeout", "-k", "5", "240", *command], capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.long("runs a benchmark")
@pytest.mark.end_to_end
def test_a_quick_run_fills_every_row(tmp_path: Path) -> None:
    run = bench(tmp_path, "--json", "replay.json")
    assert run.returncode == 0, run.stderr
    rows = {row["measure"]: row for row in json.loads((tmp_path / "replay.json").read_text())["rows"]}
    assert [name for name, row in rows.items() if row["value"] is None] == []
    assert [row["goal"] for row in rows.values() if row["goal"]] == [200.0, 5.0, 70.0, 1.8, 1.0]
    assert rows["both engines give the same (1: yes), slices joined"]["value"] == 1.0
    assert not list(tmp_path.glob("sayso-*")), "the generated bags are deleted"


def test_a_full_disk_is_reported_before_any_bag_is_generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sayso.console.bench import load_benchmark
    from sayso.errors import SaysoError
    from sayso.paths import project_root

    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1e6})())
    with pytest.raises(SaysoError, match=r"0\.0 GB free, 3\.0 GB are needed; TMPDIR"):
        next(load_benchmark(project_root() / "benchmarks" / "replay.py").run())
