"""A peer that decides in place of action_selector."""

from __future__ import annotations

from typing import Any

from ros_nodes import Peer
from sayso.types import Action, ActionBelief, ActionCandidate
from sayso_nodes.conversions import to_message
from sayso_nodes.running.processes import RunningGraph


class Decider(Peer):
    """Sends decisions to the planner of a running graph, hears their outcomes, and restarts what died as `sayso up` does."""

    def __init__(self, domain_id: int, graph: RunningGraph) -> None:
        super().__init__(domain_id)
        self.graph = graph
        self.outcomes, self.clock = self.hear("outcome"), self.hear("/clock")
        self.beliefs, self.number = self.speaker("action_belief"), 0
        self.node.create_timer(0.2, graph.poll)

    def command(self, name: str, **arguments: str) -> str:
        """Decide on an action; the id of its utterance."""
        self.number += 1
        chosen = ActionCandidate(0, Action(name, tuple(arguments.items())), 1.0, 1.0, 1.0, 1.0)
        utterance, now = f"u{self.number}", self.clock[-1].clock
        self.beliefs.publish(to_message(ActionBelief(utterance, now.sec + now.nanosec * 1e-9, (chosen,), "execute", "100% sure")))
        return utterance

    def outcome(self, utterance: str) -> Any:
        """The outcome of an utterance."""
        return self.until(lambda: next((each for each in self.outcomes if each.utterance_id == utterance), None))

    def outcome_of(self, name: str, **arguments: str) -> Any:
        """The outcome of an action."""
        return self.outcome(self.command(name, **arguments))
