"""LTTng's tracer, which ROS's client library loads, across a fork: its two threads do not survive, so it is told before and after.

The library liblttng-ust-fork does the same, but has to be loaded before everything else.
"""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

THREADS = 2  # that the tracer starts when it is loaded
LIBRARY = re.compile(r"\S+/liblttng-ust(-[0-9a-f]+)?\.so\S*")  # not its parts, such as liblttng-ust-tracepoint
CALLS = ("before_fork", "after_fork_parent", "after_fork_child")
PREFIXES = ("ust_", "lttng_ust_")  # before and from version 2.13


class TracerFork:
    """The calls around a fork; they do nothing where no tracer is loaded."""

    def __init__(self) -> None:
        """Look for the tracer.

        Raises:
            OSError: it is loaded, but does not have these calls.
        """
        found = LIBRARY.search(Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace"))
        self.threads = THREADS if found else 0
        self._signals = ctypes.create_string_buffer(128)  # a sigset_t: the signals that were blocked before
        self._calls = dict.fromkeys(CALLS, lambda _: None) if found is None else _calls(ctypes.CDLL(found.group()))

    def before(self) -> None:
        """Take its locks, and block signals."""
        self._calls["before_fork"](self._signals)

    def in_parent(self) -> None:
        """Go on."""
        self._calls["after_fork_parent"](self._signals)

    def in_child(self) -> None:
        """Start anew, with threads of its own."""
        self._calls["after_fork_child"](self._signals)


def _calls(library: ctypes.CDLL) -> dict[str, Any]:
    for prefix in PREFIXES:
        if all(hasattr(library, f"{prefix}{name}") for name in CALLS):
            return {name: getattr(library, f"{prefix}{name}") for name in CALLS}
    raise OSError(f"{library}: no calls around a fork")
