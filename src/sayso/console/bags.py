"""`sayso bags`: list replayed bags and query all their results at once."""

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

HELP = """List replayed bags and query their results.

Examples:

- `sayso bags list week47/`

- `sayso bags query 'decision == "reject" and p > 0.4'`

- `sayso bags columns`
"""
app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="markdown")

SHOWN = ("bag", "t", "text", "action", "decision", "p", "verdict")  # default columns: they fit a terminal
DEFAULT = Path("runs")
Folders = Annotated[list[Path] | None, typer.Argument(help="Folders with results, searched recursively. Default: runs.")]


@app.command()
def query(
    condition: Annotated[str, typer.Argument(help="A condition on utterances.")],
    folders: Folders = None,
    *,
    columns: Annotated[str, typer.Option("--columns", "-c", help="Columns to show, separated by commas, or 'all'.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Maximum number of rows; 0: all.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines with all columns and nothing else.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print comma-separated values with all columns and nothing else.")] = False,
) -> None:
    """Show the utterances that meet a condition. Nothing is changed.

    Examples:

    - `sayso bags query 'decision == "reject" and p > 0.4'`

    - `sayso bags query '"cup" in text and verdict == "wrong"' week47/ --csv > cups.csv`

    Texts are quoted. Operators: `== != < <= > >= in and or not`. `p == None` holds where p is missing. Functions: lower, length,
    startswith, endswith, abs. `sayso bags columns` lists the columns.

    Exit code: 0, also if no utterance is found; 2 if the condition is invalid or there are no results.
    """
    from sayso.fleet.store import ask

    if as_json and as_csv:
        raise typer.BadParameter("give --json or --csv, not both")
    results = _open(folders)
    whole = columns == "all" or (not columns and (as_json or as_csv))
    named = [] if whole else [name.strip() for name in columns.split(",")] if columns else [n for n in SHOWN if n in results.columns]
    found = ask(results, condition, named, limit or None)
    if as_json:
        sys.stdout.write(found.write_ndjson())
    elif as_csv:
        sys.stdout.write(_without_lists(found).write_csv())
    else:
        _print(found)
        total = ask(results, "true", list(results.columns)[:1]).height
        _note(f"{found.height} of {total} utterances in {results.files} {'folder' if results.files == 1 else 'folders'}")


@app.command(name="list")
def list_bags(folders: Folders = None) -> None:
    """List replayed bags with the number of utterances and their decisions.

    Example: `sayso bags list week47/`
    """
    from sayso.fleet.store import by_bag

    results = _open(folders)
    _print(by_bag(results))


@app.command()
def columns(folders: Folders = None) -> None:
    """List the columns that a query can use, with their types.

    Example: `sayso bags columns week47/`
    """
    from sayso.fleet.store import KIND_NAMES

    for name, kind in _open(folders).columns.items():
        typer.echo(f"{name:<20} {KIND_NAMES[kind]}")


def _open(folders: Sequence[Path] | None) -> Results:
    from sayso.fleet.store import open_results

    if not folders and not DEFAULT.is_dir():
        raise SaysoError("no folder 'runs' here: name the folder given to `sayso replay --out`")
    results = open_results(folders or [DEFAULT])
    for problem in results.problems:
        _note(problem)
    return results


def _print(found: pl.DataFrame) -> None:
    """Print a table; into a file or pipe, without breaking lines."""
    from rich.table import Table

    from sayso.console.stages import plain_console

    console = plain_console()
    if not console.is_terminal:
        console.width = 10_000  # programs that read this expect one line per row
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
    """CSV has no lists: join their items with blanks."""
    import polars as pl

    return found.with_columns(pl.col(name).list.join(" ") for name, kind in found.schema.items() if isinstance(kind, pl.List))


def _note(line: str) -> None:
    typer.echo(line, err=True)
