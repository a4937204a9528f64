"""`sayso bench` lists its benchmarks, prints the table and writes the figures with the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from sayso.console.bench import Row, bench, counted, quantile_row
from sayso.errors import SaysoError

BENCHMARK = '''"""Count to a number."""
from sayso.console.bench import Row

def run(quick):
    yield Row("numbers counted", 3.0, "1", "higher", goal=2.0, baselines={"by hand": 1.0}, spread=(2.0, 4.0), n=5)
    yield Row("numbers lost", None, "1", "lower", reason="there is no [/lib/counter]")
'''


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typer:
    (tmp_path / "config").mkdir()
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "count.py").write_text(BENCHMARK)
    monkeypatch.setenv("SAYSO_ROOT", str(tmp_path))
    app = Typer()
    app.command()(bench)
    return app


def test_the_list_describes_each_benchmark(app: Typer) -> None:
    assert CliRunner().invoke(app, ["--list"]).output.split(maxsplit=1) == ["count", "Count to a number.\n"]


def test_the_file_holds_every_row_with_goal_and_baselines_and_the_machine(app: Typer, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["count", "--json", str(tmp_path / "out.json")])
    assert result.exit_code == 0, result.output
    written = json.loads((tmp_path / "out.json").read_text())
    assert written["name"] == "count"
    assert written["machine"]["cores"] >= 1
    assert "numpy" in written["versions"]
    assert written["rows"][0] == {
        "measure": "numbers counted",
        "value": 3.0,
        "unit": "1",
        "better": "higher",
        "goal": 2.0,
        "baselines": {"by hand": 1.0},
        "spread": [2.0, 4.0],
        "n": 5,
        "reason": "",
    }
    assert written["rows"][1]["value"] is None
    assert written["rows"][1]["reason"] == "there is no [/lib/counter]"


def test_an_interrupted_benchmark_keeps_the_figures_that_it_has(app: Typer, tmp_path: Path) -> None:
    file = tmp_path / "benchmarks" / "count.py"
    file.write_text(f"{BENCHMARK}    raise KeyboardInterrupt\n")
    result = CliRunner().invoke(app, ["count", "--json", str(tmp_path / "out.json")])
    assert result.exit_code == 130
    assert "numbers counted" in result.stdout
    assert "interrupted" in result.stdout
    written = json.loads((tmp_path / "out.json").read_text())
    assert not written["complete"]
    assert len(written["rows"]) == 2


def test_each_figure_is_told_as_it_comes(app: Typer) -> None:
    told = CliRunner().invoke(app, ["count"]).stderr
    assert told.splitlines() == ["numbers counted: 3 1", "numbers lost: – (there is no [/lib/counter])"]


def test_a_long_count_is_told_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sayso.console.bench.TOLD_EVERY", -1.0)
    assert list(counted("ab", "letters", 2)) == ["a", "b"]
    assert capsys.readouterr().err.splitlines() == ["letters: 0 of 2", "letters: 1 of 2"]


def test_an_unknown_benchmark_is_an_error_that_lists_the_known_ones(app: Typer) -> None:
    result = CliRunner().invoke(app, ["speed"])
    assert isinstance(result.exception, SaysoError)
    assert "count" in str(result.exception)


def test_a_latency_row_is_the_quantile_in_milliseconds() -> None:
    row = quantile_row("x", [0.001, 0.002, 0.003, 0.004, 0.1], 0.5, goal_ms=5.0)
    assert row == Row("x", pytest.approx(3.0), "ms", "lower", 5.0, spread=(pytest.approx(2.0), pytest.approx(4.0)), n=5)


def test_a_latency_that_was_never_measured_is_null_with_a_reason() -> None:
    assert quantile_row("x", [], 0.5, None).value is None
    assert quantile_row("x", [], 0.5, None).reason


def test_a_benchmark_without_sets_takes_none(app: Typer) -> None:
    result = CliRunner().invoke(app, ["count", "--set", "odd"])
    assert isinstance(result.exception, SaysoError)
    assert "does not have --set" in str(result.exception)
