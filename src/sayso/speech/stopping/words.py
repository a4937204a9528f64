"""Whether an utterance is a call to stop, by its words alone and before any other processing."""

from __future__ import annotations

import math
from functools import lru_cache

from sayso.domain import Domain
from sayso.types import Transcript

ALWAYS = ("stop", "halt", "freeze")  # in every home, independent of the domain file
POLITE = ("please", "robot", "hey", "okay", "now", "right", "away")  # allowed around them
SHARE = 0.4  # least total probability of the alternatives that mean stop
DOUBTFUL = 0.15  # least confidence of a rejected utterance that still stops; low, since a false stop is cheap


def is_stop(transcript: Transcript, domain: Domain) -> bool:
    """Whether the whole utterance means stop; "don't stop" and "the bus stop" do not."""
    if transcript.rejected and transcript.confidence < DOUBTFUL:
        return False
    sentences = _stop_sentences(domain.intents["stop"].examples if "stop" in domain.intents else ())
    return sum(math.exp(each.log_p) for each in transcript.alternatives if _bare(each.text) in sentences) >= SHARE


def is_stop_text(text: str, domain: Domain) -> bool:
    """Whether a typed text means stop."""
    return _bare(text) in _stop_sentences(domain.intents["stop"].examples if "stop" in domain.intents else ())


@lru_cache(maxsize=16)
def _stop_sentences(examples: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(_bare(example) for example in (*ALWAYS, *examples) if "{" not in example) - {()}


def _bare(text: str) -> tuple[str, ...]:
    """The words without polite words at either end and without repetition: "stop stop please" → ("stop",)."""
    words = text.lower().replace(",", " ").replace(".", " ").replace("!", " ").split()
    while words and words[0] in POLITE:
        words = words[1:]
    while words and words[-1] in POLITE:
        words = words[:-1]
    return tuple(word for index, word in enumerate(words) if index == 0 or word != words[index - 1])
