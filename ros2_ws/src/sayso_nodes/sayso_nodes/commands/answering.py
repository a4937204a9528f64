"""A person in place of a user: waits for the end of an utterance, and answers the robot's questions about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sayso.evaluation.answering import right_choice
from sayso.types import ActionBelief, Transcript
from sayso_nodes.commands.demo_watch import Watch
from sayso_nodes.graph import interface

Reply = Callable[[Transcript], str]  # what to answer a robot that has heard this and asks; "": nothing
ASKS = ("ask", "confirm")
PATIENCE = 3  # questions about one utterance that are answered


class Answering:
    """Tells when the utterance that the watch hears is over. Use it as a context manager."""

    def __init__(self, watch: Watch, reply: Reply | None) -> None:
        """`reply` None: questions stay unanswered, and the utterance is over."""
        self._watch, self._reply = watch, reply
        self._client = watch.node.create_client(interface("answer"), "answer") if reply else None
        self._asked: ActionBelief | None = None  # the last question that was answered
        self._questions = 0
        self._answer: Any = None  # whether the robot took it

    def __enter__(self) -> Answering:
        return self

    def __exit__(self, *_: object) -> None:
        if self._client is not None:
            self._watch.node.destroy_client(self._client)

    def over(self) -> bool:
        """Whether there is an outcome, or a decision from which none follows. Call it until it is true."""
        heard = self._watch.heard
        if heard.outcome is not None:
            return True
        if heard.actions is None or heard.actions.decision == "execute":
            return False
        if self._answer is not None and heard.actions is self._asked:
            return self._answer.done() and not self._answer.result().accepted
        return not self._answers()

    def _answers(self) -> bool:
        """Answer, if the robot asks and there is a right answer."""
        actions, transcript = self._watch.heard.actions, self._watch.heard.transcript
        if self._client is None or actions is None or transcript is None or actions.decision not in ASKS:
            return False
        if self._questions == PATIENCE or not (words := self._words(actions, transcript)):
            return False
        if self._client.service_is_ready():
            self._asked, self._questions = actions, self._questions + 1
            self._answer = self._client.call_async(interface("answer").Request(text=words, utterance_id=actions.utterance_id))
        return True

    def _words(self, asked: ActionBelief, heard: Transcript) -> str:
        """The answer: about things that the robot sees, which one it really is, and else `reply`'s."""
        world = self._watch.world
        if asked.choices and world is not None:
            return right_choice(asked.choices, world.positions.get(asked.options[0].argument("theme")))
        return self._reply(heard) if self._reply is not None else ""
