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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sayso.console.options import takes
from sayso.console.watch import GivenUp, RowWatch, counted, progress, waiting
from sayso.errors import AbsentError, SaysoError
from sayso.extras import extra_of
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
LIMIT = 900.0  # s without progress after which a row is given up
VAIN = 8  # samples without an effect, one after the other, after which no more are taken
OPTIONS = {"only": "--set", "wrong": "--wrong", "backends": "--backend", "limit": "--limit"}  # that not every benchmark has

Better = Literal["higher", "lower"]
Absent = Literal["", "data", "program"]


@dataclass(frozen=True, slots=True)
class Row:
    """One measure of a benchmark."""

    measure: str
    value: float | None  # None if it could not be measured: `reason` says why
    unit: str
    better: Better
    goal: float | None = None
    baselines: dict[str, float | None] = field(default_factory=dict)
    spread: tuple[float, float] | None = None  # of the value: lower and upper quartile, or as the measure's name says
    n: int = 0  # number of measurements
    reason: str = ""
    absent: Absent = ""  # what this machine lacks, if that is why there is no value: any other row without one is a fault


def quantile_row(measure: str, seconds: list[float], q: float, goal_ms: float | None) -> Row:
    """A latency's quantile in ms, with its quartiles as spread; null with a reason if nothing was measured."""
    if not seconds:
        return Row(measure, None, "ms", "lower", goal_ms, reason="nothing was measured")
    import numpy as np

    ms = np.asarray(seconds) * 1e3
    low, value, high = np.quantile(ms, [0.25, q, 0.75])
    return Row(measure, float(value), "ms", "lower", goal_ms, spread=(float(low), float(high)), n=len(seconds))


def unmeasured(measure: str, unit: str, better: Better, why: BaseException | str, goal: float | None = None, absent: Absent = "") -> Row:
    """A row without a value: why, in one line, and what this machine lacks if that is the reason."""
    lacks = absent or (why.LACKS if isinstance(why, AbsentError) else _lacking_module(why))
    return Row(measure, None, unit, better, goal, reason=(str(why).strip() or type(why).__name__).splitlines()[0], absent=lacks)


def _lacking_module(why: BaseException | str) -> Absent:
    return "program" if isinstance(why, ImportError) and extra_of(why.name or "") else ""


def part(name: str, rows: Callable[[], Iterable[Row]]) -> Iterator[Row]:
    """The rows of a part of a benchmark. If they cannot be measured, or nothing comes for too long, a row says why."""
    with waiting(name):
        try:
            yield from rows()
        except (SaysoError, TimeoutError, GivenUp) as why:
            yield unmeasured(name, "", "higher", why)
        except ImportError as why:
            if not _lacking_module(why):
                raise
            yield unmeasured(name, "", "higher", why)


@dataclass(frozen=True, slots=True)
class Samples:
    """Times of the same thing, taken one after the other."""

    seconds: tuple[float, ...]  # of those with an effect
    tried: int

    @property
    def reason(self) -> str:
        """How many had no effect; empty if all had."""
        lost = self.tried - len(self.seconds)
        return f"{lost} of {self.tried} had no effect" if lost else ""

    def quantile(self, q: float) -> float | None:
        """In ms."""
        import numpy as np

        return 1e3 * float(np.quantile(self.seconds, q)) if self.seconds else None

    def row(self, measure: str, q: float, goal_ms: float | None, **baselines: float | None) -> Row:
        """A quantile in ms; none if most had no effect, since it would be that of the lucky ones."""
        named = {name.replace("_", " "): value for name, value in baselines.items()}
        if 2 * len(self.seconds) < self.tried or not self.seconds:
            return replace(unmeasured(measure, "ms", "lower", self.reason or "nothing was measured", goal_ms), baselines=named)
        return replace(quantile_row(measure, list(self.seconds), q, goal_ms), baselines=named, reason=self.reason)


def sampled(what: str, count: int, take: Callable[[int], float | None]) -> Samples:
    """Take that many samples: seconds, or None for one without an effect. After `VAIN` of these in a row, the rest is given up."""
    taken: list[float | None] = []
    for number in counted(range(count), what):
        taken.append(take(number))
        if len(taken) >= VAIN and not any(each is not None for each in taken[-VAIN:]):
            break
    return Samples(tuple(each for each in taken if each is not None), len(taken))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """The options as given, in the order of `--help`."""

    json_file: Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.", show_default=False)] = None
    names: Annotated[bool, typer.Option("--list", help="List the benchmarks and exit.")] = False
    quick: Annotated[bool, typer.Option("--quick", help="A smoke run for tests: its figures are not representative.")] = False
    only: Annotated[str, typer.Option("--set", help="Measure only this set, in a benchmark that has sets.")] = ""
    wrong: Annotated[bool, typer.Option("--wrong", help="Also list the sentences that went wrong, in a benchmark that has sets.")] = False
    backends: Annotated[
        str, typer.Option("--backend", help="Measure only these recognisers, NAME or NAME=WEIGHTS, with commas between; speech only.")
    ] = ""
    give_up: Annotated[float, typer.Option("--give-up-after", min=0.1, help="Give up a row after so many seconds without progress.")] = (
        LIMIT
    )
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="At most this many sounds, faults, commands or errands of a kind; 0: all.")
    ] = 0


@takes(BenchOptions)
def bench(name: Annotated[str, typer.Argument(help="Name of the benchmark; --list lists them.")] = "", *, options: BenchOptions) -> None:
    """Run a benchmark side by side with its baselines; print the table and write it as JSON.

    Examples:

    - `sayso bench --list`

    - `sayso bench latency --json latency.json`

    - `sayso bench meaning --set development --wrong`

    - `sayso bench speech --set orders --backend pocketsphinx --limit 50`

    - `sayso bench faults --set kills --limit 100`
    """
    found = _benchmarks()
    if options.names or not name:
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
        for row in _run(name, load_benchmark(found[name]), options):
            rows.append(row)
            told.print(f"{row.measure}: {_figure(row)}", style="dim", markup=False, highlight=False)
    except KeyboardInterrupt:
        if not rows:
            raise
        complete = False
    console.print(table(rows))
    warning = "; quick: figures are not representative" if options.quick else "" if complete else "; interrupted: figures are missing"
    console.print(f"{name} on {machine()['cpu']}, {machine()['cores']} cores{warning}", style="dim")
    if options.json_file:
        facts = {"name": name, "when": when, "quick": options.quick, "complete": complete, "machine": machine(), "versions": versions()}
        content = {**facts, "rows": [asdict(row) for row in rows]}
        options.json_file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
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


def _run(name: str, module: ModuleType, options: BenchOptions) -> Iterator[Row]:
    """The benchmark's rows.

    Raises:
        SaysoError: it does not have an option that was asked for.
    """
    known = inspect.signature(module.run).parameters
    asked = {option: getattr(options, option) for option in OPTIONS}
    if strange := [OPTIONS[option] for option, value in asked.items() if value and option not in known]:
        raise SaysoError(f"the benchmark '{name}' does not have {', '.join(strange)}: leave it out")
    with RowWatch(options.give_up, f"the first figure of {name}"):
        try:
            for row in module.run(quick=options.quick, **{option: value for option, value in asked.items() if option in known}):
                progress(f"the figure after “{row.measure}”")
                yield row
        except GivenUp as why:
            yield unmeasured("all further figures", "", "higher", str(why))


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
