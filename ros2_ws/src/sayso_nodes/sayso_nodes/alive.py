"""Signs of life on the topic `alive`, and waits for other nodes that end when those nodes do (docs/faults.md)."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from time import monotonic
from typing import Any

from diagnostic_msgs.msg import KeyValue
from rclpy.task import Future

from sayso.supervision import BEAT, REST_BEAT, OtherNode, OwnPulse, SupervisionTime
from sayso_nodes.lifecycle_node import SaysoNode

TOPIC = "alive"


class Alive:
    """Sends a node's signs of life while it is active, and hears those of others."""

    def __init__(
        self,
        node: SaysoNode,
        others: tuple[str, ...] = (),
        each_beat: Callable[[float, float], None] = lambda *_: None,
        longest_away: float = math.inf,
        resting: bool = False,
    ) -> None:
        """For a node whose graph entry allows the topic.

        Args:
            node: its owner.
            others: names of the nodes to hear.
            each_beat: called with each beat, with the steady time and how long this process was away (0: it was not).
            longest_away: how long it may be away before that counts, s.
            resting: whether it rests at first, and sends and looks four times a second until `rest(False)`.
        """
        self.others = {name: OtherNode() for name in others}
        self._node, self._resting = node, resting
        self._time = SupervisionTime(monotonic(), REST_BEAT if resting else BEAT)
        self._ros_time = node.seconds if node.get_parameter("use_sim_time").value else monotonic
        self._sign = KeyValue(key=node.NAME, value=f"{os.getpid():x}-{os.urandom(4).hex()}")
        self._each_beat = each_beat
        self._longest_away = longest_away
        self.resume()
        self._publisher = node.publisher(TOPIC) if TOPIC in node.description.publishes else None
        if others:
            node.subscription(TOPIC, self._on_sign, sampled=True)
        self._timer = node.every(self._time.beat, self._on_time, steady=True)

    def rest(self, resting: bool) -> None:
        """Send signs of life, and look for others', less often or more often from now on; who waits for this node gets one at once."""
        if resting == self._resting:
            return
        self._resting = resting
        self._time.beat = REST_BEAT if resting else BEAT
        self._timer.timer_period_ns = round(self._time.beat * 1e9)
        self._timer.reset()
        self._node.rest(resting)
        self._node.wake()
        if not resting:
            self._on_time()

    @property
    def now(self) -> float:
        """The time in which silences are measured, s."""
        return self._time.at(monotonic())

    def look(self) -> None:
        """Look at the time; a node also calls this before it acts, as it may have been frozen since the last beat."""
        now = monotonic()
        self._each_beat(now, self._pulse.away(now))

    def resume(self) -> None:
        """Begin anew: an inactive node is not away."""
        self._pulse = OwnPulse(monotonic(), self._longest_away, self._time.pace)

    def _on_time(self) -> None:
        if self._publisher is not None:
            self._publisher.publish(self._sign)
        self._time.look(monotonic(), self._ros_time())
        self.look()

    def _on_sign(self, sign: Any) -> None:
        other = self.others.get(sign.key)
        if other is not None:
            other.beat(sign.value, self.now)


class Waits:
    """Waits of coroutines for answers of another node. `look` ends those that have become hopeless."""

    def __init__(self) -> None:
        self._open: list[tuple[Callable[[float], str], Future]] = []

    async def answer(self, asked: Any, hopeless: Callable[[float], str]) -> tuple[Any, str]:
        """The answer of a pending call and "", or None and why there will be none.

        `hopeless` gets the steady time with every look, and returns the reason to give up, empty if there is none.
        """
        ended: Future = Future()
        wait = (hopeless, ended)
        self._open.append(wait)

        def answered(_: Any) -> None:
            if not ended.done():
                ended.set_result("")

        asked.add_done_callback(answered)
        try:
            reason = await ended
        finally:
            self._open.remove(wait)
        return (None, reason) if reason else (asked.result(), "")

    @property
    def any(self) -> bool:
        """Whether anything waits."""
        return bool(self._open)

    def look(self, now: float) -> None:
        """End the waits that have become hopeless."""
        for hopeless, ended in tuple(self._open):
            if not ended.done() and (reason := hopeless(now)):
                ended.set_result(reason)
