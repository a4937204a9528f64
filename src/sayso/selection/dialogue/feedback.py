"""Stores confirmed, chosen and corrected actions in the memory, each with the situation of its command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sayso.selection.dialogue.dialogue import Turn
from sayso.selection.memory.learnt import expected_names
from sayso.selection.memory.memory import Memory
from sayso.selection.memory.memory_file import How
from sayso.selection.memory.situation import Situation, situation_of
from sayso.types import Context

LEARNT_FROM: Mapping[str, How] = {"confirmed": "confirmed", "chosen": "chosen", "corrected": "corrected"}
RECENT = 16  # newest utterances whose situation is kept until an answer arrives


class Feedback:
    """Turns of the dialogue → memory: only what a person confirmed, chose or corrected.

    A command that ran without a question shows only that the robot was sure. Learning from it would reinforce the robot's own mistakes.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._situations: dict[str, Situation] = {}  # utterance_id → situation when it was said
        self._executed = ""  # utterance_id of the last command that was executed

    def note_context(self, utterance_id: str, context: Context | None) -> None:
        """Note the context of a command: by the time of the answer, the robot may be elsewhere."""
        self._situations[utterance_id] = situation_of(self._memory.domain, context) if context is not None else Situation()
        if len(self._situations) > RECENT:
            del self._situations[next(iter(self._situations))]

    def learn(self, turns: Sequence[Turn], cause: str = "") -> None:
        """Store the results of these turns; `Memory.catch_up` writes them. `cause` is the id of the utterance that led to them, if any."""
        for turn in turns:
            self._learn(turn, cause)
            if turn.belief.decision in ("execute", "defer"):
                self._executed = turn.belief.utterance_id

    def _learn(self, turn: Turn, cause: str) -> None:
        name, answered = turn.belief.utterance_id, turn.answered
        if turn.belief.decision == "reject" and name == self._executed:
            self._memory.take_back(name)  # "yes" — "no, not that!"
        if answered is None or answered.action is None or answered.how not in LEARNT_FROM:
            return
        clause = next((each.clause for each in turn.belief.candidates if each.action == answered.action), 0)
        if cause and name == cause:  # "no, the blue one" is a new utterance about the last decision
            self._memory.take_back(self._executed, clause)
            self._situations[name] = self._situations.get(self._executed, Situation())
        situation, expected = self._situations.get(name, Situation()), expected_names(turn.belief.candidates, clause)
        self._memory.remember(name, clause, answered.action, situation, LEARNT_FROM[answered.how], expected)
