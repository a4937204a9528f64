"""What the robot itself understood and did when the bag was recorded, by utterance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sayso.bags import messages
from sayso.replay.wording import actions_text, calls_text, chosen_p, intents_text
from sayso.types import ActionBelief, Transcript


@dataclass(frozen=True, slots=True)
class RecordedLook:
    """A picture in which the robot looked for something."""

    object_id: str
    phrase: str
    stamp: int  # ns, of the picture
    came: int  # ns, when the grounding was recorded


@dataclass(slots=True)
class Recorded:
    """The recording of one utterance."""

    transcript: Transcript | None = None
    intent: str = ""
    decision: str = ""
    action: str = ""
    p: float | None = None
    plan: str = ""
    asked: str = ""  # which of several things that it saw was meant, in the course of the errand
    chosen: str = ""
    looks: list[RecordedLook] = field(default_factory=list)
    grounded: list[str] = field(default_factory=list)
    outcome: str = ""


class Recording:
    """Sorts the robot's messages by utterance and keeps the first of each kind, before any answer to a question.

    Of questions in the course of an errand, it keeps the last one and what was chosen.
    """

    TOPICS = ("transcript", "intent_belief", "action_belief", "plan_state", "grounding", "outcome")

    def __init__(self) -> None:
        self._by_id: dict[str, Recorded] = {}

    def add(self, topic: str, message: Any, time: int) -> None:
        """Add a message of Sayso's type on one of TOPICS, as rosbags decodes it, recorded at `time` (ns)."""
        held = self._by_id.setdefault(message.utterance_id, Recorded())
        if topic == "transcript":
            held.transcript = held.transcript or messages.transcript(message)
        elif topic == "intent_belief":
            held.intent = held.intent or intents_text(messages.intent_belief(message))
        elif topic == "action_belief":
            _decided(held, messages.action_belief(message))
        elif topic == "plan_state" and not held.plan:
            held.plan = calls_text(messages.plan_state(message).ahead)
        elif topic == "grounding":
            stamp = message.header.stamp
            held.looks.append(RecordedLook(message.object_id, message.phrase, stamp.sec * 1_000_000_000 + stamp.nanosec, time))
            name = message.object_id or message.phrase
            if message.found and name not in held.grounded:
                held.grounded.append(name)
        elif topic == "outcome":
            outcome = messages.outcome(message)
            held.outcome = "done" if outcome.succeeded else f"not done: {outcome.reason}"

    def of(self, utterance_id: str) -> Recorded:
        """The recording of that utterance; empty if there is none."""
        return self._by_id.get(utterance_id, Recorded())

    def at(self, started: float, ended: float, taken: Iterable[str]) -> str:
        """The id of the recorded transcript with the largest overlap with a time span (s), not in `taken`; empty if there is none."""
        used = set(taken)
        best, most = "", 0.0
        for utterance_id, held in self._by_id.items():
            heard = held.transcript
            if heard is None or utterance_id in used:
                continue
            shared = min(ended, heard.stamp) - max(started, heard.started)
            if shared > most:
                best, most = utterance_id, shared
        return best

    def heard(self) -> set[str]:
        """The ids of utterances with a transcript."""
        return {name for name, held in self._by_id.items() if held.transcript is not None}

    def unfinished(self) -> Sequence[str]:
        """Utterances that may still be executed and have no outcome yet."""
        return [name for name, held in self._by_id.items() if held.decision in ("execute", "confirm", "ask") and not held.outcome]


def _decided(held: Recorded, belief: ActionBelief) -> None:
    if belief.choices and belief.decision == "ask":
        held.asked = belief.question
    elif belief.choices and belief.decision == "execute":
        held.chosen = belief.choices[0].words
    elif not held.decision:
        held.decision, held.action, held.p = belief.decision, actions_text(belief.chosen), chosen_p(belief)
