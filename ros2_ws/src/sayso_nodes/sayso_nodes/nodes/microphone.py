"""microphone: an input device → audio, in chunks of 0.04 s. A lost device is opened again when it is back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sayso.speech.devices import Microphone
from sayso.types import SAMPLE_RATE, AudioChunk
from sayso_nodes.conversions import to_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = 0.04  # s: short, so that "stop" is heard at once
CHECKED = 0.5  # s between two looks at the state of the device


class MicrophoneNode(SaysoNode):
    """Publishes sound as it is heard."""

    NAME = "microphone"
    PARAMETERS = (
        Parameter("device", "", "number of the input device, or a part of its name (see sayso audio devices); empty: the default"),
        Parameter("channel", 0, "the only channel to use, counted from 1; 0: the mean of all", 0, 32),
    )

    def open(self) -> None:
        """Open the device.

        Raises:
            AudioError: there is none.
        """
        self.audio = self.publisher("audio")
        self.source = Microphone(self.value("device"), self.on_sound, CHUNK, self.value("channel"))
        self.on_close(self.source.close)
        self.every(CHECKED, self.on_time, steady=True)

    def on_sound(self, samples: NDArray[np.int16]) -> None:
        """Publish (N,) samples that have just ended; runs in PortAudio's own thread."""
        if self.active:
            self.audio.publish(to_message(AudioChunk(samples, self.seconds() - len(samples) / SAMPLE_RATE)))

    def on_time(self) -> None:
        """Report the state of the device, and open it again if it was lost."""
        deaf = self.source.deaf()
        if deaf and not self.health.lasting:
            self.get_logger().error(deaf)
        elif self.health.lasting and not deaf:
            self.get_logger().info("the microphone gives sound again")
        self.health.lasting, self.health.concern = deaf, self.source.poor()
        self.health.values |= {"recorded as": self.source.format, "input overflows": str(self.source.overflows)}


def main() -> None:
    """Run the node."""
    run(MicrophoneNode)


if __name__ == "__main__":
    main()
