"""stop_spotter: audio → the service `stop`, while the person still speaks. It needs no recogniser.

Its heartbeat tells the motion gate that it listens. It beats while it can process the sound and its calls are answered. Without it, the
gate stops the robot.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from std_msgs.msg import String

from sayso.speech.condition import SoundCondition
from sayso_nodes.conversions import from_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.nodes.stop_call import StopCall
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

BEAT = 0.05  # s between heartbeats
LOOK = 2  # beats between diagnoses
DEAF = 1.0  # s without a heartbeat after sound that cannot be processed


class StopSpotterNode(SaysoNode):
    """Stops the robot when it hears "stop"."""

    NAME = "stop_spotter"
    PARAMETERS = (
        Parameter("threshold", 0.0, "P(stop) from which it stops the robot; 0: the model's own threshold", 0.0, 0.999),
        Parameter("sound_within", 0.0, "pause of `audio` that stops the robot, s, as 5 s of zeros then do; 0: none", 0.0, 60.0),
    )

    def open(self) -> None:
        """Load the spotter."""
        from sayso.speech.stopping.spotter import StopSpotter

        self.spotter = StopSpotter(self.value("threshold") or None)
        if self.spotter.missing:
            self.get_logger().warning(f"false stops are more frequent: {self.spotter.missing}")
        self.deaf_until = float("-inf")  # monotonic s
        self.condition = SoundCondition()
        self.beats = self.publisher("heartbeat")
        self.stop = StopCall(self)
        self.subscription("audio", self.on_audio)
        self.beaten = 0  # beats that were due
        self.every(BEAT, self.beat, steady=True)

    def on_audio(self, message: Any) -> None:
        """Search a piece of sound for "stop"."""
        began = monotonic()
        self.deaf_until = began + DEAF  # in case feed raises
        chunk = from_message(message)
        heard = self.spotter.feed(chunk)
        self.condition.feed(chunk.samples, began)
        self.deaf_until = float("-inf")
        for each in heard:
            self.stop()
            late = self.seconds() - each.stamp
            self.health.values["last stop"] = text = f"heard stop, score {each.score:.2f}, {late * 1e3:.0f} ms after the word"
            self.get_logger().warning(text)
        self.health.called(monotonic() - began)

    def on_time(self) -> None:
        """Diagnose."""
        now = monotonic()
        deaf = self.condition.deaf(now)
        self.health.lasting = self.trouble_now(now)
        self.health.concern = deaf and f"deaf to a spoken stop: {deaf}"

    def beat(self) -> None:
        """Send a heartbeat if all is well, and diagnose now and then."""
        self.beaten += 1
        if self.beaten % LOOK == 0:
            self.on_time()
        if not self.trouble_now(monotonic()):
            self.beats.publish(String(data=self.NAME))

    def trouble_now(self, now: float) -> str:
        """Why a "stop" might not be heard or obeyed; empty if all is well."""
        within = self.value("sound_within")
        if self.stop.unanswered:
            return "the motion gate does not answer"
        if now < self.deaf_until:
            return "the sound cannot be heard: see the last trouble"
        return self.condition.deaf(now, within) if within else ""


def main() -> None:
    """Run the node."""
    run(StopSpotterNode)


if __name__ == "__main__":
    main()
