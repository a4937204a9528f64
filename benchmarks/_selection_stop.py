"""The stop rows of the selection table, from the benchmarks stop_latency and stop_sound."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sayso.console.bench import Row, load_benchmark, part

HERE = Path(__file__).parent


def rows() -> Iterator[Row]:
    """Rows of both benchmarks."""
    for name in ("stop_latency", "stop_sound"):
        yield from part(name, load_benchmark(HERE / f"{name}.py").run)
