"""What the dialogue teaches: which of its turns are remembered, and in which situation what was meant was said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sayso.selection.dialogue import Turn
from sayso.selection.learnt import expected_names
from sayso.selection.memory import Memory
from sayso.selection.memory_file import How
from sayso.selection.situation import Situation, situation_of
from sayso.types import Context

LEARNT_FROM: Mapping[str, How] = {"confirmed": "confirmed", "chosen": "chosen", "corrected": "corrected"}
AT_HAND = 16  # utterances, the newest, whose situation is kept until they are answered


class Feedback:
    """Turns of the dialogue → memory: what a person has confirmed, chosen or corrected, and nothing that merely ran.

    What ran unasked says only that the robot was sure: to learn from it would make it surer of its own mistakes each time.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._said_in: dict[str, Situation] = {}  # utterance_id → the situation in which it was said
        self._done = ""  # utterance_id of what was decided last and carried out

    def said(self, utterance_id: str, context: Context | None) -> None:
        """A command is being decided upon in that context. By the time of the answer the robot may be elsewhere."""
        self._said_in[utterance_id] = situation_of(self._memory.domain, context) if context is not None else Situation()
        if len(self._said_in) > AT_HAND:
            del self._said_in[next(iter(self._said_in))]

    def learn(self, turns: Sequence[Turn], heard: str = "") -> None:
        """Remember what these turns have settled; `Memory.catch_up` writes it. `heard` is the utterance that they came of, if any."""
        for turn in turns:
            self._learn(turn, heard)
            if turn.belief.decision == "execute":
                self._done = turn.belief.utterance_id

    def _learn(self, turn: Turn, heard: str) -> None:
        name, answered = turn.belief.utterance_id, turn.answered
        if turn.belief.decision == "reject" and name == self._done:
            self._memory.take_back(name)  # "yes" — "no, not that!"
        if answered is None or answered.action is None or answered.how not in LEARNT_FROM:
            return
        clause = next((each.clause for each in turn.belief.candidates if each.action == answered.action), 0)
        if heard and name == heard:  # "no, the blue one" is an utterance of its own, but about what was decided last
            self._memory.take_back(self._done, clause)
            self._said_in[name] = self._said_in.get(self._done, Situation())
        situation, expected = self._said_in.get(name, Situation()), expected_names(turn.belief.candidates, clause)
        self._memory.remember(name, clause, answered.action, situation, LEARNT_FROM[answered.how], expected)
