"""The fleet plan is computed from measured unit costs, and names a missing one."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.paths import project_root

MEASURED = {
    "× real time per core, from sound on (PocketSphinx)": 50.0,
    "bag read, MB/s a core": 800.0,
    "2 Ray workers against one": 1.8,
    "Ray's own start": 2.0,
    "bags of one utterance a second, 2 workers": 40.0,
    "CPU time of an utterance, from the transcript on": 20.0,
    "a query over 200000 utterances": 0.1,
    "results of an utterance, as JSON lines": 1.0,
}


def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fleet_plan", project_root() / "scripts" / "fleet_plan.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules["fleet_plan"] = made
    spec.loader.exec_module(made)
    return made


plan = module()


def rows(**changed: float | None) -> list[dict[str, object]]:
    return [{"measure": name, "value": changed.get(name, value), "reason": "one core"} for name, value in MEASURED.items()]


def test_unit_costs_come_from_the_benchmark() -> None:
    costs = plan.Costs.of(rows())
    assert costs == plan.Costs(task=0.05, utterance=0.02, sound=0.02, read=800.0, shared=0.9, start=2.0, query=5e-7, line=1.0)


def test_the_work_of_a_day_is_the_sum_of_its_parts() -> None:
    day, costs = plan.Day(robots=10, hours=1.0), plan.Costs.of(rows())
    work = plan.tasks(day, costs, sound=False, pictures=False)
    assert len(work) == 10
    assert sum(work) == pytest.approx(10 * 0.05 + 300 * 0.02 + 36_000 * day.words / 800.0)


@given(st.lists(st.floats(0.1, 100.0), min_size=1, max_size=50), st.integers(1, 20))
def test_no_worker_idles_while_tasks_wait(work: list[float], cores: int) -> None:
    costs = plan.Costs(1.0, 1.0, 1.0, 1.0, 0.5, 3.0, 1.0, 1.0)
    took = plan.makespan(work, cores, costs) - costs.start
    assert took >= max(2.0 * sum(work) / cores, 2.0 * max(work)) - 1e-6
    assert took <= 2.0 * sum(work) / cores + 2.0 * max(work) + 1e-6


@pytest.mark.parametrize("lost", ["2 Ray workers against one", "bag read, MB/s a core"])
def test_a_missing_measure_is_named(lost: str) -> None:
    with pytest.raises(SystemExit, match="was not measured: one core"):
        plan.Costs.of(rows(**{lost: None}))
    with pytest.raises(SystemExit, match="no measure that begins with"):
        plan.Costs.of([row for row in rows() if row["measure"] != lost])


def test_tables_are_written_between_the_marks_but_not_from_a_quick_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, file = tmp_path / "scale.md", tmp_path / "replay.json"
    page.write_text((project_root() / "docs" / "scale.md").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(plan, "PAGE", page)
    monkeypatch.setattr("sys.argv", ["fleet_plan.py", str(file), "--write"])
    file.write_text(json.dumps({"rows": rows()}), encoding="utf-8")
    plan.main()
    once = page.read_text(encoding="utf-8")
    assert "| an utterance, from the transcript on | 20.0 ms of a core |" in once
    plan.main()
    assert page.read_text(encoding="utf-8") == once
    file.write_text(json.dumps({"rows": rows(), "quick": True}), encoding="utf-8")
    with pytest.raises(SystemExit, match="quick run"):
        plan.main()
