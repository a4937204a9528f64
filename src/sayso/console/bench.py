"""`sayso bench`: runs a benchmark of benchmarks/, tells each figure as it comes, prints the table, and writes it as JSON with machine and
versions. An interruption keeps the figures that there are.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import typer

from sayso.errors import SaysoError
from sayso.paths import in_checkout, project_root

if TYPE_CHECKING:
    from rich.table import Table

VERSIONS_OF = (
    "sayso",
    "numpy",
    "onnxruntime",
    "moonshine-voice",
    "mujoco",
    "pocketsphinx",
    "openai-whisper",
    "faster-whisper",
    "quantecon",
    "rosbags",
    "ros-jazzy-rclpy",
    "ros-jazzy-rmw-fastrtps-cpp",
    "scipy",
    "torch",
)
TOLD_EVERY = 60.0  # s between two lines of progress where there is no terminal
OPTIONS = {"only": "--set", "wrong": "--wrong", "backends": "--backend", "limit": "--limit"}  # that not every benchmark has

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of a benchmark."""

    measure: str
    value: float | None  # None if it could not be measured: `reason` says why
    unit: str
    better: Literal["higher", "lower"]
    goal: float | None = None
    baselines: dict[str, float | None] = field(default_factory=dict)
    spread: tuple[float, float] | None = None  # of the value: lower and upper quartile, or as the measure's name says
    n: int = 0  # number of measurements
    reason: str = ""


def quantile_row(measure: str, seconds: list[float], q: float, goal_ms: float | None) -> Row:
    """A latency's quantile in ms, with its quartiles as spread; null with a reason if nothing was measured."""
    if not seconds:
        return Row(measure, None, "ms", "lower", goal_ms, reason="nothing was measured")
    import numpy as np

    ms = np.asarray(seconds) * 1e3
    low, value, high = np.quantile(ms, [0.25, q, 0.75])
    return Row(measure, float(value), "ms", "lower", goal_ms, spread=(float(low), float(high)), n=len(seconds))


