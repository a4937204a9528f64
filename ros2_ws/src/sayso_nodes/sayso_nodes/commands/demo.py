"""`sayso demo`: recorded sentences, real nodes, the embedded home; judged by the ground truth, with a recording and a report."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sayso.console.options import takes
from sayso.errors import RosError
from sayso_nodes.page_options import NODE, TOKEN, PageOptions

if TYPE_CHECKING:
    from sayso.console.stages import StageView
    from sayso.evaluation.run import Act
    from sayso_nodes.commands.demo_acts import DemoSentence
    from sayso_nodes.commands.demo_watch import Watch
    from sayso_nodes.running.processes import RunningGraph

DOMAINS = range(70, 80)  # of ROS: they keep the demo and other robots apart
ACTIVE_WITHIN = 90.0  # s: on a slow machine, with cold caches


@dataclass(frozen=True, slots=True)
class _DemoSettings:
    """How a demo runs."""

    folder: Path  # of the run
    domain_file: Path | None
    speed: float  # simulated seconds a second
    record: bool
    began: float  # monotonic s
    timeout: float  # s
    port: int  # of the page; 0: there is none
    page: Mapping[str, object]  # parameters of web_console
    token: str  # of the page


@takes(PageOptions)
def demo(
    sentence: Annotated[list[Path] | None, typer.Option(help="Sound file to play instead of the three acts; may be repeated.")] = None,
    domain: Annotated[Path | None, typer.Option(help="Domain file of another home.", exists=True, dir_okay=False)] = None,
    speed: Annotated[float, typer.Option(min=0.1, max=20.0, help="Simulated seconds a second.")] = 1.0,
    out: Annotated[Path | None, typer.Option(help="Folder for the run; default: ./runs/TIME. It must not contain a bag.")] = None,
    record: Annotated[bool, typer.Option(help="Record the bag, and make pictures and a report from it.")] = True,
    timeout: Annotated[float, typer.Option(min=10.0, help="Give up after this many seconds.")] = 600.0,
    console: Annotated[bool, typer.Option("--console", help="Serve a page that shows it (see `sayso console`).")] = False,
    *,
    page: PageOptions,
) -> None:
    """Play spoken sentences to a simulated robot at home and show what it hears, thinks and does.

    Without --sentence, it has three acts: a command to carry out, one that needs a question, and a remark that isn't a command.
    Exit code: 0 if the simulator's ground truth shows the expected result.

    Examples:

    - `sayso demo`

    - `sayso demo --speed 2`

    - `sayso demo --console`

    - `sayso demo --sentence my_order.wav --no-record`

    - `sayso demo --domain config/warehouse.yaml`
    """
    began = time.monotonic()
    from sayso.console.stages import StageView
    from sayso.extras import require
    from sayso_nodes.commands.console import free_port
    from sayso_nodes.graph import load_graph

    require("ros")
    require("sim")
    port, token = 0, ""
    if console:
        require("console")
        port, token = free_port(), page.checked_token()
    else:
        page.refuse()
    view = StageView()
    count = len(load_graph("sim").nodes) + 1 + record + console
    sentences = _sentences(sentence, domain)
    folder = _run_folder(out)
    view.heading(f"Sayso: starting {count} nodes, each its own process …")
    settings = _DemoSettings(folder, domain, speed, record, began, timeout, port, page.parameters(), token)
    acts, timings = _perform(sentences, view, settings)
    if record:
        _write_record(folder, acts, domain, speed, timings)
        _tell(view, folder, domain)
    ok = _conclude(view, acts, timings, folder)
    if not ok:
        raise typer.Exit(1)


def _sentences(files: list[Path] | None, domain_file: Path | None) -> tuple[DemoSentence, ...]:
    from sayso_nodes.commands.demo_acts import DemoSentence, checked, default_sentences

    return checked(DemoSentence(file.resolve(), "as decided") for file in files) if files else default_sentences(domain_file)


def _run_folder(out: Path | None) -> Path:
    from sayso.runs import new_run_folder

    folder = out or new_run_folder()
    if (folder / "bag").exists():
        raise RosError(f"{folder} already holds a bag: choose another folder for --out")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def _perform(sentences: tuple[DemoSentence, ...], view: StageView, settings: _DemoSettings) -> tuple[list[Act], dict[str, float]]:
    """Perform all acts in one run of the graph; the acts, and seconds of start-up and of each act. It leaves no process behind."""
    from sayso.domain import load_domain
    from sayso.web.server import Address
    from sayso_nodes.commands.demo_acts import perform
    from sayso_nodes.commands.demo_watch import Watch
    from sayso_nodes.running.ending import EndingSignals

    acts: list[Act] = []
    timings: dict[str, float] = {}
    domain, deadline = load_domain(settings.domain_file), settings.began + settings.timeout
    with EndingSignals() as ending, _graph(settings) as (graph, domain_id), Watch(view, domain_id, ending.check) as watch:
        _wait_until_ready(graph, watch, settings.record, deadline, ending.check)
        timings["start-up"] = time.monotonic() - settings.began
        view.heading(f"all nodes are active after {timings['start-up']:.1f} s")
        if port := settings.port:
            view.heading(f"the page: {Address(port=port, token=settings.token).link(port)}")
        for number, sentence in enumerate(sentences, 1):
            started = time.monotonic()
            view.heading(f"act {number} of {len(sentences)}: “{sentence.title}”, expected: {sentence.expected}")
            try:
                acts.append(perform(sentence, watch, domain, deadline, graph.poll))
            except RosError as error:
                raise RosError(f"act {number} (“{sentence.title}”): {error}; the nodes' logs are in {settings.folder / 'logs'}") from None
            timings[f"act {number}"] = time.monotonic() - started
            _verdict(view, acts[-1], timings[f"act {number}"])
    return acts, timings


@contextmanager
def _graph(settings: _DemoSettings) -> Iterator[tuple[RunningGraph, int]]:
    """The nodes, the player and the recorder, in a ROS domain of their own."""
    from sayso_nodes.graph import load_graph
    from sayso_nodes.running.processes import RunningGraph

    domain_id = free_domain()
    env = {"ROS_DOMAIN_ID": str(domain_id), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", TOKEN: settings.token}
    nodes = (*load_graph("sim").nodes, "wav_player", *([NODE] if settings.port else []))
    parameters: dict[str, dict[str, object]] = {
        "simulation": {"real_time_factor": settings.speed},
        NODE: {"port": settings.port, **settings.page},
    }
    with RunningGraph(
        "sim", domain_file=settings.domain_file, parameters=parameters, env=env, log_dir=settings.folder / "logs", nodes=nodes
    ) as graph:
        if settings.record:
            graph.record(settings.folder)
        yield graph, domain_id


def free_domain() -> int:
    """A ROS domain without participants on this machine: DDS's first unicast port (7410 + 250·domain, RTPS 9.6.2.3) is free.

    Raises:
        RosError: there is none.
    """
    for domain_id in DOMAINS:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(("", 7410 + 250 * domain_id))
            except OSError:
                continue
        return domain_id
    raise RosError(f"all ROS domains from {DOMAINS[0]} to {DOMAINS[-1]} are in use: end another `sayso demo` first")


def _wait_until_ready(graph: RunningGraph, watch: Watch, record: bool, deadline: float, check: Callable[[], None]) -> None:
    """Wait until every node is active and the recorder listens, so that the bag holds the whole first act."""
    total = len(graph.processes)
    active: list[str] = []
    console = watch.view.console

    def report(name: str) -> None:
        active.append(name)
        if console.is_terminal:
            status.update(f"{len(active)} of {total} are active, {name} now")

    with console.status("") as status:
        graph.wait_active(min(ACTIVE_WITHIN, deadline - time.monotonic()), report, check)
        if record:
            for topic in ("audio", "world_state", "grounding", "outcome"):
                watch.wait(partial(watch.is_heard_by, "recorder", topic), "the recorder", deadline)


def _verdict(view: StageView, act: Act, seconds: float) -> None:
    from rich.text import Text

    for check in act.checks:
        sign = ("✓ ", "green") if check.ok else ("✗ ", "bold red")
        view.note(Text.assemble(sign, f"{check.what}: {check.found}", "" if check.ok else (f", must be {check.wanted}", "red")), "truth")
    view.note(Text(f"{seconds:.1f} s on the clock", style="dim"), "")


def _write_record(folder: Path, acts: list[Act], domain_file: Path | None, speed: float, timings: dict[str, float]) -> None:
    from datetime import datetime

    from sayso.domain import load_domain
    from sayso.evaluation.run import Record
    from sayso.models import manifest

    models = {name: entry.sha256 for name, entry in manifest().items()}
    when = datetime.now().astimezone().isoformat(timespec="seconds")
    Record(when, tuple(acts), speed, load_domain(domain_file).scene, _versions(), models, timings).write(folder)


def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"Python": platform.python_version()}
    for name in ("sayso", "ros-jazzy-rclpy", "mujoco", "onnxruntime", "numpy", "rosbags", "pocketsphinx"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not from a wheel"  # a ROS from apt
    return found


def _tell(view: StageView, folder: Path, domain_file: Path | None) -> None:
    from sayso.console.report import make_report
    from sayso_nodes.homes import load_home

    domain, scene = load_home(str(domain_file or ""), "")
    with view.console.status("reading the bag, drawing …"):
        for file in make_report(folder, domain, scene):
            view.note(str(file.relative_to(folder)), "wrote")


def _conclude(view: StageView, acts: list[Act], timings: dict[str, float], folder: Path) -> bool:
    """Print the differences, the timings and where the files are. True if every check passed."""
    from rich.text import Text

    ok = all(act.ok for act in acts)
    view.heading("everything as expected" if ok else "not everything is as expected:")
    for act in acts:
        for check in act.checks:
            if not check.ok:
                view.note(Text(f"“{act.title}”: {check.what}: expected {check.wanted}, found {check.found}", style="red"), "differs")
    took: Any = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in timings.items())
    view.note(took, "took")
    view.note(str(folder), "run")
    if (folder / "report.html").exists():
        view.note(f"{folder / 'report.html'} (the bag: {folder / 'bag'})", "open")
    return ok
