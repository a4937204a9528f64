"""What the robot itself made of an utterance when it was recorded, kept small until the utterance is told."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sayso.bags import messages
from sayso.replay.wording import actions_text, calls_text, chosen_p, intents_text
from sayso.types import Transcript


@dataclass(frozen=True, slots=True)
class Look:
    """A picture that the robot looked at for something."""

    object_id: str
    phrase: str
    stamp: int  # ns, of the picture
    came: int  # ns, when the grounding was recorded


@dataclass(slots=True)
class Recorded:
    """What the bag has of one utterance."""

    transcript: Transcript | None = None
    intent: str = ""
    decision: str = ""
    action: str = ""
    p: float | None = None
    plan: str = ""
    looks: list[Look] = field(default_factory=list)
    grounded: list[str] = field(default_factory=list)
    outcome: str = ""


class Recording:
    """Sorts the robot's own messages by utterance. A question's answer changes nothing: the first of each is kept."""

    TOPICS = ("transcript", "intent_belief", "action_belief", "plan_state", "grounding", "outcome")

    def __init__(self) -> None:
        self._by_id: dict[str, Recorded] = {}

    def add(self, topic: str, message: Any, time: int) -> None:
        """One message, as rosbags decodes it, of one of TOPICS and of Sayso's own type, recorded at `time` (ns)."""
        held = self._by_id.setdefault(message.utterance_id, Recorded())
        if topic == "transcript":
            held.transcript = held.transcript or messages.transcript(message)
        elif topic == "intent_belief":
            held.intent = held.intent or intents_text(messages.intent_belief(message))
        elif topic == "action_belief" and not held.decision:
            belief = messages.action_belief(message)
            held.decision, held.action, held.p = belief.decision, actions_text(belief.chosen), chosen_p(belief)
        elif topic == "plan_state" and not held.plan:
            held.plan = calls_text(messages.plan_state(message).ahead)
        elif topic == "grounding":
            stamp = message.header.stamp
            held.looks.append(Look(message.object_id, message.phrase, stamp.sec * 1_000_000_000 + stamp.nanosec, time))
            name = message.object_id or message.phrase
            if message.found and name not in held.grounded:
                held.grounded.append(name)
        elif topic == "outcome":
            told = messages.outcome(message)
            held.outcome = "done" if told.succeeded else f"not done: {told.reason}"

    def of(self, utterance_id: str) -> Recorded:
        """What there is of that utterance."""
        return self._by_id.get(utterance_id, Recorded())

    def at(self, started: float, ended: float, taken: Iterable[str]) -> str:
        """The id of the recorded transcript that overlaps most with a time span (s), not among `taken`; empty where none does."""
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
        """The ids of all that have a transcript."""
        return {name for name, held in self._by_id.items() if held.transcript is not None}

    def unfinished(self) -> Sequence[str]:
        """Utterances that were to be executed, and of whose outcome nothing has been heard."""
        return [name for name, held in self._by_id.items() if held.decision in ("execute", "confirm", "ask") and not held.outcome]
