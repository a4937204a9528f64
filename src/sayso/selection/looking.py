"""Utterances whose decision waits for a look: "the cup next to the bread", of which the belief doesn't tell which one it is."""

from __future__ import annotations

from collections import OrderedDict

from sayso.types import ActionBelief, IntentBelief, PlanState

KEPT = 8  # utterances


class PendingLooks:
    """Remembers what was said while the robot goes and looks."""

    def __init__(self) -> None:
        self._utterances: OrderedDict[str, IntentBelief] = OrderedDict()
        self._looking: set[str] = set()

    def said(self, utterance: IntentBelief) -> None:
        """Note an utterance that may lead to a look."""
        self._utterances[utterance.utterance_id] = utterance
        while len(self._utterances) > KEPT:
            old, _ = self._utterances.popitem(last=False)
            self._looking.discard(old)

    def decided(self, belief: ActionBelief) -> None:
        """Note a decision: to look first, or any other, after which nothing is pending."""
        if belief.decision == "execute" and belief.then:
            self._looking.add(belief.utterance_id)
        else:
            self._looking.discard(belief.utterance_id)

    def over(self, state: PlanState) -> IntentBelief | None:
        """The utterance to decide again, if its look is over; None if nothing waits for that plan, or it was cancelled."""
        if not state.is_over or state.utterance_id not in self._looking:
            return None
        self._looking.discard(state.utterance_id)
        return self._utterances.get(state.utterance_id) if state.status in ("succeeded", "failed") else None
