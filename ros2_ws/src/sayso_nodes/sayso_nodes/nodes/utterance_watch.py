"""utterance_watch: follows each utterance through the stages; one that is lost gets an outcome, and the robot says so."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic
from typing import Any

from std_msgs.msg import String

from sayso.types import Outcome
from sayso.utterances import InFlight, Journal, Lost, journal_named
from sayso_nodes.alive import Alive
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.lifecycle_node import SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

PLANNER, SELECTOR = "planner", "action_selector"
SORRY, SORRY_FOR_SOME = "I lost that, please say it again.", "I lost some of what you said, please say it again."
BEGINNING = 10.0  # s after the start in which remembered messages come
RECENT = 12.0  # s of ROS time that a restart takes at most; of older ones the planner may have forgotten the outcome, which are not lost
QUIET = 5.0  # s between two apologies


class UtteranceWatchNode(SaysoNode):
    """Ends what no stage ends."""

    NAME = "utterance_watch"
    PARAMETERS = (
        Parameter("journal", "auto", "file of the utterances on their way; auto: the user's, none in simulated time; empty: none"),
    )

    def open(self) -> None:
        """Read what was on its way when an earlier process of this node died."""
        self.alive = Alive(self, (PLANNER, SELECTOR), lambda *_: self.on_time(), resting=True)
        self.flights = InFlight(self.alive.others[PLANNER], self.alive.others[SELECTOR])
        path = journal_named(self.value("journal"), simulated=self.value("use_sim_time"))
        robot = f"{os.environ.get('ROS_DOMAIN_ID', '0')}{self.get_namespace()}"
        self.journal = Journal(path, robot) if path is not None else None
        self.writing, self.apologised = False, float("-inf")
        self.outcomes, self.speech = self.publisher("outcome"), self.publisher("speech")
        self.subscription("transcript", self.recent(self.following(self.flights.transcript)), remembered=True)
        self.subscription("intent_belief", self.following(self.flights.understood))
        self.subscription("action_belief", self.recent(self.following(self.flights.decided)), remembered=True)
        self.subscription("plan_state", self.following(self.flights.planned))
        self.subscription("outcome", self.on_outcome, remembered=True)

    def on_activate(self, state: Any) -> Any:
        """Begin with what an earlier process left."""
        self.alive.resume()
        self.began = monotonic()
        self.recover()
        return super().on_activate(state)

    def recover(self) -> None:
        """Follow what an earlier process left in the journal; if that cannot be read now, later."""
        if self.journal is not None:
            self.flights.recover(self.journal.left(), self.alive.now)
            self.diagnose(self.journal.trouble)

    def following(self, note: Callable[[Any, float], None]) -> Callable[[Any], None]:
        """A callback that notes a stage's message."""

        def on_stage(message: Any) -> None:
            note(from_message(message), self.alive.now)
            self.write_down()

        return on_stage

    def recent(self, take: Callable[[Any], None]) -> Callable[[Any], None]:
        """A callback that leaves out what is remembered, and over for long."""

        def on_message(message: Any) -> None:
            stamp = message.header.stamp
            if monotonic() - self.began > BEGINNING or abs(self.seconds() - stamp.sec - stamp.nanosec * 1e-9) < RECENT:
                take(message)

        return on_message

    def on_outcome(self, message: Any) -> None:
        """Note an end."""
        self.flights.outcome(from_message(message))
        self.write_down()

    def on_time(self) -> None:
        """End what is lost; try again what the journal refused."""
        if self.journal is not None and self.journal.is_due:
            self.recover()
            self.write_down()
        lost = self.flights.lost(self.alive.now)
        for each in lost:
            self.end(each)
        if lost:
            self.write_down()
            if monotonic() - self.apologised > QUIET:
                self.apologised = monotonic()
                self.speech.publish(String(data=SORRY if len(lost) == 1 else SORRY_FOR_SOME))

    def end(self, lost: Lost) -> None:
        """Publish the outcome; it also tells planner and action_selector not to take that utterance up again."""
        now = self.seconds()
        self.get_logger().warning(f"utterance {lost.utterance_id} is lost: {lost.reason}")
        took = max(0.0, now - lost.stamp) if lost.stamp else 0.0
        self.outcomes.publish(to_message(Outcome(lost.utterance_id, now, False, "", f"lost, please say it again: {lost.reason}", took)))

    def write_down(self) -> None:
        """Let the worker write the journal; one job at most waits, and writes what is true then."""
        if self.journal is None or self.writing:
            return
        self.writing = True
        self.later(self.write_journal, failed=lambda _: None)

    def write_journal(self) -> None:
        """Write the journal. If that fails, `on_time` tries again."""
        self.writing = False
        if self.journal is not None:
            self.journal.catch_up(self.flights.followed)
            self.diagnose(self.journal.trouble)

    def diagnose(self, trouble: str) -> None:
        """Warn for as long as the journal cannot be read or written."""
        if self.health.worry(trouble):
            self.get_logger().warning(trouble)


def main() -> None:
    """Run the node."""
    run(UtteranceWatchNode)


if __name__ == "__main__":
    main()
