"""`sayso bags`: what became of replayed bags, and questions to all of their results at once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sayso.errors import SaysoError

if TYPE_CHECKING:
    import polars as pl

    from sayso.fleet.store import Results

app = typer.Typer(no_args_is_help=True, help="Ask questions to the results of replayed bags.", rich_markup_mode="markdown")

SHOWN = ("bag", "t", "text", "action", "decision", "p", "verdict")  # where no columns are named: what fits a terminal
DEFAULT = Path("runs")
Folders = Annotated[list[Path] | None, typer.Argument(help="Folders with results, searched all the way down; default: runs.")]


@app.command()
def query(
    question: Annotated[str, typer.Argument(help="What must be true of an utterance.")],
    folders: Folders = None,
    *,
    columns: Annotated[str, typer.Option("--columns", "-c", help="Which to show, with commas between; 'all' shows all.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Rows at most; 0: all of them.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines with all columns, and nothing else.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated values with all columns, and nothing else.")] = False,
) -> None:
    """Show the utterances of which something is true; nothing is changed.

    Examples: `sayso bags query 'decision == "reject" and p > 0.4'`,
    `sayso bags query '"cup" in text and verdict == "wrong"' week47/ --csv > cups.csv`.

    A text goes in quotes. Compare with == != < <= > >= and in, join with and, or, not; `p == None` is true where p is missing;
    functions: lower, length, startswith, endswith, abs. `sayso bags columns` names the columns.

    Exit code: 0, also where no utterance is found; 2 where the question cannot be asked or there are no results.
    """
    from sayso.fleet.store import ask

    if as_json and as_csv:
        raise typer.BadParameter("one of --json and --csv")
    results = _open(folders)
    whole = columns == "all" or (not columns and (as_json or as_csv))
    named = [] if whole else [name.strip() for name in columns.split(",")] if columns else [n for n in SHOWN if n in results.columns]
    found = ask(results, question, named, limit or None)
    if as_json:
        sys.stdout.write(found.write_ndjson())
    elif as_csv:
        sys.stdout.write(_without_lists(found).write_csv())
    else:
        _print(found)
        total = ask(results, "true", list(results.columns)[:1]).height
        _tell(f"{found.height} of {total} utterances in {results.files} {'folder' if results.files == 1 else 'folders'}")


@app.command(name="list")
def list_bags(folders: Folders = None) -> None:
    """Show each replayed bag with how many utterances it has, and what became of them.

    Example: `sayso bags list week47/`
    """
    from sayso.fleet.store import by_bag

    results = _open(folders)
    _print(by_bag(results))


@app.command()
def columns(folders: Folders = None) -> None:
    """Name the columns that a question can use, and what they hold.

    Example: `sayso bags columns week47/`
    """
    from sayso.fleet.store import KIND_TOLD

    for name, kind in _open(folders).columns.items():
        typer.echo(f"{name:<20} {KIND_TOLD[kind]}")


def _open(folders: Sequence[Path] | None) -> Results:
    from sayso.fleet.store import open_results

    if not folders and not DEFAULT.is_dir():
        raise SaysoError("there is no folder 'runs' here: name the folder that `sayso replay --out` was given")
    results = open_results(folders or [DEFAULT])
    for problem in results.problems:
        _tell(problem)
    return results


def _print(found: pl.DataFrame) -> None:
    """As a table; where it goes to a file or a program, as wide as it needs to be."""
    from rich.table import Table

    from sayso.console.stages import plain_console

    console = plain_console()
    if not console.is_terminal:
        console.width = 10_000  # no line is broken for a program that reads them
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name, kind in found.schema.items():
        table.add_column(name, justify="right" if kind.is_numeric() else "left", overflow="fold")
    for row in found.iter_rows():
        table.add_row(*(_cell(value) for value in row))
    console.print(table)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _without_lists(found: pl.DataFrame) -> pl.DataFrame:
    """CSV has no lists: their items joined by a blank."""
    import polars as pl

    return found.with_columns(pl.col(name).list.join(" ") for name, kind in found.schema.items() if isinstance(kind, pl.List))


def _tell(line: str) -> None:
    typer.echo(line, err=True)
