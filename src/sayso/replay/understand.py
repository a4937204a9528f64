"""Utterance after utterance through the stages, as the nodes would take them: with the situation, and with at most one open question."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sayso.intent.discourse import Discourse
from sayso.pipeline import Understanding
from sayso.replay.stages import Stages
from sayso.replay.types import Latency, UtteranceRecord
from sayso.replay.wording import detail, heard_fields, understood_fields
from sayso.selection import Dialogue, DialogueOptions
from sayso.speech.stopping.words import is_stop
from sayso.types import ActionBelief, Context, IntentBelief, Transcript

REMEMBERED = 16  # utterances
Result = TypeVar("Result")


@dataclass(slots=True)
class UtteranceResult:
    """What became of one utterance so far. Small: a bag may hold many."""

    record: UtteranceRecord
    latency: Latency
    detail: Mapping[str, Any]
    referents: tuple[tuple[str, str], ...] = ()  # (object, phrase) to look for
    started: float = 0.0  # s, in the clock of the stamps
    ended: float = 0.0
    came: int = 0  # ns, when it was recorded


class Conversation:
    """Leads the dialogue, as action_selector does, and remembers what was spoken of, as intent_classifier does."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self._dialogue = Dialogue(stages.domain, DialogueOptions(stages.config.answer_within, stages.config.correct_within))
        self._meant: dict[str, IntentBelief] = {}  # of the last utterances: an answer settles what an earlier one meant
        self._discourse = Discourse()

    def hear(self, transcript: Transcript, context: Context | None, at: float) -> UtteranceResult:
        """An utterance from its transcript on; `at` (s) is when it came."""
        clock = _Clock(transcript)
        told = _told(transcript, is_stop(transcript, self._stages.domain))
        try:
            said = self._discourse.spoken_of(transcript.stamp)
            intents = clock.measure("classify", lambda: self._stages.pipeline.classify(transcript, said))
        except Exception as error:  # noqa: BLE001 - a stage may raise anything; one utterance must not end the replay of a bag
            return _failed(told, "classify", error)
        self._discourse.heard(intents)
        return self._decide(told, transcript, intents, context, at, clock)

    def mean(self, intents: IntentBelief, transcript: Transcript | None, context: Context | None, at: float) -> UtteranceResult:
        """An utterance from its recorded intent belief on."""
        heard = transcript or Transcript(intents.utterance_id, intents.stamp, (), 1.0)
        told = _told(heard, is_stop(heard, self._stages.domain))
        if transcript is None:
            told.record = replace(told.record, text=intents.text, confidence=None)
        return self._decide(told, heard, intents, context, at, _Clock(heard))

    def choose(self, belief: ActionBelief, transcript: Transcript | None, intent: str, context: Context | None) -> UtteranceResult:
        """An utterance from its recorded action belief on: what is planned."""
        heard = transcript or Transcript(belief.utterance_id, belief.stamp, (), 1.0)
        told, clock = _told(heard, is_stop(heard, self._stages.domain)), _Clock(heard)
        intents = IntentBelief(belief.utterance_id, belief.stamp, heard.text, (), ())
        told = self._plan(told, heard, intents, belief, context, clock)
        told.record = replace(told.record, intent=intent, confidence=None if transcript is None else told.record.confidence)
        return told

    def _decide(
        self, told: UtteranceResult, transcript: Transcript, intents: IntentBelief, context: Context | None, at: float, clock: _Clock
    ) -> UtteranceResult:
        pipeline = self._stages.pipeline
        self._meant[intents.utterance_id] = intents
        while len(self._meant) > REMEMBERED:
            del self._meant[next(iter(self._meant))]
        try:
            turns = clock.measure(
                "select", lambda: self._dialogue.heard(intents, transcript, lambda: pipeline.select(intents, context), at)
            )
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(told, "select", error)
        if not turns:  # the same utterance again
            return told
        belief = turns[-1].belief  # what came before it closes what was open
        done = self._plan(told, transcript, self._meant.get(belief.utterance_id, intents), belief, context, clock)
        if belief.utterance_id != intents.utterance_id:
            done.record = replace(done.record, answers=belief.utterance_id)
        return done

    def _plan(
        self,
        told: UtteranceResult,
        transcript: Transcript,
        intents: IntentBelief,
        belief: ActionBelief,
        context: Context | None,
        clock: _Clock,
    ) -> UtteranceResult:
        pipeline = self._stages.pipeline
        situation = context or pipeline.default_context()
        try:
            understood = clock.measure("plan", lambda: pipeline.planned(transcript, intents, belief, situation))
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(_finished(told, Understanding(transcript, intents, belief), clock), "plan", error)
        return _finished(told, understood, clock)


class _Clock:
    """What the stages take, on the clock of this machine."""

    def __init__(self, transcript: Transcript) -> None:
        self.latency = Latency("", utterance_id=transcript.utterance_id)

    def measure(self, stage: str, work: Callable[[], Result]) -> Result:
        began = time.perf_counter()
        result = work()
        taken = (getattr(self.latency, stage) or 0.0) + time.perf_counter() - began
        changed: dict[str, Any] = {stage: taken}
        self.latency = replace(self.latency, **changed)
        return result


def _told(transcript: Transcript, stop: bool) -> UtteranceResult:
    record = UtteranceRecord("", utterance_id=transcript.utterance_id, stop=stop, **heard_fields(transcript))
    latency = Latency("", utterance_id=transcript.utterance_id)
    return UtteranceResult(record, latency, {}, started=transcript.started or transcript.stamp, ended=transcript.stamp)


def _finished(told: UtteranceResult, understood: Understanding, clock: _Clock) -> UtteranceResult:
    told.record = replace(told.record, **understood_fields(understood))
    told.latency, told.detail = clock.latency, detail(understood)
    told.referents = understood.action_belief.referents
    return told


def _failed(told: UtteranceResult, stage: str, error: Exception) -> UtteranceResult:
    """As the nodes have it: a stage that fails means that nothing is done."""
    reason = f"{stage} failed: {str(error) or type(error).__name__}"
    told.record = replace(told.record, decision=told.record.decision if stage == "plan" else "reject", error=reason, reason=reason)
    return told
