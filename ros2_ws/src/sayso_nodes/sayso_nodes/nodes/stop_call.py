"""The call of the motion gate's service `stop`, repeated until it is answered: the gate may be starting again, or a message may be lost."""

from __future__ import annotations

from typing import Any

from std_srvs.srv import Trigger

from sayso_nodes.lifecycle_node import SaysoNode

AGAIN = 0.1  # s from an unanswered call to its repetition


class StopCall:
    """Stops the robot when it is called, for a node whose graph entry allows the service."""

    def __init__(self, node: SaysoNode) -> None:
        self._client = node.client("stop")
        self._call: Any = None  # future of the unanswered call
        self._waited = False  # has a tick passed without its answer?
        self._node = node
        self._timer = node.every(AGAIN, self._repeat, steady=True)
        node.switch(self._timer, on=False)

    def __call__(self) -> None:
        """Call the motion gate; this replaces an unanswered call."""
        if self._call is not None:
            self._client.remove_pending_request(self._call)
        self._call = self._client.call_async(Trigger.Request())
        self._call.add_done_callback(self._on_answer)
        self._waited = False
        self._node.switch(self._timer, on=True)

    @property
    def unanswered(self) -> bool:
        """Whether the gate has not answered yet."""
        return self._call is not None

    def _on_answer(self, answered: Any) -> None:
        if answered is self._call and answered.exception() is None and answered.result().success:
            self._call = None

    def _repeat(self) -> None:
        if self.unanswered and self._waited:
            self()
        # After much other work, this tick may run before the callback of an answer: a needless call could undo a "go on" that follows.
        self._waited = self.unanswered
        self._node.switch(self._timer, on=self.unanswered)
