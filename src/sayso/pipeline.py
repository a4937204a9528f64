"""The stages in order, as plain calls, for the library, the command line and the replay. The nodes run the same stages separately."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from sayso.agenda import Agenda, Now
from sayso.domain import Domain
from sayso.intent.meaning.answers import AnswerDescriber
from sayso.planning import Planner, Task
from sayso.selection import ActionSelector, AgendaKeeper, AnswerKnowledge, Recollection, WorldView, answer
from sayso.selection.choosing.calibration import stored
from sayso.selection.choosing.conformal import ConformalSet
from sayso.selection.dialogue.commanding import commands_anew
from sayso.selection.dialogue.which_one import which_one
from sayso.types import Action, ActionBelief, Clause, Context, Decision, IntentBelief, PlanState, Transcript, TranscriptAlternative


@dataclass(frozen=True, slots=True)
class Understanding:
    """The results of all stages for one utterance."""

    transcript: Transcript
    intent_belief: IntentBelief
    action_belief: ActionBelief
    plan: PlanState | None = None  # for the whole sentence; None unless the decision is to execute
    plan_reason: str = ""  # why there is nothing to do, if the plan is empty

    @property
    def decision(self) -> Decision:
        """What to do: execute, confirm, ask, defer, answer or reject."""
        return self.action_belief.decision

    @property
    def reason(self) -> str:
        """Why this decision, in one line."""
        return self.action_belief.reason

    @property
    def question(self) -> str:
        """What the robot should ask, or say when it rejects; empty when it executes."""
        return self.action_belief.question

    @property
    def actions(self) -> tuple[Action, ...]:
        """The most probable action of each clause, in order."""
        return self.action_belief.chosen

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The requests in the sentence, with intents and roles."""
        return self.intent_belief.clauses

    @property
    def probability(self) -> float:
        """The posterior of `actions`: that of the least certain clause; 0 if there are none."""
        best: dict[tuple[int, int], float] = {}
        for candidate in self.action_belief.candidates:
            place = (candidate.clause, candidate.part)
            best[place] = max(candidate.probability, best.get(place, 0.0))
        return min(best.values(), default=0.0)


class Pipeline:
    """Text or transcript → understanding. The stages are created once, for one domain."""

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
        self.describe = AnswerDescriber(domain)
        self._numbers = itertools.count(1)

    def understand(self, said: str | Transcript, context: Context | None = None, view: WorldView | None = None) -> Understanding:
        """The results of all stages for an utterance; nothing moves.

        Args:
            said: the sentence.
            context: the robot's situation.
            view: what the robot believes and remembers; None: where the domain says that things usually are, and the time.
        """
        transcript = said if isinstance(said, Transcript) else self._transcript(said)
        context = context or self.default_context()
        view = view or WorldView.of(context, recent=Recollection(Now.at(transcript.stamp)))
        intent_belief = self.classify(transcript)
        return self.planned(transcript, intent_belief, self._settled(intent_belief, self.select(intent_belief, context, view)), context)

    def answer(
        self, asked: Understanding, text: str, context: Context | None = None, view: WorldView | None = None
    ) -> Understanding | None:
        """The understanding after an answer to the robot's question; None if the text doesn't answer it, or is another command.

        Args:
            asked: has the question.
            text: "yes", "the red one", "the one in the kitchen", "no, the blue one", …
            context: the robot's situation.
            view: where things are believed to be; None: where the domain says that they usually are.
        """
        known = AnswerKnowledge(view or WorldView.of(context or self.default_context()), self.describe)
        answered = answer(self.domain, asked.action_belief, text, known)
        if answered is None or commands_anew(self.domain, asked.action_belief, self.classify(self._transcript(text))):
            return None
        if answered.belief.choices:  # it is being carried out
            return replace(asked, action_belief=answered.belief)
        belief = self._settled(asked.intent_belief, answered.belief)
        return self.planned(asked.transcript, asked.intent_belief, belief, context or self.default_context())

    def after_look(self, pending: Understanding, context: Context | None = None, view: WorldView | None = None) -> Understanding:
        """The decision on an utterance whose `action_belief.then` is pending, once the robot has looked; `view` holds what it saw."""
        context = context or self.default_context()
        belief = self.select(pending.intent_belief, context, view, looked=True)
        return self.planned(pending.transcript, pending.intent_belief, self._settled(pending.intent_belief, belief), context)

    def which_one(self, running: Understanding, state: PlanState) -> Understanding:
        """The question which of several things is meant, of a command that is being carried out. `answer` takes the person's answer.

        Args:
            running: the understanding that is carried out.
            state: of its plan, with the status "asking".
        """
        return replace(running, action_belief=which_one(self.domain, running.action_belief, state))

    def default_context(self) -> Context:
        """The robot is where the speaker usually is, with an empty gripper, and has seen nothing yet."""
        usual = self.domain.people[self.domain.speaker].usual
        place = self.domain.places[max(usual, key=lambda name: usual[name])] if usual else None
        return Context(x=place.pose[0], y=place.pose[1], yaw=place.pose[2]) if place else Context()

    def planned(self, transcript: Transcript, intent_belief: IntentBelief, belief: ActionBelief, context: Context) -> Understanding:
        """Add the plan, if the decision is to execute."""
        if belief.decision != "execute":
            return Understanding(transcript, intent_belief, belief)
        task = Task.start(self.planner, belief.chosen, context)
        action = "; ".join(str(chosen) for chosen in belief.chosen)
        plan = replace(task.plan.state(belief.utterance_id, belief.stamp), action=action, status=task.status, ahead=task.ahead(context))
        return Understanding(transcript, intent_belief, belief, plan, task.reason)

    def _settled(self, intent_belief: IntentBelief, belief: ActionBelief) -> ActionBelief:
        """The decision after times, conditions and rules, with an agenda of its own: a pipeline keeps no state between utterances."""
        keeper = AgendaKeeper(self.domain, Agenda(self.domain))
        keeper.note(intent_belief)
        return keeper(belief, Now.at(belief.stamp or time.time()))

    def _transcript(self, text: str) -> Transcript:
        alternatives = (TranscriptAlternative(text, 0.0),) if text.strip() else ()
        return Transcript(f"text-{next(self._numbers)}", 0.0, alternatives, confidence=1.0)
