"""Stages arrive on separate topics, in any order. This module restores the order of the pipeline for each utterance."""

from __future__ import annotations

from typing import Any

from sayso.types import ActionBelief, Grounding, IntentBelief, Outcome, PlanState, Transcript

PATIENCE = 1.0  # s that a stage is held back for an earlier one; after that, assume that it was lost
SETTLING = 0.1  # s that an outcome is held back for groundings and plan states under way
_RANK = {Transcript: 0, IntentBelief: 1, ActionBelief: 2, PlanState: 3, Grounding: 3, Outcome: 4}


class StageOrder:
    """Holds a stage back until those before it have been released. Every stage is released, at the latest after PATIENCE.

    Args:
        first: the stage that utterances begin with; for the answer to a question that is the decision.
    """

    def __init__(self, first: type = Transcript) -> None:
        self._first = _RANK[first]
        self._held: list[tuple[float, Any]] = []  # when it came, and the stage
        self._seen: dict[str, set[int]] = {}  # utterance → ranks released
        self._decision: dict[str, str] = {}  # utterance → its last decision
        self._planned: set[str] = set()  # utterances whose plan has ended

    def add(self, stage: Any, now: float) -> None:
        """Take a stage that came at `now`, monotonic s."""
        self._held.append((now, stage))
        self._held.sort(key=lambda item: _RANK[type(item[1])])  # stable: stages of one topic stay in order

    def begin(self, utterance_id: str, first: type) -> None:
        """Expect nothing before that stage of that utterance."""
        self._seen.setdefault(utterance_id, set()).update(range(_RANK[first]))

    def release(self, now: float) -> list[Any]:
        """The stages whose turn it is."""
        released: list[Any] = []
        while (index := self._next(now)) is not None:
            _, stage = self._held.pop(index)
            self._note(stage)
            released.append(stage)
        return released

    def _next(self, now: float) -> int | None:
        turns = (index for index, (came, stage) in enumerate(self._held) if now - came >= PATIENCE or self._has_come(stage, now - came))
        return next(turns, None)

    def _has_come(self, stage: Any, waited: float) -> bool:
        rank, utterance_id = _RANK[type(stage)], stage.utterance_id
        before = set(range(self._first, min(rank, 3))) - self._seen.get(utterance_id, set())
        decision = self._decision.get(utterance_id)
        if before:
            return False
        if rank == 3:
            return decision == "execute"
        if rank == 4:
            over = decision in ("reject", "answer", "defer") or (decision == "execute" and utterance_id in self._planned)
            return over and waited >= SETTLING
        return True

    def _note(self, stage: Any) -> None:
        self._seen.setdefault(stage.utterance_id, set()).add(_RANK[type(stage)])
        if isinstance(stage, ActionBelief):
            self._decision[stage.utterance_id] = stage.decision
            self._planned.discard(stage.utterance_id)  # a second decision comes after a look
        if isinstance(stage, PlanState) and stage.is_over:
            self._planned.add(stage.utterance_id)
