"""speech_output: what the robot has to say → the loudspeaker, with espeak-ng; to the log where there is none."""

from __future__ import annotations

import shutil
import subprocess
from typing import Any

from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

TOO_LONG = 60.0  # s that one text may take


class SpeechOutputNode(SaysoNode):
    """Speaks one text after the other."""

    NAME = "speech_output"
    PARAMETERS = (
        Parameter("sound", "auto", "auto: where there is a loudspeaker and espeak-ng; never: to the log alone", choices=("auto", "never")),
        Parameter("voice", "en", "of espeak-ng"),
        Parameter("speed", 160, "words a minute", 80, 400),
    )

    def open(self) -> None:
        """Find the loudspeaker."""
        self.espeak = loudspeaker_command() if self.value("sound") == "auto" else None
        if self.espeak is None:
            self.get_logger().info("no loudspeaker or no espeak-ng: what is said goes to the log")
        self.subscription("speech", self.on_text)
        self.subscription("question", self.on_text)

    def on_text(self, message: Any) -> None:
        """Say it after what is being said."""
        self.get_logger().info(f"says: {message.data}")
        if self.espeak is not None:
            self.later(lambda: self.speak(message.data))

    def speak(self, text: str) -> None:
        """Speak, and wait for the end of it."""
        command = [self.espeak, "-v", self.value("voice"), "-s", str(self.value("speed")), "--stdin"]
        subprocess.run(command, input=text, text=True, check=True, timeout=TOO_LONG, capture_output=True)


def loudspeaker_command() -> str | None:
    """The path of espeak-ng, None where it or a sound output is missing."""
    espeak = shutil.which("espeak-ng")
    if espeak is None:
        return None
    try:
        import sounddevice

        sounddevice.query_devices(kind="output")
    except Exception:  # noqa: BLE001 - no PortAudio is an OSError, no device a plain PortAudioError: no loudspeaker either way
        return None
    return espeak


def main() -> None:
    """Run the node."""
    run(SpeechOutputNode)


if __name__ == "__main__":
    main()
