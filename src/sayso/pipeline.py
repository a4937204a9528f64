"""The stages in order, as plain calls: what the command line, the replay and the tests use. The nodes run the same stages apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from sayso.domain import Domain
from sayso.planning import Planner, Task
from sayso.selection import ActionSelector, answer
from sayso.selection.calibration import stored
from sayso.selection.conformal import ConformalSet
from sayso.types import ActionBelief, Context, IntentBelief, PlanState, Transcript, TranscriptAlternative


@dataclass(frozen=True, slots=True)
class Understanding:
    """What every stage made of one utterance."""

    transcript: Transcript
    intent_belief: IntentBelief
    action_belief: ActionBelief
    plan: PlanState | None = None  # from here to the end of the sentence; None unless it is to be executed
    plan_reason: str = ""  # why there is nothing to do, where the plan is empty


class Pipeline:
    """Text or transcript → understanding. The stages are made once, with the domain."""

    def __init__(
        self,
        domain: Domain,
        classifier: Callable[..., IntentBelief] | None = None,
        options: ConformalSet | None = None,
    ) -> None:
        """Without a classifier, load the trained one of models/ and the conformal sets calibrated for it."""
        self.domain = domain
        self.stale = ""  # why a calibration is not used, in one line for the user
        if classifier is None:
            from sayso.intent import IntentClassifier

            classifier = IntentClassifier(domain)
            options, self.stale = stored(domain)
        self.classify = classifier
        self.select = ActionSelector(domain, options=options)
        self.planner = Planner(domain)
        self._numbers = itertools.count(1)

    def understand(self, said: str | Transcript, context: Context | None = None) -> Understanding:
        """All the stages' results for what was said; nothing is done about it."""
        transcript = said if isinstance(said, Transcript) else self._transcript(said)
        context = context or self.default_context()
        intent_belief = self.classify(transcript)
        return self.planned(transcript, intent_belief, self.select(intent_belief, context), context)

    def answer(self, asked: Understanding, text: str, context: Context | None = None) -> Understanding | None:
        """What was understood once the robot's question is answered; None where the text does not answer it."""
        answered = answer(self.domain, asked.action_belief, text)
        if answered is None:
            return None
        return self.planned(asked.transcript, asked.intent_belief, answered.belief, context or self.default_context())

    def default_context(self) -> Context:
        """A robot that stands where the speaker mostly is, with an empty hand, and has seen nothing yet."""
        usual = self.domain.people[self.domain.speaker].usual
        place = self.domain.places[max(usual, key=lambda name: usual[name])] if usual else None
        return Context(x=place.pose[0], y=place.pose[1], yaw=place.pose[2]) if place else Context()

    def planned(self, transcript: Transcript, intent_belief: IntentBelief, belief: ActionBelief, context: Context) -> Understanding:
        """With the plan of what was decided, where it is to be executed."""
        if belief.decision != "execute":
            return Understanding(transcript, intent_belief, belief)
        task = Task.start(self.planner, belief.chosen, context)
        action = "; ".join(str(chosen) for chosen in belief.chosen)
        plan = PlanState(belief.utterance_id, belief.stamp, action, task.status, ahead=task.ahead(context), value=task.plan.value)
        return Understanding(transcript, intent_belief, belief, plan, task.reason)

    def _transcript(self, text: str) -> Transcript:
        alternatives = (TranscriptAlternative(text, 0.0),) if text.strip() else ()
        return Transcript(f"text-{next(self._numbers)}", 0.0, alternatives, confidence=1.0)
