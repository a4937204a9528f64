"""wav_player: sound files → audio, at the pace of ROS time, as if they were heard now; silence follows each."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sayso.speech.files import chunks, read_sound
from sayso.types import SAMPLE_RATE, AudioChunk
from sayso_nodes.conversions import to_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = SAMPLE_RATE // 25  # samples: short, for "stop" is to be heard at once


class WavPlayerNode(SaysoNode):
    """Plays what `files` names, in order; set it again to play something else afterwards."""

    NAME = "wav_player"
    PARAMETERS = (
        Parameter("files", (), "sound files to play (WAV, FLAC, OGG, any rate)", dynamic=True),
        Parameter("silence", 1.5, "silence after each file, by which a listener knows that the sentence is over, s", 0.0, 60.0),
        Parameter("leave", False, "end when everything has been played"),
    )

    def open(self) -> None:
        """Read the files.

        Raises:
            AudioError: one of them is no sound.
        """
        self.waiting: deque[NDArray[np.int16]] = deque()  # chunks
        self.next_at: float | None = None  # ROS time of the next chunk; None while nothing plays
        self.audio = self.publisher("audio")
        self.every(CHUNK / SAMPLE_RATE / 2, self.on_time)
        self.play(self.value("files"))

    @property
    def played(self) -> bool:
        """Is there nothing left to play?"""
        return not self.waiting

    def play(self, files: tuple[str, ...]) -> None:
        """Play them after what is being played."""
        for file in files:
            samples = read_sound(Path(file)).samples
            self.waiting.extend(chunks(samples, CHUNK, self.value("silence")))
            self.get_logger().info(f"plays {file} ({len(samples) / SAMPLE_RATE:.1f} s)")

    def on_change(self, name: str, value: Any) -> None:
        """`files` was set while running."""
        if name == "files":
            self.play(value)

    def on_time(self) -> None:
        """Publish the chunks that have ended by now; the first one when somebody listens."""
        if not self.waiting:
            self.next_at = None
            if self.value("leave"):
                raise SystemExit(0)
            return
        if self.next_at is None:
            if self.audio.get_subscription_count() == 0 or self.seconds() == 0.0:
                return
            self.next_at = self.seconds()
        while self.waiting and self.next_at + len(self.waiting[0]) / SAMPLE_RATE <= self.seconds():
            samples = self.waiting.popleft()
            self.audio.publish(to_message(AudioChunk(samples, self.next_at)))
            self.next_at += len(samples) / SAMPLE_RATE


def main() -> None:
    """Run the node."""
    run(WavPlayerNode)


if __name__ == "__main__":
    main()
