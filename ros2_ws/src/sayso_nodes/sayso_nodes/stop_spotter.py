"""stop_spotter: audio → the service `stop`, while the person still speaks. It waits for no recogniser and for no other node.

Its heartbeat tells the motion gate that somebody listens. It beats while the sound that comes can be heard and the calls are answered;
when it ceases, the gate stops the robot.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from std_msgs.msg import String
from std_srvs.srv import Trigger

from sayso_nodes.conversions import from_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

BEAT = 0.1  # s from one heartbeat to the next, and from a call that is not answered to its repetition
DEAF = 1.0  # s that sound which cannot be heard counts as deafness, after the last of it


class StopSpotterNode(SaysoNode):
    """Sound in, a robot that stands still out."""

    NAME = "stop_spotter"
    PARAMETERS = (
        Parameter("threshold", 0.0, "P(stop) from which it stops the robot; 0: the one that the model was made with", 0.0, 0.999),
        Parameter("sound_within", 0.0, "silence of `audio`, once begun, that stops the robot, s; 0: it may end", 0.0, 60.0),
    )

    def open(self) -> None:
        """Load the spotter."""
        from sayso.speech.stopping.spotter import StopSpotter

        self.spotter = StopSpotter(self.value("threshold") or None)
        if self.spotter.missing:
            self.get_logger().warning(f"stops for nothing are more frequent: {self.spotter.missing}")
        self.call: Any = None  # the future of the call that is not answered yet
        self.waited = False  # has a tick passed without its answer?
        self.deaf_until = float("-inf")  # monotonic s
        self.heard_at: float | None = None  # monotonic s of the last sound
        self.beats = self.publisher("heartbeat")
        self.stop = self.client("stop")
        self.subscription("audio", self.on_audio)
        self.every(BEAT, self.on_time, steady=True)

    def on_audio(self, message: Any) -> None:
        """A piece of the sound."""
        began = self.heard_at = monotonic()
        self.deaf_until = began + DEAF  # should it raise
        heard = self.spotter.feed(from_message(message))
        self.deaf_until = float("-inf")
        for each in heard:
            self.halt()
            late = self.seconds() - each.stamp
            self.health.values["last stop"] = told = f"heard stop, score {each.score:.2f}, {late * 1e3:.0f} ms after the word"
            self.get_logger().warning(told)
        self.health.called(monotonic() - began)

    def halt(self) -> None:
        """Call the motion gate, in place of an earlier call that was not answered."""
        if self.call is not None:
            self.stop.remove_pending_request(self.call)
        self.call = self.stop.call_async(Trigger.Request())
        self.call.add_done_callback(self.on_answer)
        self.waited = False

    def on_answer(self, answered: Any) -> None:
        """The gate has closed."""
        if answered is self.call and answered.exception() is None and answered.result().success:
            self.call = None

    def on_time(self) -> None:
        """Beat, if all is well; call again where nobody has answered."""
        now = monotonic()
        self.health.lasting = self.trouble_now(now)
        if self.call is not None and self.waited:
            self.halt()
        # After much sound this tick comes before an answer that is there: a call in vain could undo the "go on" that follows it.
        self.waited = self.call is not None
        if not self.health.lasting:
            self.beats.publish(String(data=self.NAME))

    def trouble_now(self, now: float) -> str:
        """Why a "stop" might not be heard or obeyed, empty where it would be."""
        within = self.value("sound_within")
        if self.call is not None:
            return "the motion gate does not answer"
        if now < self.deaf_until:
            return "the sound cannot be heard: see the last trouble"
        if within and self.heard_at is not None and now - self.heard_at > within:
            return f"no sound for {now - self.heard_at:.1f} s"
        return ""


def main() -> None:
    """Run the node."""
    run(StopSpotterNode)


if __name__ == "__main__":
    main()
