"""microphone: the default input device → audio, in chunks of 0.04 s."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sayso.errors import AudioError
from sayso.types import SAMPLE_RATE, AudioChunk
from sayso_nodes.conversions import to_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CHUNK = SAMPLE_RATE // 25  # samples: short, so that "stop" is heard at once


class MicrophoneNode(SaysoNode):
    """Publishes sound as it is heard."""

    NAME = "microphone"
    PARAMETERS = (Parameter("device", "", "name or number of the input device (see python -m sounddevice); empty: the default"),)

    def open(self) -> None:
        """Open the device.

        Raises:
            AudioError: there is none.
        """
        self.audio = self.publisher("audio")
        try:
            import sounddevice
        except OSError as missing:
            raise AudioError(f"no sound input: {missing}; install libportaudio2") from None
        device = self.value("device")
        try:
            stream = sounddevice.InputStream(
                samplerate=SAMPLE_RATE,
                channels=1,
                dtype="int16",
                blocksize=CHUNK,
                callback=self.on_sound,
                device=int(device) if device.isdigit() else device or None,
            )
        except (sounddevice.PortAudioError, ValueError) as refused:
            raise AudioError(f"no sound input: {refused}; `python -m sounddevice` lists the devices, a WAV file needs none") from None
        self.on_close(stream.close)
        stream.start()

    def on_sound(self, samples: NDArray[np.int16], _frames: int, _time: Any, status: Any) -> None:
        """Publish (N, 1) int16 samples that have just ended; runs in PortAudio's own thread."""
        if status:
            self.health.failed(f"sound input: {status}")
        if self.active:
            self.audio.publish(to_message(AudioChunk(samples[:, 0], self.seconds() - len(samples) / SAMPLE_RATE)))


def main() -> None:
    """Run the node."""
    run(MicrophoneNode)


if __name__ == "__main__":
    main()
