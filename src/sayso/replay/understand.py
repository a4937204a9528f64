"""Takes each utterance through the stages as the nodes do: with the situation, and with at most one open question."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sayso.agenda import Agenda, Now
from sayso.intent.discourse import Discourse
from sayso.pipeline import Understanding
from sayso.replay.stages import Stages
from sayso.replay.types import Latency, UtteranceRecord
from sayso.replay.wording import detail, heard_fields, understood_fields
from sayso.selection import AgendaKeeper, Dialogue, DialogueOptions
from sayso.selection.dialogue.which_one import which_one
from sayso.speech.stopping.words import is_stop
from sayso.types import ActionBelief, Context, IntentBelief, PlanState, Transcript

REMEMBERED = 16  # utterances
Result = TypeVar("Result")


@dataclass(slots=True)
class UtteranceResult:
    """The result of an utterance so far. Kept small, since a bag may hold many."""

    record: UtteranceRecord
    latency: Latency
    detail: Mapping[str, Any]
    referents: tuple[tuple[str, str], ...] = ()  # (object, phrase) to look for
    started: float = 0.0  # s, in the clock of the stamps
    ended: float = 0.0
    came: int = 0  # ns, when it was recorded


class Conversation:
    """Conducts the dialogue like action_selector, and keeps the mentions like intent_classifier."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        options = DialogueOptions(stages.config.answer_within, stages.config.correct_within)
        self._dialogue = Dialogue(stages.domain, options, stages.pipeline.describe)
        self._keeper = AgendaKeeper(stages.domain, Agenda(stages.domain))
        self._dialogue.settle = lambda belief, now: self._keeper(belief, Now(now, now))  # by the clock of the recording
        self._running: ActionBelief | None = None  # the last command that was carried out
        self._said: dict[str, tuple[IntentBelief, UtteranceResult]] = {}  # by utterance: an answer refers to an earlier one
        self._discourse = Discourse()

    def hear(self, transcript: Transcript, context: Context | None, at: float) -> UtteranceResult:
        """Take an utterance from its transcript on; `at` is when it arrived, s."""
        clock = _Clock(transcript)
        result = _begun(transcript, is_stop(transcript, self._stages.domain))
        try:
            said = self._discourse.recent(transcript.stamp)
            intents = clock.measure("classify", lambda: self._stages.pipeline.classify(transcript, said))
        except Exception as error:  # noqa: BLE001 - a stage may raise anything; one utterance must not end the replay of a bag
            return _failed(result, "classify", error)
        self._discourse.update(intents)
        return self._decide(result, transcript, intents, context, at, clock)

    def mean(self, intents: IntentBelief, transcript: Transcript | None, context: Context | None, at: float) -> UtteranceResult:
        """Take an utterance from its recorded intent belief on."""
        heard = transcript or Transcript(intents.utterance_id, intents.stamp, (), 1.0)
        result = _begun(heard, is_stop(heard, self._stages.domain))
        if transcript is None:
            result.record = replace(result.record, text=intents.text, confidence=None)
        return self._decide(result, heard, intents, context, at, _Clock(heard))

    def which_one(self, state: PlanState, heard: Transcript | None, at: float) -> None:
        """Ask which of several things is meant, if the plan waits for that, and it is of the command that is carried out here.

        What the robot saw on its way is taken from the recording, since nothing moves here.

        Args:
            state: of the recorded plan.
            heard: the recorded transcript of its command, if the sound is played: then the command has another id here.
            at: when it was recorded, s.
        """
        running = self._running
        if state.status != "asking" or len(state.choices) < 2 or running is None:
            return
        if heard is not None:
            again = [name for name, (_, said) in self._said.items() if min(said.ended, heard.stamp) > max(said.started, heard.started)]
            state = replace(state, utterance_id=again[-1] if again else state.utterance_id)
        if running.utterance_id != state.utterance_id:
            return
        for turn in self._dialogue.begin(which_one(self._stages.domain, running, state), at):
            self._note(turn.belief)

    def _note(self, belief: ActionBelief) -> None:
        """Keep the command that is carried out, and what is asked and chosen meanwhile."""
        errand = self._said.get(belief.utterance_id)
        if belief.choices and errand is not None:
            record = errand[1].record
            chosen = belief.decision == "execute"
            errand[1].record = replace(record, chosen=belief.choices[0].words) if chosen else replace(record, asked=belief.question)
        elif belief.decision == "execute":
            self._running = belief

    def choose(self, belief: ActionBelief, transcript: Transcript | None, intent: str, context: Context | None) -> UtteranceResult | None:
        """Take an utterance from its recorded action belief on: only plan. None for a question or an answer in the course of an errand."""
        if belief.choices:
            self._note(belief)
            return None
        heard = transcript or Transcript(belief.utterance_id, belief.stamp, (), 1.0)
        result, clock = _begun(heard, is_stop(heard, self._stages.domain)), _Clock(heard)
        intents = IntentBelief(belief.utterance_id, belief.stamp, heard.text, (), ())
        self._said[belief.utterance_id] = intents, result
        result = self._plan(result, heard, intents, belief, context, clock)
        result.record = replace(result.record, intent=intent, confidence=None if transcript is None else result.record.confidence)
        return result

    def _decide(
        self, result: UtteranceResult, transcript: Transcript, intents: IntentBelief, context: Context | None, at: float, clock: _Clock
    ) -> UtteranceResult:
        pipeline = self._stages.pipeline
        self._said[intents.utterance_id] = intents, result
        while len(self._said) > REMEMBERED:
            del self._said[next(iter(self._said))]
        self._dialogue.context = context
        self._keeper.agenda = Agenda(pipeline.domain)  # empty for each utterance: slices of a bag give what the whole gives
        self._keeper.note(intents)
        self._keeper.observe(context, {}, Now(at, at))
        try:
            turns = clock.measure("select", lambda: self._dialogue.hear(intents, transcript, lambda: pipeline.select(intents, context), at))
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(result, "select", error)
        if not turns:  # the same utterance again
            return result
        belief = turns[-1].belief  # the turns before it close an open question
        self._note(belief)
        done = self._plan(result, transcript, self._said.get(belief.utterance_id, (intents, result))[0], belief, context, clock)
        if belief.utterance_id != intents.utterance_id:
            done.record = replace(done.record, answers=belief.utterance_id)
        return done

    def _plan(
        self,
        result: UtteranceResult,
        transcript: Transcript,
        intents: IntentBelief,
        belief: ActionBelief,
        context: Context | None,
        clock: _Clock,
    ) -> UtteranceResult:
        pipeline = self._stages.pipeline
        if belief.choices:  # a question in the course of an errand, or its answer: the plan goes on
            return _finished(result, Understanding(transcript, intents, belief), clock)
        situation = context or pipeline.default_context()
        try:
            understood = clock.measure("plan", lambda: pipeline.planned(transcript, intents, belief, situation))
        except Exception as error:  # noqa: BLE001 - as above
            return _failed(_finished(result, Understanding(transcript, intents, belief), clock), "plan", error)
        return _finished(result, understood, clock)


