"""The backends by name, for commands and nodes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from sayso.errors import GroundingError
from sayso.grounding.backend import Backend
from sayso.grounding.grounder import VisualGrounder

DETECTOR = "sayso.grounding.detector"


def backend(name: str) -> Backend:
    """The backend of that name, ready to look.

    Raises:
        GroundingError: there is none.
        ModelError: its files are missing or altered.
    """
    if name not in BACKENDS:
        raise GroundingError(f"no backend is called '{name}': choose {' or '.join(BACKENDS)}")
    return BACKENDS[name]()


def _detector() -> Backend:
    if find_spec(DETECTOR) is None:
        raise GroundingError("this Sayso has no detector for photographs: use --backend ours")
    made: Backend = import_module(DETECTOR).Detector()
    return made


BACKENDS: dict[str, Callable[[], Backend]] = {"ours": VisualGrounder, "detector": _detector}
