"""Whether Gazebo's time runs, and whether each topic comes: a paused or dead Gazebo, and a bridge that lacks a topic."""

from __future__ import annotations

import math
from collections.abc import Iterable

STANDS = 10.0  # steady s without simulated time passing, after which it stands: a slow machine draws a picture in less
LATE = 20.0  # steady s of running time within which every topic must have come once
NAMED = 3  # missing topics that are named


class Supply:
    """What is known of Gazebo's messages; all times are steady seconds but `simulated`."""

    def __init__(self, topics: Iterable[str]) -> None:
        self._missing = dict.fromkeys(topics)
        self._simulated, self._moved, self._ran, self._looked = math.nan, math.nan, 0.0, math.nan

    def hear(self, topic: str) -> None:
        """Note that something came from this topic."""
        self._missing.pop(topic, None)

    def trouble(self, simulated: float, now: float) -> str:
        """One line that says what is wrong; empty if nothing is. To be called about twice a second."""
        passed, self._looked = now - self._looked, now
        if simulated != self._simulated:
            began, self._simulated, self._moved = math.isnan(self._simulated) or self._simulated == 0.0, simulated, now
            if not began:
                self._ran += passed
        if simulated == 0.0:  # no clock yet
            return ""
        if now - self._moved > STANDS:
            return "simulated time stands still: Gazebo is paused, or it has ended, or its bridge has. What was begun goes on with it"
        if self._missing and self._ran > LATE:
            names = list(self._missing)
            more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
            return f"Gazebo's time runs, but nothing comes from {', '.join(names[:NAMED])}{more}: is the bridge's file of this world?"
        return ""
