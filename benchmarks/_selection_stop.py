"""The rows of stopping in the table of choosing: those of the benchmarks stop_latency and stop_sound."""

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
    """Of both benchmarks."""
    yield from _rows("stop_latency", quick, LATENCY)
    yield from _rows("stop_sound", quick, SOUND)


def _rows(name: str, quick: bool, measures: Sequence[tuple[str, str, Any, float]]) -> Iterator[Row]:
    """The rows of a benchmark of its own, or why there are none."""
    path = HERE / f"{name}.py"
    reason = "a smoke run does not start it" if quick else "" if path.is_file() else f"there is no benchmark {name} yet"
    found: Sequence[Row] = ()
    if not reason:
        try:
            found = list(load_benchmark(path).rows(quick))
        except Exception as error:  # noqa: BLE001 - what another benchmark needs may be missing here; it says what
            reason = f"{name}: {error}"
    yield from found
    if found:
        return
    for measure, unit, better, goal in measures:
        yield Row(measure, None, unit, better, goal, reason=reason)
