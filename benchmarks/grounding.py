"""Finds what phrases mean in pictures: the right thing, things that are not there, calibrated probabilities, time.

Parts (`--set`): photographs (_grounding_photographs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from _grounding_photographs import rows as photograph_rows
from sayso.console.bench import Row
from sayso.errors import SaysoError

PARTS: dict[str, Callable[[bool], Iterator[Row]]] = {"photographs": photograph_rows}


def run(quick: bool = False, only: str = "") -> Iterator[Row]:
    """Yield all rows, or those of one part.

    Raises:
        SaysoError: there is no such part, or its pictures are missing.
    """
    if only and only not in PARTS:
        raise SaysoError(f"the benchmark 'grounding' has no set '{only}'; it has: {', '.join(PARTS)}")
    for name, rows in PARTS.items():
        if only in ("", name):
            yield from rows(quick)
