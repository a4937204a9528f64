"""The stop rows of the selection table, from the benchmarks stop_latency and stop_sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sayso.console.bench import Row, load_benchmark

HERE = Path(__file__).parent
LATENCY = (
    ("stop: end of the word to zero velocity on the wire, CPU busy, p50", "ms", "lower", 300.0),
    ("stop: end of the word to zero velocity on the wire, CPU busy, p99", "ms", "lower", 600.0),
)
SOUND = (
    ("stop: recall, clean", "%", "higher", 98.0),
    ("stop: recall at 10 dB", "%", "higher", 95.0),
    ("stop: false stops an hour of speech without any", "", "lower", 2.0),
)


def rows(quick: bool) -> Iterator[Row]:
    """Rows of both benchmarks."""
    yield from _rows("stop_latency", quick, LATENCY)
    yield from _rows("stop_sound", quick, SOUND)


def _rows(name: str, quick: bool, measures: Sequence[tuple[str, str, Any, float]]) -> Iterator[Row]:
    """The rows of another benchmark, or empty rows with the reason."""
    path = HERE / f"{name}.py"
    reason = "not part of a quick run" if quick else "" if path.is_file() else f"there is no benchmark {name} yet"
    found: Sequence[Row] = ()
    if not reason:
        try:
            found = list(load_benchmark(path).rows(quick))
        except Exception as error:  # noqa: BLE001 - a requirement of the other benchmark may be missing; the message names it
            reason = f"{name}: {error}"
    yield from found
    if found:
        return
    for measure, unit, better, goal in measures:
        yield Row(measure, None, unit, better, goal, reason=reason)
