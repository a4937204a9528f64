"""`sayso bench` lists its benchmarks, prints the table and writes the figures with the machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from sayso.console.bench import Row, bench, part, quantile_row, sampled, unmeasured
from sayso.console.watch import counted, progress
from sayso.errors import AbsentDataError, AbsentPackageError, ModelError, SaysoError

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
        "absent": "",
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
    monkeypatch.setattr("sayso.console.watch.TOLD_EVERY", -1.0)
    assert list(counted("ab", "letters", 2)) == ["a", "b"]
    assert capsys.readouterr().err.splitlines() == ["letters: 0 of 2", "letters: 1 of 2"]


STUCK = '''"""Two parts, of which the first hangs."""
import time
from functools import partial
from sayso.console.bench import Row, part, sampled

def hung():
    try:
        yield Row("begun", 1.0, "1", "higher")
        sampled("stops", 3, lambda number: time.sleep(60.0))
    except Exception:
        yield Row("taken for an error of a stage", 1.0, "1", "higher")

def run(quick):
    yield from part("stops of the robot", hung)
    yield from part("the next part", lambda: [Row("numbers counted", 3.0, "1", "higher")])
'''


def test_what_hangs_is_told_and_given_up_and_the_next_part_is_measured(app: Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sayso.console.watch.TOLD_AFTER", 0.6)
    (tmp_path / "benchmarks" / "stuck.py").write_text(STUCK)
    result = CliRunner().invoke(app, ["stuck", "--give-up-after", "3", "--json", str(tmp_path / "out.json")])
    assert result.exit_code == 0, result.output
    assert "waiting for stops: 1 of 3, since" in result.stderr
    begun, given_up, after = json.loads((tmp_path / "out.json").read_text())["rows"]
    assert (begun["measure"], after["measure"], after["value"]) == ("begun", "numbers counted", 3.0)
    assert (given_up["measure"], given_up["value"], given_up["absent"]) == ("stops of the robot", None, "")
    assert given_up["reason"] == "given up after 3 s without progress: waited for stops: 1 of 3"


def test_what_goes_on_is_not_given_up(app: Typer, tmp_path: Path) -> None:
    slow = STUCK.replace("3, lambda number: time.sleep(60.0)", "12, lambda number: time.sleep(0.25)")
    (tmp_path / "benchmarks" / "slow.py").write_text(slow)
    result = CliRunner().invoke(app, ["slow", "--give-up-after", "2", "--json", str(tmp_path / "out.json")])
    assert result.exit_code == 0, result.output
    assert all(row["value"] is not None for row in json.loads((tmp_path / "out.json").read_text())["rows"])


def test_a_part_that_fails_is_a_row_and_only_what_is_absent_is_said_to_be() -> None:
    def failing(error: Exception) -> Iterator[Row]:
        yield Row("numbers counted", 3.0, "1", "higher")
        raise error

    for error, absent in (
        (AbsentDataError("no orders"), "data"),
        (AbsentPackageError("no recogniser"), "program"),
        (ModelError("other weights"), ""),
        (TimeoutError("nothing plays"), ""),
    ):
        first, last = part("orders", partial(failing, error))
        assert first.value == 3.0
        assert (last.measure, last.value, last.reason, last.absent) == ("orders", None, str(error), absent)
    with pytest.raises(ZeroDivisionError):
        list(part("orders", partial(failing, ZeroDivisionError())))


def test_samples_without_an_effect_are_given_up_and_make_no_quantile() -> None:
    tried = list[int]()
    lost = sampled("stops", 400, lambda number: 0.001 if number == 0 else tried.append(number))  # type: ignore[func-returns-value]
    assert len(tried) < 20
    row = lost.row("stop → zero velocity", 0.5, 50.0, service_call=1.5)
    assert (row.value, row.goal, row.absent, row.baselines) == (None, 50.0, "", {"service call": 1.5})
    assert row.reason == f"{len(tried)} of {len(tried) + 1} had no effect"
    few = sampled("stops", 10, lambda number: None if number == 3 else 0.002)
    assert few.row("x", 0.5, None).value == pytest.approx(2.0)
    assert few.row("x", 0.5, None).reason == "1 of 10 had no effect"


def test_without_a_watch_progress_is_nothing() -> None:
    progress("anything")
    assert unmeasured("x", "ms", "lower", "it broke").reason == "it broke"


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
