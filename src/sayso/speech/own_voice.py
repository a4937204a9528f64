"""Recognises when recorded sound contains the robot's own voice, so that it does not command itself."""

from __future__ import annotations

from sayso.types import AudioChunk

ECHO = 0.3  # s after the last word for the echo of the room and the latency of the sound card
LONGEST = 60.0  # s for one text; after this, assume that the speaker node crashed, so that the robot does not stay deaf


class OwnVoice:
    """Tracks when the robot speaks, and tells which audio chunks were recorded during that time."""

    def __init__(self, echo: float = ECHO, longest: float = LONGEST) -> None:
        self._echo, self._longest = echo, longest
        self._since = -1.0  # s, start of the last speech; −1 if there was none
        self._until = -1.0  # s, its end, including `echo`

    def update(self, speaking: bool, now: float) -> None:
        """The robot starts or has stopped speaking; `now` is in s on the clock of the sound's stamps."""
        if speaking:
            if now > self._until:
                self._since = now
            self._until = now + self._longest + self._echo
        else:
            self._until = min(self._until, now + self._echo)

    def covers(self, chunk: AudioChunk) -> bool:
        """Whether the chunk overlaps the robot's speech or its echo."""
        end = chunk.stamp + len(chunk.samples) / chunk.sample_rate
        return self._since >= 0.0 and end > self._since and chunk.stamp < self._until

    def speaks_at(self, now: float) -> bool:
        """Whether the robot speaks then, or its echo lasts."""
        return self._since <= now < self._until
