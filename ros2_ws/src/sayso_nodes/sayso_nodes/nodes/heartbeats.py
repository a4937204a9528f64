"""Senders of heartbeats: if one is silent for too long, the motion gate stops the robot."""

from __future__ import annotations

MANY = 32  # senders at most; a robot has two or three


class Heartbeats:
    """When each sender was last heard, in steady seconds. A sender that was never heard is not missed."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def beat(self, sender: str, now: float) -> bool:
        """Note a heartbeat. False if there are too many senders to watch another one."""
        if sender not in self._last and len(self._last) >= MANY:
            return False
        self._last[sender] = now
        return True

    def silent(self, now: float, within: float) -> tuple[str, float] | None:
        """The sender that was silent for longest and for how many seconds, if more than `within`; None if `within` is 0."""
        if not self._last or within <= 0.0:
            return None
        sender = min(self._last, key=self._last.__getitem__)
        silence = now - self._last[sender]
        return (sender, silence) if silence > within else None
