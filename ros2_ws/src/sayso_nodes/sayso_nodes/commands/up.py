"""`sayso up`: start the nodes and stay."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sayso.console.options import takes
from sayso_nodes.page_options import NODE, TOKEN, PageOptions

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from sayso_nodes.running.ending import EndingSignals
    from sayso_nodes.running.processes import RunningGraph

STARTED_WITHIN = 300.0  # s: a home with intents of its own is learnt when it is first used


@dataclass(frozen=True, slots=True, kw_only=True)
class UpOptions:
    """Options of `sayso up`."""

    robot: Annotated[bool, typer.Option("--robot", help="The nodes for a real robot: microphone, its camera, its wheels.")] = False
    sim: Annotated[bool, typer.Option("--sim", help="The nodes with the embedded simulation: the default.")] = False
    domain: Annotated[Path | None, typer.Option(help="Domain file of another home.", exists=True, dir_okay=False)] = None
    params: Annotated[Path | None, typer.Option(help="Parameters instead of config/nodes.yaml.", exists=True, dir_okay=False)] = None
    without: Annotated[list[str] | None, typer.Option(help="Leave this node out; may be repeated.")] = None
    record: Annotated[bool, typer.Option("--record", help="Record every topic to a bag in ./runs/TIME/bag.")] = False
    speed: Annotated[float, typer.Option(min=0.0, max=100.0, help="Simulated seconds a second; 0: as fast as possible.")] = 1.0
    console: Annotated[bool, typer.Option("--console", help="Serve a page to talk to the robot (see `sayso console`).")] = False
    namespace: Annotated[str, typer.Option(help="ROS namespace of the robot.")] = ""


@takes(UpOptions, PageOptions)
def up(options: UpOptions, page: PageOptions) -> None:
    """Start the nodes, each its own process, and stay until Ctrl-C.

    Then, in another terminal: `sayso say "go to the kitchen"`.

    Examples:

    - `sayso up`

    - `sayso up --console`

    - `sayso up --console --home-folder my_home` to save the home that the page has edited

    - `sayso up --speed 2 --record`

    - `sayso up --robot --domain my_home.yaml --without microphone`
    """
    from rich.console import Console

    from sayso.errors import RosError
    from sayso.extras import require
    from sayso.runs import new_run_folder
    from sayso_nodes.commands.console import page_of
    from sayso_nodes.commands.occupied import refuse_second_graph
    from sayso_nodes.running.ending import EndingSignals
    from sayso_nodes.running.processes import RunningGraph

    require("ros")
    if options.robot and options.sim:
        raise RosError("--robot or --sim, not both")
    variant = "robot" if options.robot else "sim"
    simulated: dict[str, dict[str, object]] = {} if options.robot else {"simulation": {"real_time_factor": options.speed}}
    token = _token(options, page)
    nodes = (*_chosen(variant, options.without or []), *([NODE] if options.console else []))
    refuse_second_graph(nodes, options.namespace)
    folder = new_run_folder() if options.record else None
    terminal = Console(stderr=True)
    with (
        EndingSignals() as ending,
        RunningGraph(
            variant,
            domain_file=options.domain,
            parameters={**simulated, NODE: page.parameters()},
            params_file=options.params,
            env={TOKEN: token},
            namespace=options.namespace,
            nodes=nodes,
        ) as graph,
    ):
        terminal.print(_table(graph, _activate(graph, terminal, ending)))
        if folder is not None:
            terminal.print(f"recording to {graph.record(folder)}")
        if options.console:
            terminal.print(f"The page: [bold]{page_of(options.namespace, token)}[/bold]")
        terminal.print('All nodes are active. In another terminal: [bold]sayso say "go to the kitchen"[/bold]. Ctrl-C ends them.')
        _say_what_nobody_serves(graph, terminal, ending)
        _stay(graph, terminal, ending)


def _chosen(variant: str, without: list[str]) -> tuple[str, ...]:
    """The nodes of the variant, without those."""
    from sayso.errors import RosError
    from sayso_nodes.graph import load_graph

    known = load_graph(variant).nodes
    for name in without:
        if name not in known:
            raise RosError(f"--without {name}: no such node; the nodes are {', '.join(known)}")
    return tuple(name for name in known if name not in without)


def _activate(graph: RunningGraph, console: Console, ending: EndingSignals) -> dict[str, float]:
    """Wait until all nodes are active. Node → seconds that it took."""
    began, took = time.monotonic(), dict[str, float]()
    with console.status("starting the nodes …") as status:

        def report(name: str) -> None:
            took[name] = time.monotonic() - began
            status.update(f"starting the nodes: waiting for {', '.join(other for other in graph.processes if other not in took)} …")

        graph.wait_active(STARTED_WITHIN, report, ending.check)
    return took


def _say_what_nobody_serves(graph: RunningGraph, console: Console, ending: EndingSignals) -> None:
    from sayso_nodes.unserved import told_by_planner, warning

    lacking = told_by_planner(graph.namespace, ending.check) if "planner" in graph.processes else ()
    if lacking:
        console.print(f"[yellow]{warning(lacking)}[/yellow]", highlight=False)


def _stay(graph: RunningGraph, console: Console, ending: EndingSignals) -> None:
    while True:
        ending.check()
        for event in graph.poll():
            console.print(f"[yellow]{event}[/yellow]", highlight=False)
        time.sleep(0.2)


def _table(graph: RunningGraph, took: dict[str, float]) -> Table:
    from rich.table import Table

    table = Table(title=f"the nodes ({graph.graph.variant})")
    for heading in ("node", "does", "pid", "active after"):
        table.add_column(heading)
    for name, held in graph.processes.items():
        table.add_row(name, held.node.does, str(held.process.pid), f"{took[name]:.1f} s" if name in took else "")
    return table


def _token(options: UpOptions, page: PageOptions) -> str:
    """The token of the page; empty if there is no page, whose options are refused then."""
    from sayso.extras import require

    if not options.console:
        page.refuse()
        return ""
    require("console")
    return page.checked_token()
