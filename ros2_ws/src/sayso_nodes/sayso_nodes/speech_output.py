"""speech_output: what the robot has to say → the log and the loudspeaker; `speaking` while it is heard."""

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
            "espeak-ng; command: a program of yours; none: the log alone; auto: espeak-ng where it and a loudspeaker are there",
            choices=("auto", *ENGINES, "none"),
        ),
        Parameter("command", "", "of the engine command: gets the text as {text} or on standard input, plays it, or writes it to {file}"),
        Parameter("voice", "en", "of espeak-ng"),
        Parameter("speed", 160, "of espeak-ng, words a minute", 80, 400),
    )

    def open(self) -> None:
        """Find the voice.

        Raises:
            AudioError: the engine that was asked for is not there.
        """
        self.voice = self.find_voice()
        self.speaking = self.publisher("speaking")
        self.subscription("speech", self.on_text)
        self.subscription("question", self.on_text)

    def find_voice(self) -> Voice | None:
        """The engine's; none where nothing but the log is wanted, or to be had."""
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
            self.get_logger().info(f"what is said goes to the log alone: {missing}")
            return None

    def on_text(self, message: Any) -> None:
        """Say it after what is being said."""
        self.get_logger().info(f"says: {message.data}")
        voice = self.voice
        if voice is not None and message.data.strip():
            self.later(lambda: self.speak(voice, message.data))

    def speak(self, voice: Voice, text: str) -> None:
        """Speak, and let the listening know: what is heard meanwhile is the robot's own voice."""
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
