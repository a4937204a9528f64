"""Latched messages that come before a node is active: a node that restarts must know that the robot is stopped."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

MOST = 256  # messages


class EarlyMessages:
    """Keeps them until the node is active."""

    def __init__(self) -> None:
        self._kept: deque[tuple[Callable[[Any], Any], Any]] = deque(maxlen=MOST)

    def keeping(self, active: Callable[[], bool], take: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A callback that takes a message while `active`, and keeps it else."""

        def taking(message: Any) -> Any:
            if active():
                return take(message)
            self._kept.append((take, message))
            return None

        return taking

    def deliver(self) -> None:
        """Hand over what was kept, in its order."""
        kept = tuple(self._kept)
        self._kept.clear()
        for take, message in kept:
            take(message)
