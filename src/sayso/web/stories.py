"""Each utterance as it goes through the stages, as plain data for the page."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from typing import Any

from sayso.domain import Domain
from sayso.domain.wording import spoken_action
from sayso.explanation import call_as_data, decision_as_data, meaning_as_data
from sayso.paraphrase import meaning_in_words, modifiers_in_words, said_for
from sayso.types import ActionBelief, Grounding, IntentBelief, Outcome, PlanState, Transcript

KEPT = 60  # utterances
FEW = 12  # candidates of a story, most probable first
OPEN = ("confirm", "ask")  # decisions that wait for an answer

Stage = Transcript | IntentBelief | ActionBelief | PlanState | Grounding | Outcome


class Stories:
    """The last utterances. A story has a part for each stage that has spoken: heard, meant, decided, plan, seen, outcome.

    If the person goes on after the early end of a sentence, the robot drops what it has begun, and one story is left, that of the whole.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._stories: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._spoken: Transcript | None = None  # the last one, if it was a sound
        self._begun: dict[str, str] = {}  # the last utterance that continues another one → that one
        self._gone_on: deque[str] = deque(maxlen=KEPT)  # utterances that are told as the beginning of another one
        # The question that waits for an answer: id of its utterance, text, and options in the order of their numbers.
        self.question: dict[str, Any] | None = None

    def tell(self, stage: Stage) -> dict[str, dict[str, Any] | None]:
        """Add a stage. Returns what changes: by the id of the utterance its story, None for one that is no longer told."""
        if stage.utterance_id in self._gone_on:
            return {}
        changes: dict[str, dict[str, Any] | None] = {}
        if isinstance(stage, Transcript):
            self._note_sound(stage)
        if isinstance(stage, ActionBelief) and stage.decision != "reject" and (begun := self._begun.pop(stage.utterance_id, "")):
            self._gone_on.append(begun)
            if self._stories.pop(begun, None) is not None:
                changes[begun] = None
        story = self._stories.setdefault(stage.utterance_id, {"id": stage.utterance_id, "stamp": stage.stamp})
        story.update(self._told(stage, story))
        if len(self._stories) > KEPT:
            changes[self._stories.popitem(last=False)[0]] = None
        return {**changes, stage.utterance_id: story}

    def _note_sound(self, transcript: Transcript) -> None:
        """Note if this one replaces the one before: the person went on after its early end, so its sound begins with that one's."""
        before, self._spoken = self._spoken, transcript if transcript.started < transcript.stamp else None  # None: typed
        if before is not None and self._spoken is not None and transcript.started < before.stamp < transcript.stamp:
            self._begun = {transcript.utterance_id: before.utterance_id}

    def _told(self, stage: Stage, story: dict[str, Any]) -> dict[str, Any]:
        match stage:
            case Transcript():
                return self._heard(stage)
            case IntentBelief():
                return self._meant(stage)
            case ActionBelief():
                return self._decided(stage)
            case PlanState():
                return self._plan(stage)
            case Grounding():
                return {"seen": [*story.get("seen", []), _seen(stage)][-FEW:]}
            case Outcome():
                return self._over(stage)

    def _heard(self, stage: Transcript) -> dict[str, Any]:
        texts = [{"text": each.text, "p": math.exp(each.log_p)} for each in stage.alternatives]
        heard = {"text": stage.text, "alternatives": texts, "confidence": stage.confidence, "rejected": stage.rejected}
        return {"stamp": stage.stamp, "heard": heard}

    def _meant(self, stage: IntentBelief) -> dict[str, Any]:
        data = meaning_as_data(stage)
        for shown, clause in zip(data["clauses"], stage.clauses, strict=True):
            shown["in_words"] = list(modifiers_in_words(clause))
            for role, found in zip(shown["roles"], clause.roles, strict=True):
                role |= {"said": said_for(found), "means": meaning_in_words(found)}
        return {"meant": {**data, "rejected": stage.rejected}}

    def _decided(self, stage: ActionBelief) -> dict[str, Any]:
        data = decision_as_data(stage)
        data["candidates"] = [
            {**shown, "in_words": spoken_action(self._domain, candidate.action)}
            for shown, candidate in zip(data["candidates"], stage.candidates, strict=True)
        ][:FEW]
        if stage.decision in OPEN:
            options = list(stage.words) or [spoken_action(self._domain, action) for action in stage.options]
            self.question = {"id": stage.utterance_id, "text": stage.question, "options": options if stage.decision == "ask" else []}
        elif stage.decision != "reject" or (self.question is not None and self.question["id"] == stage.utterance_id):
            self.question = None  # the robot has one open question at most, and a later decision ends it; after nonsense it asks again
        return {"decided": data}

    def _plan(self, stage: PlanState) -> dict[str, Any]:
        done, ahead = ([call_as_data(call) for call in calls] for calls in (stage.done, stage.ahead))
        worth = {"value": _finite(stage.value), "bound": _finite(stage.bound), "p_done": _finite(stage.p_done)}
        return {"plan": {"action": stage.action, "status": stage.status, "done": done, "ahead": ahead, **worth}}

    def _over(self, stage: Outcome) -> dict[str, Any]:
        if self.question is not None and self.question["id"] == stage.utterance_id:
            self.question = None
        return {"outcome": {"succeeded": stage.succeeded, "reason": stage.reason, "seconds": _finite(stage.seconds)}}


def _seen(stage: Grounding) -> dict[str, Any]:
    point = [_finite(value) for value in stage.point]
    return {
        "phrase": stage.phrase,
        "object": stage.object_id,
        "found": stage.found,
        "p": stage.confidence,
        "point": point,
        "stamp": stage.stamp,
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
