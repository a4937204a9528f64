"""`sayso memory`: show, export and erase what the robot has learnt from confirmed commands and about its skills."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sayso.console.memory_rows import event_as_data, habit_as_data, habits, local
from sayso.console.memory_trials import Wanted, counted, rows_of, trial_as_data
from sayso.console.stages import plain_console
from sayso.errors import MemoryDamagedError, SaysoError
from sayso.memory_format import ENVIRONMENT, users_memory
from sayso.planning.trial_file import TrialFile
from sayso.planning.trials import SkillTrial
from sayso.selection.memory.memory_file import ConfirmedAction, MemoryFile
from sayso.training.learnt_skills import learnt_skill_as_data, skills_table

HELP = """Show, export and erase what the robot has learnt from confirmed commands and about its skills.

Examples:

- `sayso memory show`

- `sayso memory forget --since 2h`

- `sayso memory export habits.yaml`
"""
PREVIEWED = 12  # commands listed before the question whether to erase them
app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="markdown")

FileOption = Annotated[Path | None, typer.Option("--file", help=f"Default: ${ENVIRONMENT}, else memory.sqlite in the state folder.")]
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@app.command()
def show(
    file: FileOption = None,
    *,
    events: Annotated[bool, typer.Option("--events", help="List each confirmed command with its number.")] = False,
    skills: Annotated[bool, typer.Option("--skills", help="Show only what was learnt about the skills.")] = False,
    domain: Annotated[
        Path | None, typer.Option("--domain", "-d", help="Home whose constants stand beside what was learnt.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON and nothing else; skills only with --skills.")] = False,
) -> None:
    """Show what the robot has learnt: how often each action was meant in each situation, and how well and how fast its skills work.

    "prior" compares an action with the remembered actions of the same name and with one that was never confirmed, all else being
    equal: 50 % → 88 % means that it used to be as likely as any other and is now expected. "success" and "seconds" of a skill go from the
    domain's constants to what the next plan expects, seconds of a drive for one of 4 m.

    Examples:

    - `sayso memory show`

    - `sayso memory show --events`

    - `sayso memory show --skills --domain my_home.yaml`

    - `sayso memory show --json | jq '.[] | select(.times > 2)'`
    """
    path, found, trials = _read(file)
    rows = rows_of(trials, domain) if skills or not (events or as_json) else []
    if as_json:
        data = [learnt_skill_as_data(row) for row in rows] if skills else [event_as_data(event) for event in found] if events else None
        typer.echo(json.dumps([habit_as_data(habit) for habit in habits(found)] if data is None else data, indent=2, ensure_ascii=False))
        return
    shown = [] if skills else found
    if not shown and not rows:
        typer.echo(f"nothing has been learnt yet ({path}); simulations are not remembered there, see docs/memory.md")
        return
    if shown:
        plain_console().print(_events(shown) if events else _habits(shown))
        typer.echo(f"{_commands(len(shown))}, since {local(shown[0].time)[:10]}, in {path}", err=True)
    if rows:
        plain_console().print(skills_table(rows))
        typer.echo(f"{counted(len(trials))}, since {local(trials[0].time)[:10]}, in {path}", err=True)


@app.command()
def forget(
    numbers: Annotated[list[int] | None, typer.Argument(help="Numbers of confirmed commands, from `sayso memory show --events`.")] = None,
    *,
    action: Annotated[str, typer.Option(help="Only this action: its name, or part of it as `show` prints it: 'theme=red_cup'.")] = "",
    person: Annotated[str, typer.Option(help="Only commands spoken by this person or about this person.")] = "",
    home: Annotated[str, typer.Option(help="Only this home, by the name of its domain.")] = "",
    since: Annotated[str, typer.Option(help="Only commands since then: a date, a time, or how long ago (30m, 2h, 3d, 1w).")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Everything, including damaged files that were set aside.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Erase without asking.")] = False,
    file: FileOption = None,
) -> None:
    """Erase confirmed commands and skill trials for good. They must match all options. A running robot forgets them within seconds.

    Numbers and --action choose confirmed commands alone.

    Examples:

    - `sayso memory forget 12 13`

    - `sayso memory forget --person anna`

    - `sayso memory forget --action bring --since 2h`

    - `sayso memory forget --all`

    Exit code: 0, also if there is nothing to erase; 1 if you answer no; 2 if it cannot be erased.
    """
    if not (numbers or action or person or home or since or everything):
        raise typer.BadParameter("say what to forget: numbers, --action, --person, --home, --since, or --all")
    path = _path(file)
    aside = [each for each in sorted(path.parent.glob(f"{path.name}.corrupt-*")) if everything]
    try:
        found, trials = MemoryFile(path).read(), TrialFile(path).read()
    except MemoryDamagedError as error:
        if not everything:
            raise _damaged(error) from None
        found, trials, aside = [], [], [each for each in (path, _beside(path, "-wal"), _beside(path, "-shm")) if each.exists()] + aside
    start = _moment(since)
    chosen = [
        event
        for event in found
        if (not numbers or event.id in numbers)
        and (not action or action == event.action.name or ("=" in action and action in str(event.action)))
        and (not person or person in (event.situation.speaker, *(value for _, value in event.action.arguments)))
        and (not home or home == event.home)
        and event.time >= start
    ]
    tried = Wanted(bool(numbers or action), person, home, start).those(trials)
    if not chosen and not tried and not aside:
        typer.echo(f"no confirmed command matches ({path})")
        return
    damaged = f" and {len(aside)} damaged {'file' if len(aside) == 1 else 'files'}" if aside else ""
    if not yes:
        _ask(chosen, tried, damaged, everything)
    erased = MemoryFile(path).forget([event.id for event in chosen]) if chosen else 0
    forgotten = f" and {counted(TrialFile(path).forget([trial.id for trial in tried]))} of {len(trials)}" if tried else ""
    for each in aside:
        _erase(each)
    typer.echo(f"erased: {_commands(erased)} of {len(found)}{forgotten}{damaged}")


def _ask(chosen: Sequence[ConfirmedAction], tried: Sequence[SkillTrial], damaged: str, everything: bool) -> None:
    """Ask whether to erase these; raises typer.Abort if not."""
    if chosen and not everything:
        plain_console().print(_events(chosen[:PREVIEWED]))
        if len(chosen) > PREVIEWED:
            typer.echo(f"… and {len(chosen) - PREVIEWED} more")
    also = f" and {counted(len(tried))}" if tried else ""
    typer.confirm(f"Erase {'all ' if everything else ''}{_commands(len(chosen))}{also}{damaged} for good?", abort=True)


@app.command()
def export(
    to: Annotated[
        Path, typer.Argument(help="File to write: .jsonl (one command or trial per line) or .yaml; - is stdout.", metavar="FILE")
    ],
    *,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    file: FileOption = None,
) -> None:
    """Write the confirmed commands and the skill trials to a file that other programs can read.

    Examples:

    - `sayso memory export habits.yaml`

    - `sayso memory export - | wc -l`
    """
    _, found, trials = _read(file)
    rows = [*map(event_as_data, found), *map(trial_as_data, trials)]
    if str(to) == "-":
        sys.stdout.write(_lines(rows))
        return
    if to.suffix not in (".jsonl", ".yaml", ".yml"):
        raise SaysoError(f"{to}: name a file that ends in .jsonl or .yaml")
    if to.exists() and not force:
        raise SaysoError(f"{to} exists already: name another file, or replace it with --force")
    try:
        to.write_text(_lines(rows) if to.suffix == ".jsonl" else _yaml(rows), encoding="utf-8")
    except OSError as error:
        raise SaysoError(f"{to} cannot be written: {error.strerror}") from None
    typer.echo(f"{_commands(len(found))}{f' and {counted(len(trials))}' if trials else ''} written to {to}", err=True)


def _path(file: Path | None) -> Path:
    path = file or users_memory()
    if path is None:
        raise SaysoError(f"nothing is remembered because ${ENVIRONMENT} is empty: name a file with --file, or unset it")
    return path


def _read(file: Path | None) -> tuple[Path, list[ConfirmedAction], list[SkillTrial]]:
    path = _path(file)
    if file is not None and not file.is_file():
        raise SaysoError(f"{file}: no such file")
    try:
        return path, MemoryFile(path).read(), TrialFile(path).read()
    except MemoryDamagedError as error:
        raise _damaged(error) from None


def _damaged(error: MemoryDamagedError) -> SaysoError:
    return SaysoError(f"{error}: the robot sets it aside when it starts, and `sayso memory forget --all` erases it")


def _moment(since: str) -> float:
    """Start time, s since 1970; 0 if none is given."""
    if not since:
        return 0.0
    try:
        if ago := re.fullmatch(r"(\d+)\s*([mhdw])", since.strip()):
            return (datetime.now().astimezone() - timedelta(**{UNITS[ago[2]]: int(ago[1])})).timestamp()
        return datetime.fromisoformat(since.strip()).astimezone().timestamp()
    except (ValueError, OverflowError):
        raise typer.BadParameter(
            f"--since {since}: a date (2026-11-21), a time (2026-11-21T08:30), or how long ago (30m, 2h, 3d, 1w)"
        ) from None


def _habits(events: Sequence[ConfirmedAction]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    homes = len({event.home for event in events}) > 1
    for name in (*(("home",) if homes else ()), "action", "when"):
        table.add_column(name, overflow="fold")
    for name in ("times", "last", "prior"):
        table.add_column(name, justify="right", no_wrap=True)
    shown: object = None
    for habit in habits(events):
        first = shown != (shown := (habit.home, habit.action))
        when = "always" if habit.situation == type(habit.situation)() else str(habit.situation)
        prior = f"{habit.before:.0%} → {habit.after:.0%}"
        cells = (habit.home if first else "", str(habit.action) if first else "", when, str(habit.times), local(habit.last)[:10], prior)
        table.add_row(*(cells if homes else cells[1:]))
    return table


def _events(events: Iterable[ConfirmedAction]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("number", "time", "action", "how", "situation"):
        table.add_column(name, overflow="fold", justify="right" if name == "number" else "left")
    for event in events:
        table.add_row(str(event.id), local(event.time)[:16].replace("T", " "), str(event.action), event.how, str(event.situation))
    return table


def _lines(rows: Iterable[dict[str, object]]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _yaml(rows: Sequence[dict[str, object]]) -> str:
    import yaml

    return str(yaml.safe_dump(rows, allow_unicode=True, sort_keys=False)) if rows else "[]\n"


def _beside(path: Path, tail: str) -> Path:
    return path.with_name(path.name + tail)


def _erase(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise SaysoError(f"{path} cannot be erased: {error.strerror}") from None


def _commands(number: int) -> str:
    return f"{number} confirmed {'command' if number == 1 else 'commands'}"
