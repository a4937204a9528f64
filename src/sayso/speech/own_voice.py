"""Which sound is the robot's own voice: what it says must not become a command to itself."""

from __future__ import annotations

from sayso.types import AudioChunk

ECHO = 0.3  # s after the last word in which the room and the sound card still return it
LONGEST = 60.0  # s that one text may take: who speaks longer has died in the middle of it, and the robot must not stay deaf


class OwnVoice:
    """Told when the robot begins and ends to speak, says of each piece of sound whether it was recorded meanwhile."""

    def __init__(self, echo: float = ECHO, longest: float = LONGEST) -> None:
        self._echo, self._longest = echo, longest
        self._since = -1.0  # s: when it began to speak last; before any time, where it has not
        self._until = -1.0  # s: when it ended, `echo` included

    def tell(self, speaking: bool, now: float) -> None:
        """It begins to speak, or has ended; `now` is s on the clock of the sound's stamps."""
        if speaking:
            if now > self._until:
                self._since = now
            self._until = now + self._longest + self._echo
        else:
            self._until = min(self._until, now + self._echo)

    def covers(self, chunk: AudioChunk) -> bool:
        """Did the robot speak, or its voice echo, at any moment of this sound?"""
        end = chunk.stamp + len(chunk.samples) / chunk.sample_rate
        return self._since >= 0.0 and end > self._since and chunk.stamp < self._until
