"""interoperability: Sayso's results as messages of the community, where their packages are installed.

    transcript   → humans/voices/anonymous_speaker/speech   hri_msgs/LiveSpeech
    action_belief → intents                                 hri_actions_msgs/Intent
    grounding    → detections                               vision_msgs/Detection2DArray

With `recogniser:=other`, LiveSpeech on `live_speech` replaces the transcripts of speech_to_text.
"""

from __future__ import annotations

from typing import Any

from sayso.domain import load_domain
from sayso.errors import RosError
from sayso_nodes.conversions import community, from_message, to_message
from sayso_nodes.graph import interface
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.nodes.speech_to_text import utterance_id
from sayso_nodes.nodes.stop_call import StopCall
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

SPEECH, HEARD, INTENTS, DETECTIONS = "humans/voices/anonymous_speaker/speech", "live_speech", "intents", "detections"
MISSING = "none of hri_msgs, hri_actions_msgs and vision_msgs is here: apt install ros-jazzy-vision-msgs, or build one in your workspace"


class InteroperabilityNode(SaysoNode):
    """Adapters; each works if its package is installed."""

    NAME = "interoperability"
    PARAMETERS = (
        DOMAIN,
        Parameter(
            "recogniser",
            "sayso",
            "source of transcripts; other: LiveSpeech of another recogniser",
            choices=("sayso", "other"),
        ),
        Parameter("unstated_confidence", 0.8, "confidence of LiveSpeech messages that state none", 0.0, 1.0),
    )

    def open(self) -> None:
        """Open the topics whose packages are installed."""
        there = {*self.description.publishes, *self.description.subscribes}
        self.size: tuple[int, int] | None = None  # of the camera's pictures
        opened = [name for name in (SPEECH, INTENTS, DETECTIONS) if name in there]
        if not opened:
            raise RosError(f"{self.NAME}: {MISSING}")
        if self.value("recogniser") == "other":
            self.hear()
        elif SPEECH in there:
            self.speech = self.publisher(SPEECH)
            self.subscription("transcript", self.on_transcript)
        if INTENTS in there:
            self.intents = self.publisher(INTENTS)
            self.subscription("action_belief", self.on_action_belief)
        if DETECTIONS in there:
            self.detections = self.publisher(DETECTIONS)
            self.subscription("camera/camera_info", self.on_camera_info)
            self.subscription("grounding", self.on_grounding)
        self.get_logger().info(f"also says {', '.join(opened)}")

    def hear(self) -> None:
        """Take transcripts from another recogniser."""
        if HEARD not in self.description.subscribes:
            raise RosError(
                f"{self.NAME}: recogniser other needs hri_msgs, which is not installed: build github.com/ros4hri/hri_msgs in your workspace"
            )
        from sayso.speech.stopping.words import is_stop

        self.is_stop = is_stop
        self.domain = load_domain(self.value("domain") or None)
        self.transcripts = self.publisher("transcript")
        self.stop = StopCall(self)
        self.subscription(HEARD, self.on_live_speech)

    def on_transcript(self, message: Any) -> None:
        """Transcript → LiveSpeech."""
        self.say(self.speech, SPEECH, community.live_speech(from_message(message)))

    def on_action_belief(self, message: Any) -> None:
        """ActionBelief → Intents."""
        for fields in community.intents(from_message(message)):
            self.say(self.intents, INTENTS, fields)

    def on_camera_info(self, message: Any) -> None:
        """Update the size of the pictures."""
        self.size = message.width, message.height

    def on_grounding(self, message: Any) -> None:
        """Grounding → Detection2DArray, once the size of the pictures is known."""
        if self.size is not None:
            self.say(self.detections, DETECTIONS, community.detections(from_message(message), *self.size))

    def on_live_speech(self, message: Any) -> None:
        """LiveSpeech → Transcript; if it says "stop", stop first."""
        heard = community.transcript(message, utterance_id(), self.seconds(), self.value("unstated_confidence"))
        if heard is None:
            return
        if self.is_stop(heard, self.domain):
            self.stop()
        self.transcripts.publish(to_message(heard))

    def say(self, publisher: Any, topic: str, fields: community.Fields | None) -> None:
        """Publish a message with these fields, if there are any."""
        if fields is not None:
            publisher.publish(community.filled(interface(topic)(), fields))


def main() -> None:
    """Run the node."""
    run(InteroperabilityNode)


if __name__ == "__main__":
    main()
