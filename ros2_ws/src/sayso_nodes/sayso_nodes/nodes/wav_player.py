"""wav_player: sound files → audio in ROS time, as if they were heard now, each followed by silence."""

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

CHUNK = SAMPLE_RATE // 25  # samples: short, so that "stop" is heard at once


class WavPlayerNode(SaysoNode):
    """Plays the sound files in `files`, in order; set the parameter again to play more."""

    NAME = "wav_player"
    PARAMETERS = (
        Parameter("files", (), "sound files to play (WAV, FLAC, OGG, any rate)", dynamic=True),
        Parameter("silence", 1.5, "silence after each file, which marks the end of the sentence, s", 0.0, 60.0),
        Parameter("leave", False, "end after the last file"),
    )

    def open(self) -> None:
        """Read the files.

        Raises:
            AudioError: one of them isn't a sound file.
        """
        self.waiting: deque[NDArray[np.int16]] = deque()  # chunks
        self.next_at: float | None = None  # ROS time of the next chunk; None while nothing plays
        self.audio = self.publisher("audio")
        self.every(CHUNK / SAMPLE_RATE / 2, self.on_time)
        self.play(self.value("files"))

    @property
    def played(self) -> bool:
        """True if nothing is left to play."""
        return not self.waiting

    def play(self, files: tuple[str, ...]) -> None:
        """Queue files to play."""
        for file in files:
            samples = read_sound(Path(file)).samples
            self.waiting.extend(chunks(samples, CHUNK, self.value("silence")))
            self.get_logger().info(f"plays {file} ({len(samples) / SAMPLE_RATE:.1f} s)")

    def on_change(self, name: str, value: Any) -> None:
        """Play new `files`."""
        if name == "files":
            self.play(value)

    def on_time(self) -> None:
        """Publish the chunks that have ended by now. Starts when there is a subscriber."""
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
