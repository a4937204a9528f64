"""intent_classifier: transcript → intent_belief."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sayso.domain import load_domain
from sayso.types import IntentBelief, Transcript
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.lifecycle_node import DOMAIN, SaysoNode
from sayso_nodes.parameters import Parameter
from sayso_nodes.run import run

TOO_MUCH = "too much at once, please say it again"


class IntentClassifierNode(SaysoNode):
    """Publishes a belief over the intents for every clause of a transcript."""

    NAME = "intent_classifier"
    PARAMETERS = (
        DOMAIN,
        Parameter(
            "head", "linear", "classification head: softmax(W h + b), or the Gaussian kernel over examples", choices=("linear", "kernel")
        ),
        Parameter("encoder", "", "folder of a sentence-transformers model exported by 'sayso train encoder --from'; empty: models/"),
        Parameter("lm_weight", 1.0, "weight of the command language model among n-best texts; 1: as fitted, 0: none", 0.0, 20.0),
    )

    QUEUE = 32

    def open(self) -> None:
        """Load the encoder and the head."""
        from sayso.intent import IntentClassifier
        from sayso.intent.discourse import Discourse

        encoder = Path(self.value("encoder")) if self.value("encoder") else None
        domain = load_domain(self.value("domain") or None)
        self.classify = IntentClassifier(domain, encoder, self.value("lm_weight"), self.value("head"))
        self.classify.prepare()
        self.discourse = Discourse()
        self.beliefs = self.publisher("intent_belief")
        self.subscription("transcript", self.on_transcript)

    def on_transcript(self, message: Any) -> None:
        """Classify a transcript; if that fails, publish a rejection with the reason."""
        transcript = from_message(message)
        self.later(
            lambda: self.classify_and_publish(transcript),
            failed=lambda error: self.beliefs.publish(to_message(unclassified(transcript, f"intent_classifier failed: {error}"))),
            dropped=lambda: self.beliefs.publish(to_message(unclassified(transcript, TOO_MUCH))),
        )

    def classify_and_publish(self, transcript: Transcript) -> None:
        """Publish the belief, and remember what was mentioned."""
        belief = self.classify(transcript, self.discourse.recent(transcript.stamp))
        self.discourse.update(belief)
        self.beliefs.publish(to_message(belief))


def unclassified(transcript: Transcript, reason: str) -> IntentBelief:
    """The belief if the stage has failed, or has too much to do."""
    return IntentBelief(transcript.utterance_id, transcript.stamp, transcript.text, (), (), rejected=reason)


def main() -> None:
    """Run the node."""
    run(IntentClassifierNode)


if __name__ == "__main__":
    main()