class _Clock:
    """Measures the time that the stages take."""

    def __init__(self, transcript: Transcript) -> None:
        self.latency = Latency("", utterance_id=transcript.utterance_id)

    def measure(self, stage: str, work: Callable[[], Result]) -> Result:
        began = time.perf_counter()
        outcome = work()
        taken = (getattr(self.latency, stage) or 0.0) + time.perf_counter() - began
        changed: dict[str, Any] = {stage: taken}
        self.latency = replace(self.latency, **changed)
        return outcome


def _begun(transcript: Transcript, stop: bool) -> UtteranceResult:
    record = UtteranceRecord("", utterance_id=transcript.utterance_id, stop=stop, **heard_fields(transcript))
    latency = Latency("", utterance_id=transcript.utterance_id)
    return UtteranceResult(record, latency, {}, started=transcript.started or transcript.stamp, ended=transcript.stamp)


def _finished(result: UtteranceResult, understood: Understanding, clock: _Clock) -> UtteranceResult:
    result.record = replace(result.record, **understood_fields(understood))
    result.latency, result.detail = clock.latency, detail(understood)
    result.referents = understood.action_belief.referents
    return result


def _failed(result: UtteranceResult, stage: str, error: Exception) -> UtteranceResult:
    """The result of a failed stage: nothing is done, as in the nodes."""
    reason = f"{stage} failed: {str(error) or type(error).__name__}"
    result.record = replace(result.record, decision=result.record.decision if stage == "plan" else "reject", error=reason, reason=reason)
    return result
