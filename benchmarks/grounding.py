"""Finds what phrases mean in pictures: the right thing, things that are not there, descriptions, several views, photographs, time.

Parts (`--set`): simulation (_grounding_simulation.py), views (_grounding_views.py), descriptions (_grounding_descriptions.py) and
photographs (_grounding_photographs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from _grounding_descriptions import rows as description_rows
from _grounding_photographs import rows as photograph_rows
from _grounding_simulation import rows as simulation_rows
from _grounding_views import rows as view_rows
from sayso.console.bench import Row, part
from sayso.errors import SaysoError
from sayso.grounding.grounder import VisualGrounder


def _descriptions(quick: bool) -> Iterator[Row]:
    yield from description_rows({"with the network": VisualGrounder()}, quick)


PARTS: dict[str, Callable[[bool], Iterator[Row]]] = {
    "simulation": simulation_rows,
    "views": view_rows,
    "descriptions": _descriptions,
    "photographs": photograph_rows,
}


def run(quick: bool = False, only: str = "") -> Iterator[Row]:
    """Yield all rows, or those of one part.

    Raises:
        SaysoError: there is no such part, or the pictures of the only part are missing.
    """
    if only and only not in PARTS:
        raise SaysoError(f"the benchmark 'grounding' has no set '{only}'; it has: {', '.join(PARTS)}")
    for name, rows in PARTS.items():
        if only in ("", name):
            yield from rows(quick) if only else part(name, partial(rows, quick))
