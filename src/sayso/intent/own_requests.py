"""Questions that ask for a user's own act: "what is the weight of the flask" in a home whose robot can weigh.

The examples of the act tell which. Without a question among them, any question about the act is one: "did you vacuum the kitchen".
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.intent.grammar import SPEAKER, word_set
from sayso.intent.normalise import normalise
from sayso.intent.reading import PlainSegment
from sayso.representation import Modifiers

_TALKING = SPEAKER | word_set("you we")  # of what these did or should do, a question wants an answer
_FACTS = frozenset(("what", "size", "colour", "how_many", "describe"))  # questions for what can be found out about a thing


class OwnRequests:
    """Tells which questions about own acts are requests."""

    def __init__(self, domain: Domain, own: Collection[str], read: Callable[[str], Sequence[PlainSegment]]) -> None:
        """Read the examples of the intents in `own`."""
        self._asked = {intent: frozenset(_questions(domain.intents[intent].wordings, read)) for intent in own}

    def __call__(self, intent: str, text: str, modifiers: Modifiers) -> Modifiers:
        """The modifiers of a clause of that intent, in normalised words, as a request if the clause asks as an example does.

        A question whether something is so that the act may find out is a hint: "has theo got a fever", where a temperature can be taken.
        """
        if modifiers.mood != "question" or intent not in self._asked:
            return modifiers
        if _way(text, modifiers) in self._asked[intent]:
            return replace(modifiers, mood="request", question="")
        hints = modifiers.question == "yes_no" and _TALKING.isdisjoint(text.split())
        return replace(modifiers, mood="hint", question="") if hints else modifiers


def _questions(examples: Sequence[str], read: Callable[[str], Sequence[PlainSegment]]) -> list[str]:
    read_examples = [(text, segments[0].modifiers) for text in map(normalise, examples) if (segments := read(text))]
    return [_way(text, modifiers) for text, modifiers in read_examples if modifiers.mood == "question"]


def _way(text: str, modifiers: Modifiers) -> str:
    """How a question asks.

    "Is anna okay" and "did you check on anna" both want a yes or a no, and only one of them is for looking. "How heavy is the flask" and
    "what does the flask weigh" ask for the same fact, "why did you weigh the flask" for another one, of the robot.
    """
    words = text.split()
    if modifiers.question == "yes_no":
        return words[0]
    return "fact" if modifiers.question in _FACTS and "you" not in words else modifiers.question
