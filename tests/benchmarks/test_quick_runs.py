"""Each benchmark runs: `sayso bench NAME --quick` fills every row, but for those whose data or program is not on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from quick_benchmark import quick_rows, unexplained

ELSEWHERE = {"faults": "test_faults.py", "latency": "test_latency.py", "worlds": "test_worlds.py", "answers": "test_answers.py"}
WITH_NODES = ("console", "faults", "latency", "speech", "stop_latency", "worlds")  # they start nodes, and nothing may run beside them
MARKS = (pytest.mark.ros, pytest.mark.end_to_end, pytest.mark.timed)
BENCHMARKS = sorted(file.stem for file in (Path(__file__).parents[2] / "benchmarks").glob("[a-z]*.py"))


def test_every_benchmark_has_a_quick_run() -> None:
    here = Path(__file__).parent
    assert set(ELSEWHERE) <= set(BENCHMARKS)
    assert [name for name, file in ELSEWHERE.items() if f'quick_rows("{name}")' not in (here / file).read_text(encoding="utf-8")] == []


@pytest.mark.long("runs a benchmark")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=MARKS if name in WITH_NODES else ()) for name in BENCHMARKS if name not in ELSEWHERE]
)
def test_each_row_of_a_quick_run_has_a_value_or_names_what_is_absent(name: str) -> None:
    assert quick_rows(name)


def test_a_row_without_a_value_is_a_fault_unless_it_names_what_is_absent() -> None:
    lost = {"measure": "stops", "value": None, "reason": "5 of 5 had no effect", "absent": ""}
    absent = {"measure": "orders", "value": None, "reason": "no recordings: set SAYSO_DATA", "absent": "data"}
    assert unexplained([lost, absent, {"measure": "words", "value": 0.0, "reason": "", "absent": ""}]) == ["stops: 5 of 5 had no effect"]
