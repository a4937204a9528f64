"""speech_output: speech and questions → log and loudspeaker; `speaking` while the robot speaks."""

from __future__ import annotations

from typing import Any

from std_msgs.msg import Bool

from sayso.errors import AudioError
from sayso.speech.speak import ENGINES, Voice, VoiceOptions
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run


class SpeechOutputNode(SaysoNode):
    """Speaks one text after the other."""

    NAME = "speech_output"
    PARAMETERS = (
        Parameter(
            "engine",
            "auto",
            "espeak-ng; command: a program of yours; none: the log only; auto: espeak-ng if it and a loudspeaker are available",
            choices=("auto", *ENGINES, "none"),
        ),
        Parameter("command", "", "for the engine command: takes {text} or standard input; plays the sound or writes it to {file}"),
        Parameter("voice", "en", "of espeak-ng"),
        Parameter("speed", 160, "of espeak-ng, words a minute", 80, 400),
    )

    def open(self) -> None:
        """Find the voice.

        Raises:
            AudioError: the chosen engine is missing.
        """
        self.voice = self.find_voice()
        self.speaking = self.publisher("speaking")
        self.subscription("speech", self.on_text)
        self.subscription("question", self.on_text)

    def find_voice(self) -> Voice | None:
        """The voice of the engine; None if only the log is wanted or possible."""
        engine = self.value("engine")
        if engine == "none":
            return None
        try:
            return ENGINES["espeak-ng" if engine == "auto" else engine](
                VoiceOptions(self.value("voice"), self.value("speed"), self.value("command"))
            )
        except AudioError as missing:
            if engine != "auto":
                raise
            self.get_logger().info(f"speech goes to the log only: {missing}")
            return None

    def on_text(self, message: Any) -> None:
        """Queue a text to speak."""
        self.get_logger().info(f"says: {message.data}")
        voice = self.voice
        if voice is not None and message.data.strip():
            self.later(lambda: self.speak(voice, message.data))

    def speak(self, voice: Voice, text: str) -> None:
        """Speak, and publish `speaking`: until its end, the microphone hears the robot's own voice."""
        self.speaking.publish(Bool(data=True))
        try:
            voice(text)
        finally:
            self.speaking.publish(Bool(data=False))


def main() -> None:
    """Run the node."""
    run(SpeechOutputNode)


if __name__ == "__main__":
    main()