def counted(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """The items, while stderr shows how many have begun: a bar on a terminal, a line a minute elsewhere."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if console.is_terminal:
        columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
        with Progress(*columns, console=console, transient=True) as progress:
            yield from progress.track(items, total, description=what)
        return
    told = time.monotonic()
    for number, item in enumerate(items):
        if time.monotonic() - told > TOLD_EVERY:
            told = time.monotonic()
            console.print(f"{what}: {number}{f' of {total}' if total else ''}", highlight=False)
        yield item


def machine() -> dict[str, Any]:
    """The machine that produced the figures."""
    model = next((line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), platform.processor())
    memory = next((int(line.split()[1]) / 1e6 for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0.0)
    cores = len(os.sched_getaffinity(0))
    return {"cpu": model, "cores": cores, "memory_gb": round(memory, 1), "system": platform.platform(), "python": platform.python_version()}


def versions() -> dict[str, str]:
    """Versions of the installed packages that affect the figures."""
    found = {}
    for name in VERSIONS_OF:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def table(rows: list[Row]) -> Table:
    """The rows as a table for the console."""
    from rich.markup import escape
    from rich.table import Table

    result = Table("measure", "value", "goal", "spread", "n", "baselines", header_style="bold")
    for row in rows:
        sign = {"higher": "≥", "lower": "≤"}[row.better]
        met = (
            row.value is not None and row.goal is not None and (row.value >= row.goal if row.better == "higher" else row.value <= row.goal)
        )
        goal = "" if row.goal is None else f"[{'green' if met else 'red'}]{sign} {row.goal:g}[/]"
        spread = f"{row.spread[0]:.4g} – {row.spread[1]:.4g}" if row.spread else ""
        others = ", ".join(f"{name} {'–' if figure is None else format(figure, '.4g')}" for name, figure in row.baselines.items())
        result.add_row(escape(row.measure), escape(_figure(row)), goal, spread, str(row.n or ""), escape(others))
    return result


def _figure(row: Row) -> str:
    """The value in words, with its reason if it has one."""
    value = "–" if row.value is None else f"{row.value:.4g} {row.unit}".rstrip()
    return f"{value} ({row.reason})" if row.reason else value


def bench(
    name: str = typer.Argument("", help="Name of the benchmark; --list lists them."),
    json_file: Path = typer.Option(None, "--json", help="Write the figures to this file."),
    names: bool = typer.Option(False, "--list", help="List the benchmarks and exit."),
    quick: bool = typer.Option(False, "--quick", help="A smoke run for tests: its figures are not representative."),
    only: str = typer.Option("", "--set", help="Measure only this set, in a benchmark that has sets."),
    wrong: bool = typer.Option(False, "--wrong", help="Also list the sentences that went wrong, in a benchmark that has sets."),
    backend: str = typer.Option("", help="Measure only these recognisers, NAME or NAME=WEIGHTS, with commas between; speech only."),
    limit: int = typer.Option(0, min=0, help="At most this many sounds, faults, commands or errands of a kind; 0: all."),
) -> None:
    """Run a benchmark side by side with its baselines; print the table and write it as JSON.

    Examples:

    - `sayso bench --list`

    - `sayso bench latency --json latency.json`

    - `sayso bench meaning --set development --wrong`

    - `sayso bench speech --set orders --backend pocketsphinx --limit 50`

    - `sayso bench faults --set kills --limit 100`
    """
    found = _benchmarks()
    if names or not name:
        for known, path in found.items():
            typer.echo(f"{known:<12} {_summary(path)}")
        return
    if name not in found:
        raise SaysoError(f"no benchmark '{name}'; known: {', '.join(found)}")
    from rich.console import Console

    console, told = Console(), Console(stderr=True, soft_wrap=True)
    when = datetime.now(timezone.utc).isoformat(timespec="seconds")
    rows, complete = [], True
    try:
        for row in _run(name, load_benchmark(found[name]), quick, {"only": only, "wrong": wrong, "backends": backend, "limit": limit}):
            rows.append(row)
            told.print(f"{row.measure}: {_figure(row)}", style="dim", markup=False, highlight=False)
    except KeyboardInterrupt:
        if not rows:
            raise
        complete = False
    console.print(table(rows))
    warning = "; quick: figures are not representative" if quick else "" if complete else "; interrupted: figures are missing"
    console.print(f"{name} on {machine()['cpu']}, {machine()['cores']} cores{warning}", style="dim")
    if json_file:
        content = {
            "name": name,
            "when": when,
            "quick": quick,
            "complete": complete,
            "machine": machine(),
            "versions": versions(),
            "rows": [asdict(row) for row in rows],
        }
        json_file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if not complete:
        raise typer.Exit(130)


def _benchmarks() -> dict[str, Path]:
    """Every benchmark by its name.

    Raises:
        SaysoError: this is not a checkout.
    """
    folder = project_root() / "benchmarks"
    if not folder.is_dir():
        remedy = "git checkout -- benchmarks" if in_checkout() else "git clone https://github.com/sayso/sayso"
        raise SaysoError(f"benchmarks need a checkout of Sayso; the wheel does not contain them: {remedy}")
    return {path.stem: path for path in sorted(folder.glob("[a-z]*.py"))}


def _summary(path: Path) -> str:
    """The first line of a benchmark's docstring, read without importing the benchmark."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def _run(name: str, module: ModuleType, quick: bool, asked: Mapping[str, Any]) -> Iterator[Row]:
    """The benchmark's rows.

    Raises:
        SaysoError: it does not have an option that was asked for.
    """
    known = inspect.signature(module.run).parameters
    if strange := [OPTIONS[option] for option, value in asked.items() if value and option not in known]:
        raise SaysoError(f"the benchmark '{name}' does not have {', '.join(strange)}: leave it out")
    yield from module.run(quick=quick, **{option: value for option, value in asked.items() if option in known})


def load_benchmark(path: Path) -> ModuleType:
    """A benchmark, imported from its file: benchmarks/ is not a package. It can import the modules beside it.

    Raises:
        SaysoError: the file cannot be loaded.
    """
    specification = importlib.util.spec_from_file_location(f"sayso_benchmark_{path.stem}", path)
    if specification is None or specification.loader is None:
        raise SaysoError(f"{path} cannot be loaded")
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
