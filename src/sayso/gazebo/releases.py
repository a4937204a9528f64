"""Which magnets are free. Gazebo's detachable joints attach when the world starts, however far their objects are, and hold the robot."""

from __future__ import annotations

from collections.abc import Iterable

ATTACHED, DETACHED = "attached", "detached"  # what a joint says of itself, when it changes
TRIES = 12  # a joint that was told that often, and says nothing, has been free before: only a change is told


class Releases:
    """Tells whom to release until each magnet is known to be free."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        self.begin()

    def begin(self) -> None:
        """The world starts: every magnet holds its object."""
        self._told = dict.fromkeys(self._names, 0)  # how often each was told to let go; without those that are free

    @property
    def done(self) -> bool:
        """Whether all magnets are free, but for those that were told to attach."""
        return not self._told

    def hear(self, name: str, state: str, *, wanted: bool) -> None:
        """Note what a joint says of itself. If it attached and that was not `wanted`, it is to be released again."""
        if state == DETACHED:
            self._told.pop(name, None)
        elif state == ATTACHED and not wanted:
            self._told[name] = 0

    def due(self) -> tuple[str, ...]:
        """The magnets to be told to let go now."""
        for name in [each for each, times in self._told.items() if times >= TRIES]:
            del self._told[name]
        for name in self._told:
            self._told[name] += 1
        return tuple(self._told)
