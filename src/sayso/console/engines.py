"""What plays the bags of `sayso replay`: this process, one after the other, or Ray."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

if TYPE_CHECKING:
    from sayso.fleet.cluster import Progress
    from sayso.replay.session import Job, Played

Engine = Callable[[Sequence["Job"], Callable[[str], None]], "Played"]  # the jobs to come, and where progress is told → what plays them


@contextmanager
def chosen_engine(name: Literal["local", "ray"], address: str, workers: int, out: Path) -> Iterator[Engine]:
    """The engine; Ray is up as long as it may be used, and its results are kept in `out`."""
    if name == "local":
        from sayso.replay.session import play

        yield lambda _jobs, _tell: play
        return
    from sayso.fleet.cluster import Fleet, FleetEngine, cluster

    fleet = Fleet(address, workers)
    try:
        with cluster(fleet):
            yield lambda jobs, tell: FleetEngine(jobs, fleet, out, lambda progress: tell(_line(progress)))
    except KeyboardInterrupt:
        typer.echo(f"interrupted; what is done is kept: the same command with --out {out} goes on", err=True)
        raise


def write_tables(folders: Iterable[Path]) -> None:
    """The results as Parquet too, which many are asked faster in; where Polars is not installed, the JSON lines are asked."""
    if importlib.util.find_spec("polars") is None:
        return
    from sayso.fleet.store import RECORDS, write_parquet

    for folder in folders:
        write_parquet(folder / RECORDS)


def _line(progress: Progress) -> str:
    kept = f", {progress.skipped} were there already" if progress.skipped else ""
    return f"{progress.done} of {progress.total} parts{kept} …"
