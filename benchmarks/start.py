"""The running graph: how long it takes to start, and what it costs at rest; and what a single `sayso ask` costs.

Each start is that of `sayso up` with the simulated home: from the launcher until all nodes are active. The first one has an empty cache of
language models. The load is four loops beside it. At rest, nobody speaks and nothing moves. Memory is the proportional set size (PSS): what
several processes share is counted once. Times depend on what else the machine does; processor seconds and memory hardly do.

Baseline: the same at 0.1.0, where each node imported everything for itself, as measured on a machine of two cores that did little else.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import yaml

from sayso.console.bench import Row
from sayso.paths import config_dir

DOMAIN_ID = "61"
PORT = 8781  # of the page
LOAD = 4  # loops beside a start
WITHIN = 240.0  # s for a start
CALM = 10.0  # s from the start until the graph is at rest
RESTING = 60.0  # s over which its cost is measured
SENTENCES = 1_000
TICKS = os.sysconf("SC_CLK_TCK")
BURN = "while True: pass"
ANSWERED = 600.0  # s for a command


@dataclass(frozen=True, slots=True)
class StartMeasure:
    """A row of the table: its goal, and the value at 0.1.0."""

    name: str
    unit: str
    goal: float
    before: float | None


IDLE = StartMeasure("start, warm and idle", "s", 5.0, 13.0)
LOADED = StartMeasure("start, beside a load of four", "s", 10.0, 26.0)
FIRST = StartMeasure("start, the first time after set-up", "s", 15.0, 52.0)
EDITED = StartMeasure("start, an own home after an edit", "s", 12.0, 65.0)
REST = StartMeasure("processor at rest, no page", "% of a core", 12.0, 71.0)
PAGE = StartMeasure("processor at rest, one page", "% of a core", 15.0, None)
MEMORY = StartMeasure("memory of the graph, PSS", "MB", 700.0, 1650.0)
PUSHED = StartMeasure("page at rest", "kB/s", 5.0, 45.0)
ASK = StartMeasure("sayso ask, processor", "s", 0.9, 2.05)
LOADING = StartMeasure("Sayso.load(), processor", "s", 0.7, 1.85)
FILE = StartMeasure(f"ask --file, {SENTENCES:,} sentences, processor", "s", 15.0, 44.0)
FILE_TOLD = StartMeasure("the same with OMP_NUM_THREADS=1", "s", 15.0, 19.0)


def run(quick: bool = False) -> Iterator[Row]:
    """The rows, in the order of the table. With `quick`, shorter measurements."""
    rest, sentences = (5.0, 20) if quick else (RESTING, SENTENCES)
    with tempfile.TemporaryDirectory() as folder:
        cold = {"SAYSO_CACHE": folder}
        first = _started(cold)  # before the warm one, which may find that cache
        yield _row(IDLE, _started(cold))
        with _load():
            yield _row(LOADED, _started(cold))
        yield _row(FIRST, first)
        yield _row(EDITED, _started(cold, _edited_home(Path(folder))))
        yield from _at_rest(cold, rest)
    yield _row(ASK, _processor(["ask", "bring me the red cup"]))
    yield _row(LOADING, _processor_of([sys.executable, "-c", "import sayso; sayso.Sayso.load()"]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sentences.txt"
        path.write_text("\n".join(_sentences(sentences)) + "\n")
        for measure, told in ((FILE, {}), (FILE_TOLD, {"OMP_NUM_THREADS": "1"})):
            yield _row(measure, _processor(["ask", "--file", str(path)], told), SENTENCES if not quick else sentences)


def _row(measure: StartMeasure, value: float | None, n: int = 1) -> Row:
    reason = "" if value is not None else "the nodes were not active in time"
    return Row(measure.name, value, measure.unit, "lower", measure.goal, {"0.1.0": measure.before}, n=n, reason=reason)


@contextmanager
def _running(environment: Mapping[str, str], home: Path | None = None, page: bool = False) -> Iterator[tuple[float, list[int]]]:
    """The graph with the simulated home: s until all nodes were active, and the processes."""
    from sayso_nodes.running.processes import RunningGraph

    os.environ["ROS_DOMAIN_ID"] = DOMAIN_ID
    parameters = {"web_console": {"port": PORT}} if page else {}
    began = time.monotonic()
    with ExitStack() as stack:
        logs = stack.enter_context(tempfile.TemporaryDirectory())
        env = {"ROS_DOMAIN_ID": DOMAIN_ID, **environment}
        graph = stack.enter_context(RunningGraph("sim", domain_file=home, env=env, log_dir=logs, parameters=parameters))
        if page:
            graph.start("web_console")
        graph.wait_active(WITHIN)
        yield time.monotonic() - began, _family(os.getpid())


def _started(environment: Mapping[str, str], home: Path | None = None) -> float | None:
    from sayso.errors import RosError

    with suppress(RosError), _running(environment, home) as (seconds, _):
        return seconds
    return None


def _at_rest(environment: Mapping[str, str], seconds: float) -> Iterator[Row]:
    """What the graph costs when nobody speaks: without and with a page, which is measured as well."""
    with _running(environment) as (_, processes):
        time.sleep(CALM)
        yield _row(REST, _cost(processes, seconds))
        memory = sum(map(_pss, processes))
    with _running(environment, page=True) as (_, processes), _reader(f"ws://127.0.0.1:{PORT}/ws") as pushed:
        time.sleep(CALM)
        yield _row(PAGE, _cost(processes, seconds))
        yield _row(MEMORY, memory)
        yield _row(PUSHED, pushed(seconds))


def _family(root: int) -> list[int]:
    """The processes below this one."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found[1:]


