"""Is this utterance a call to stop? Decided on the words alone, before anything else is thought about."""

from __future__ import annotations

import math
from functools import lru_cache

from sayso.domain import Domain
from sayso.types import Transcript

ALWAYS = ("stop", "halt", "freeze")  # in every home, whatever its domain file says
POLITE = ("please", "robot", "hey", "okay", "now", "right", "away")  # may stand around them
SHARE = 0.4  # of the probability that the alternatives which mean stop must hold together
DOUBTFUL = 0.15  # a rejected sound is no call to stop below this confidence; standing still in error is cheap, so it is low


def is_stop(transcript: Transcript, domain: Domain) -> bool:
    """Whether the whole utterance is a sentence that means stop; "don't stop" and "the bus stop" are not."""
    if transcript.rejected and transcript.confidence < DOUBTFUL:
        return False
    sentences = _stop_sentences(domain.intents["stop"].examples if "stop" in domain.intents else ())
    return sum(math.exp(heard.log_p) for heard in transcript.alternatives if _bare(heard.text) in sentences) >= SHARE


def is_stop_text(text: str, domain: Domain) -> bool:
    """The same for typed words."""
    return _bare(text) in _stop_sentences(domain.intents["stop"].examples if "stop" in domain.intents else ())


@lru_cache(maxsize=16)
def _stop_sentences(examples: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(_bare(example) for example in (*ALWAYS, *examples) if "{" not in example) - {()}


def _bare(text: str) -> tuple[str, ...]:
    """The words without politeness at the ends and without repetition: "stop stop please" → ("stop",)."""
    words = text.lower().replace(",", " ").replace(".", " ").replace("!", " ").split()
    while words and words[0] in POLITE:
        words = words[1:]
    while words and words[-1] in POLITE:
        words = words[:-1]
    return tuple(word for index, word in enumerate(words) if index == 0 or word != words[index - 1])
