"""action_selector: intent_belief + context → action_belief; questions, and what the answers to them mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from std_msgs.msg import String

from sayso.domain import Domain, load_domain
from sayso.types import ActionBelief, Context, IntentBelief
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run


class ActionSelectorNode(SaysoNode):
    """Decides, and keeps at most one question open."""

    NAME = "action_selector"
    PARAMETERS = (
        DOMAIN,
        Parameter("answer_within", 30.0, "how long a question stays open, s", 1.0, 600.0),
    )

    def open(self) -> None:
        """Load the domain; the selector's prior where it is at hand."""
        from sayso.selection import ActionSelector, answer

        self.domain = load_domain(self.value("domain") or None)
        self.make_selector = lambda prior: ActionSelector(self.domain, prior)
        prior = shipped_prior(self.domain)
        self.select = self.make_selector(prior) if prior else None
        self.read_answer = answer
        self.situation: Context | None = None
        self.open_question: ActionBelief | None = None
        self.asked_at = 0.0  # ROS time
        self.actions, self.questions = self.publisher("action_belief"), self.publisher("question")
        self.subscription("context", self.on_context)
        self.subscription("intent_belief", self.on_intent_belief)
        self.service("answer", self.on_answer)
        self.every(0.5, self.on_time)

    def on_context(self, message: Any) -> None:
        """The robot's situation."""
        self.situation = from_message(message)

    def on_intent_belief(self, message: Any) -> None:
        """An answer, where a question is open and the words fit it; a command otherwise."""
        belief = from_message(message)
        self.later(lambda: self.take(belief), failed=lambda error: self.tell(undecided(belief, error)))

    def take(self, belief: IntentBelief) -> None:
        """Decide on it."""
        if self.open_question is not None and self.accept(belief.text):
            return
        if self.select is None:
            # A home with intents of its own: intent_classifier has learnt them by now, since it has classified, and kept what it learnt.
            from sayso.intent import IntentClassifier

            self.select = self.make_selector(IntentClassifier(self.domain, lm_weight=0.0, tagger=False).p_train)
        decided = self.select(belief, self.situation)
        if self.open_question is not None and decided.decision != "reject":
            self.withdraw("another command came instead of an answer")
        self.tell(decided)

    def accept(self, text: str) -> bool:
        """Is that an answer to the open question? Then go on with what it decides."""
        if self.open_question is None:
            return False
        answered = self.read_answer(self.domain, self.open_question, text)
        if answered is None:
            return False
        self.open_question = None
        self.tell(answered.belief)
        return True

    def tell(self, decided: ActionBelief) -> None:
        """Publish the decision; ask what there is to ask, say why something is turned down."""
        if decided.decision in ("confirm", "ask"):
            self.open_question, self.asked_at = decided, self.seconds()
        self.actions.publish(to_message(decided))
        if decided.question:
            self.questions.publish(String(data=decided.question))

    async def on_answer(self, request: Any, response: Any) -> Any:
        """An answer from a program or a keyboard."""
        asked = self.open_question
        if asked is None or (request.utterance_id and request.utterance_id != asked.utterance_id):
            response.message = "no question is open" if asked is None else "that question is no longer open"
        elif await self.in_worker(lambda: self.accept(request.text)):
            response.accepted, response.message = True, "understood"
        else:
            response.message = f"'{request.text}' does not answer: {asked.question}"
        return response

    def on_time(self) -> None:
        """Withdraw a question that nobody answers."""
        if self.open_question is not None and self.seconds() - self.asked_at > self.value("answer_within"):
            self.later(lambda: self.withdraw(f"nobody answered within {self.value('answer_within'):g} s"))

    def withdraw(self, reason: str) -> None:
        """Close the open question: what it was about is not done."""
        if self.open_question is not None:
            closed, self.open_question = self.open_question, None
            self.actions.publish(to_message(replace(closed, decision="reject", reason=reason, question="", options=())))


def shipped_prior(domain: Domain) -> Mapping[str, float] | None:
    """P_train(k) of the intent classifier, which Bayes' rule divides out; None where the shipped head is not this domain's."""
    from sayso.intent.head import IntentHead
    from sayso.intent.learning import key_of
    from sayso.intent.store import SHIPPED
    from sayso.models import model_path

    head = IntentHead.load(model_path(SHIPPED))
    return dict(zip(head.intents, head.p_train.tolist(), strict=True)) if head.key == key_of(domain) else None


def undecided(belief: IntentBelief, error: Exception) -> ActionBelief:
    """The decision where the stage has failed: nothing is done."""
    return ActionBelief(belief.utterance_id, belief.stamp, (), "reject", f"action_selector failed: {error}")


def main() -> None:
    """Run the node."""
    run(ActionSelectorNode)


if __name__ == "__main__":
    main()
