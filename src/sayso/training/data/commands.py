"""`sayso data`: download the public data sets for training and evaluation from their publishers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from sayso.errors import SaysoError
from sayso.training.data import photograph_archives, publishers
from sayso.training.data.corpora import data_folder
from sayso.training.data.datasets import DataSet, chosen, datasets
from sayso.training.data.download import download

CONVERSIONS = {
    "huric": publishers.huric,
    "alfred": publishers.alfred,
    "coco128": photograph_archives.coco128,
    "bottles_and_cups": photograph_archives.bottles_and_cups,
    "kitchen_containers": photograph_archives.kitchen_containers,
}
app = typer.Typer(help="Download the data sets for training and benchmarks.", no_args_is_help=True, rich_markup_mode="markdown")

Folder = Annotated[
    Path | None,
    typer.Option("--folder", help="Folder of the data sets; default: $SAYSO_DATA, or data/ in the checkout.", show_default=False),
]
Names = Annotated[list[str] | None, typer.Argument(help="Names of data sets; default: all.", show_default=False)]


@app.command("list")
def list_sets(folder: Folder = None) -> None:
    """List the data sets with their licences, and which of them are downloaded.

    Example: `sayso data list`
    """
    where = folder or data_folder()
    table = Table(
        "name", "downloaded", "contents", "licence", "publisher", header_style="bold", title=str(where), title_justify="left", box=None
    )
    for name, each in datasets().items():
        table.add_row(name, "[green]yes[/]" if each.present(where / name) else "no", each.what, each.licence, each.publisher)
    Console().print(table)


@app.command("download")
def download_sets(names: Names = None, folder: Folder = None) -> None:
    """Download data sets from their publishers. Complete ones are kept, and an interrupted download continues.

    Examples:

    - `sayso data download`

    - `sayso data download clinc150 huric --folder ~/data`

    Exit code: 0 when all are complete; 2 when one failed (the others are still downloaded).
    """
    console, where = Console(stderr=True), folder or data_folder()
    failed = {}
    for name, each in chosen(names or []).items():
        if each.present(where / name):
            console.print(f"{name}: already in {where / name}", highlight=False)
            continue
        try:
            amount = _bring(each, where / name, console)
        except SaysoError as reason:
            failed[name] = reason
            console.print(f"[red]{name}:[/] {reason}", highlight=False, soft_wrap=True)
            continue
        console.print(f"{name}: {amount} in {where / name}\n  {each.licence}. Cite: {each.citation}", highlight=False, soft_wrap=True)
    if failed:
        raise SaysoError(f"not downloaded: {', '.join(failed)}")


def _bring(each: DataSet, where: Path, console: Console) -> str:
    """Download one set with a progress bar; returns its amount, such as "3 files"."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        if each.files:
            task = bar.add_task(where.name, total=sum(file.size for file in each.files.values()))
            for name, file in each.files.items():
                download(file.url, where / name, file.sha256, lambda count: bar.advance(task, count))
            return f"{len(each.files)} files"
        task = bar.add_task(where.name, total=None)
        archive = where / each.archive.rsplit("/", 1)[-1]
        download(each.archive, archive, progress=lambda count: bar.advance(task, count))
        bar.update(task, description=f"{where.name}: converting")
        partial = where / f"{each.result}.new"
        count = CONVERSIONS[each.convert](archive, partial)
        least, what = each.least
        if count < least:
            archive.unlink()
            partial.unlink()
            raise SaysoError(f"{each.archive} holds {count:,} {what}, expected {least:,} at least: the publisher has changed it")
        partial.replace(where / each.result)
        archive.unlink()
    return f"{count:,} {what}"
