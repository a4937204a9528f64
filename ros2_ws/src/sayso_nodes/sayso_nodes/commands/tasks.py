"""`sayso tasks`: what the robot is to do later, and what it must not do. Asks the running nodes, or reads their file."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.table import Table

from sayso.agenda import AgendaEntry, AgendaFile, DeferredTask, Now, agenda_named
from sayso.agenda.file import ALL, ENVIRONMENT, Entry
from sayso.agenda.wording import agenda_entry
from sayso.console.stages import plain_console
from sayso.errors import MemoryDamagedError, RosError, SaysoError

app = typer.Typer(rich_markup_mode="markdown")
FileOption = Annotated[Path | None, typer.Option("--file", help="This file of an agenda, not the running nodes.")]
HomeOption = Annotated[str, typer.Option(help="Only this home, by the name of its domain.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Namespace = Annotated[str, typer.Option(help="ROS namespace of the robot, if there are several.")]


class Source(NamedTuple):
    """Where the agenda is."""

    file: Path | None  # None: the running nodes, or their file if none run
    home: str
    namespace: str


@app.callback(invoke_without_command=True)
def tasks(
    context: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Also what is done, missed or taken back.")] = False,
    *,
    file: FileOption = None,
    home: HomeOption = "",
    namespace: Namespace = "",
    as_json: Json = False,
) -> None:
    """List what the robot is to do later and what it must not do, and take it back.

    Asks the running nodes. If none run, it reads their file: $SAYSO_AGENDA, else agenda.sqlite in the state folder.

    Examples:

    - `sayso tasks`

    - `sayso tasks --all --json`

    - `sayso tasks take-back 3`
    """
    if context.invoked_subcommand is not None:
        return
    entries = _asked("list_all" if everything else "list", "", Source(file, home, namespace))
    if as_json:
        _print_json(entries)
    elif entries:
        plain_console().print(_table(entries, everything))
    else:
        typer.echo("there is nothing to do later, and no standing rule")


@app.command("take-back")
def take_back(
    which: Annotated[str, typer.Argument(help="The id that `sayso tasks` shows, or all.", metavar="ID|all")],
    *,
    file: FileOption = None,
    home: HomeOption = "",
    namespace: Namespace = "",
    as_json: Json = False,
) -> None:
    """Take back a task or a rule, or all of them. This does not end a task that is being carried out.

    Exit code: 2 if there is no open task or rule of that id.

    Examples:

    - `sayso tasks take-back 3`

    - `sayso tasks take-back all`
    """
    entries = _asked("take_back", which, Source(file, home, namespace))
    if as_json:
        _print_json(entries)
        return
    for entry in entries:
        typer.echo(" ".join(filter(None, (f"taken back: {entry.what}", entry.when))))
    if not entries:
        typer.echo("there is nothing to take back")


def _asked(command: str, which: str, source: Source) -> Sequence[AgendaEntry]:
    """The answer of the running nodes, or of the file if it is named or no nodes run."""
    if source.file is None:
        try:
            return _of_nodes(command, which, source.namespace)
        except (ImportError, _NotRunningError):
            path = agenda_named("auto", simulated=False, namespace=source.namespace)
        if path is None:
            raise SaysoError(f"no nodes run, and there is no file because ${ENVIRONMENT} is empty: name one with --file")
        return _of_file(command, which, AgendaFile(path), source.home)
    if not source.file.is_file():
        raise SaysoError(f"{source.file}: no such file")
    return _of_file(command, which, AgendaFile(source.file), source.home)


class _NotRunningError(Exception):
    """No running node serves the agenda."""


def _of_nodes(command: str, which: str, namespace: str) -> Sequence[AgendaEntry]:
    from sayso_msgs.srv import Tasks

    from sayso_nodes.caller import Caller
    from sayso_nodes.conversions import from_message

    with Caller(namespace) as caller:
        if not caller.serves("tasks", Tasks):
            raise _NotRunningError
        response = caller.call("tasks", Tasks.Request(command=command, id=which), Tasks)
    if not response.success:
        raise RosError(response.message)
    return [from_message(entry) for entry in response.entries]


def _of_file(command: str, which: str, file: AgendaFile, home: str) -> Sequence[AgendaEntry]:
    try:
        homes = [home] if home else file.homes()
        if command != "take_back":
            found = [entry for each in homes for entry in file.read(each) if entry.open or command == "list_all"]
            return [_row(entry) for entry in found]
        having = [each for each in homes if any(entry.open and entry.id == which for entry in file.read(each))]
        if which != ALL and len(having) > 1:
            raise SaysoError(f"{' and '.join(having)} have an open entry of the id '{which}': name one with --home")
        taken = [entry for each in (homes if which == ALL else having) for entry in file.take_back(each, which, "taken back by a program")]
    except MemoryDamagedError as error:
        raise SaysoError(f"{error}: the robot sets it aside when it starts") from None
    if not taken and which != ALL:
        raise SaysoError(f"no open task or rule has the id '{which}' ({file.path})")
    return [_row(entry) for entry in taken]


def _table(entries: Sequence[AgendaEntry], everything: bool) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("id", "what", "when", "said", "as", *(("state",) if everything else ())):
        table.add_column(name, overflow="fold", justify="right" if name == "id" else "left")
    for entry in entries:
        when = entry.when or ("always" if entry.kind == "rule" else "")
        cells = (entry.id, entry.what, when, f"{datetime.fromtimestamp(entry.created).astimezone():%Y-%m-%d %H:%M}", entry.text)
        state = f"{entry.state}: {entry.reason}" if entry.reason not in ("", entry.state) else entry.state
        table.add_row(*cells, *((state,) if everything else ()))
    return table


def _print_json(entries: Sequence[AgendaEntry]) -> None:
    rows = [{name: _plain(value) for name, value in asdict(entry).items()} for entry in entries]
    typer.echo(json.dumps(rows, indent=2, ensure_ascii=False))


def _plain(value: object) -> object:
    """As JSON has it: NaN and infinities are null."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _row(entry: Entry) -> AgendaEntry:
    """The row of an entry while no robot's clock is known: as if it had run since the entry was made."""
    wall = Now.at(0.0).wall
    return agenda_entry(entry, Now(wall - entry.created + entry.created_ros if isinstance(entry, DeferredTask) else wall, wall))
