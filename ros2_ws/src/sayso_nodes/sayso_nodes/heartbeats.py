"""Who has to go on telling that all is well: one silence that is too long, and the motion gate stops the robot."""

from __future__ import annotations

MANY = 32  # senders; a robot has two or three, and a network may hold anything


class Heartbeats:
    """When each sender was last heard, in steady seconds. Who has never been heard is not missed: only what was there can be lost."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def beat(self, sender: str, now: float) -> bool:
        """It is well. False where there are too many senders to watch another one."""
        if sender not in self._last and len(self._last) >= MANY:
            return False
        self._last[sender] = now
        return True

    def silent(self, now: float, within: float) -> tuple[str, float] | None:
        """Who has been silent for longest and for how many seconds, if that is more than `within`; None also where `within` is 0."""
        if not self._last or within <= 0.0:
            return None
        sender = min(self._last, key=self._last.__getitem__)
        silence = now - self._last[sender]
        return (sender, silence) if silence > within else None