def _spent(process: int) -> float:
    """Processor time, user and system, s."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def _cost(processes: list[int], seconds: float) -> float:
    """% of a core over that time."""
    before, began = sum(map(_spent, processes)), time.monotonic()
    time.sleep(seconds)
    return 100.0 * (sum(map(_spent, processes)) - before) / (time.monotonic() - began)


def _pss(process: int) -> float:
    """MB."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / 1e6


@contextmanager
def _load() -> Iterator[None]:
    loops = [subprocess.Popen([sys.executable, "-c", BURN]) for _ in range(LOAD)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def _edited_home(folder: Path) -> Path:
    """The default home, in which a thing has got another name."""
    home = yaml.safe_load((config_dir() / "home.yaml").read_text())
    home["include"] = [f"sayso:{name}" for name in home.get("include", [])]
    thing = next(iter(home["objects"].values()))
    thing["names"] = [*thing.get("names", []), "crimson beaker"]
    if home.get("scene"):
        home["scene"] = str(config_dir() / "scenes" / Path(home["scene"]).with_suffix(".yaml").name)
    path = folder / "edited.yaml"
    path.write_text(yaml.safe_dump(home, sort_keys=False, allow_unicode=True))
    return path


@contextmanager
def _reader(page: str) -> Iterator[Callable[[float], float]]:
    """A page that is open, as its WebSocket; a function that measures what it gets, kB/s over so many s."""
    from websockets.sync.client import connect

    got = [0]
    with connect(page, max_size=None) as socket:

        def read() -> None:
            for message in socket:
                got[0] += len(message if isinstance(message, bytes) else message.encode())

        threading.Thread(target=read, daemon=True).start()

        def measured(seconds: float) -> float:
            before, began = got[0], time.monotonic()
            time.sleep(seconds)
            return (got[0] - before) / (time.monotonic() - began) / 1e3

        yield measured


def _sentences(number: int) -> list[str]:
    """Sentences of the default home, drawn from the examples of its intents."""
    from sayso.domain import load_domain
    from sayso.domain.sentences import sentences

    said = sorted({sentence.text for sentence in sentences(load_domain(), per_template=4)})
    return random.Random(1).sample(said, number)


def _processor(arguments: list[str], environment: Mapping[str, str] | None = None) -> float:
    """The processor time of a command of `sayso`, s."""
    command = [sys.executable, "-c", "from sayso.cli import main; main()", *arguments]
    return _processor_of(command, environment)


def _processor_of(command: list[str], environment: Mapping[str, str] | None = None) -> float:
    inherited = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    before = os.times()
    subprocess.run(command, env={**inherited, **(environment or {})}, stdout=subprocess.DEVNULL, timeout=ANSWERED, check=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system
