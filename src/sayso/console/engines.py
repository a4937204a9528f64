"""Engines of `sayso replay`: bag after bag in this process, or many bags at once with Ray."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

if TYPE_CHECKING:
    from sayso.fleet.cluster import Progress
    from sayso.replay.session import Job, PlayJob

Engine = Callable[[Sequence["Job"], Callable[[str], None]], "PlayJob"]  # jobs, callback for progress → function that plays a job


@contextmanager
def chosen_engine(name: Literal["local", "ray"], address: str, workers: int, out: Path) -> Iterator[Engine]:
    """The engine of that name. Ray runs within this context and keeps its results in `out`."""
    if name == "local":
        from sayso.replay.session import play

        yield lambda _jobs, _show: play
        return
    from sayso.fleet.cluster import Fleet, FleetEngine, cluster

    fleet = Fleet(address, workers)
    try:
        with cluster(fleet):
            yield lambda jobs, show: FleetEngine(jobs, fleet, out, lambda progress: show(_line(progress)))
    except KeyboardInterrupt:
        typer.echo(f"interrupted; finished parts are kept: the same command with --out {out} continues", err=True)
        raise


def write_tables(folders: Iterable[Path]) -> None:
    """Write the results also as Parquet, for faster queries. Without Polars, queries read the JSON lines."""
    if importlib.util.find_spec("polars") is None:
        return
    from sayso.fleet.store import RECORDS, write_parquet

    for folder in folders:
        write_parquet(folder / RECORDS)


def _line(progress: Progress) -> str:
    kept = f", {progress.skipped} done before" if progress.skipped else ""
    return f"{progress.done} of {progress.total} parts{kept} …"
