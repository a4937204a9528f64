"""Questions to the robot about itself in words that no rule has: the nearest of the examples by hand, in the encoder's space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import cast

import numpy as np

from sayso.intent.grammar import FUNCTION_WORDS, word_set
from sayso.intent.linear_head import Float32Array
from sayso.intent.normalise import normalise
from sayso.representation import QuestionName
from sayso.yaml_source import read_plain

CLOSE = 0.84  # least cosine to an example; below lie "what are your hobbies", "who do you report to"
_OF_THE_CLOCK = frozenset(("time", "date"))
_ADDRESSED = word_set("you your you're you've yours yourself robot")  # what is asked of the robot speaks of it, its clock apart
# Other days and owners: "what is the date of last monday", "could you tell me my name".
_OTHER = word_set("tomorrow yesterday tonight my last next monday tuesday wednesday thursday friday saturday sunday")


class OwnExamples:
    """Text → the question that it asks of the robot. Embeds its examples at the first text that may be one."""

    def __init__(self, encode: Callable[[Sequence[str]], Float32Array]) -> None:
        self._encode = encode

    def __call__(self, text: str) -> QuestionName | None:
        """The question; None if no example is close, or a word occurs in none of them: "what time is it in phoenix".

        Args:
            text: the whole utterance, normalised. A part of a longer one is never asked alone: "my car has died, what do i do next".
        """
        words = text.split()
        if "," in text or "and" in words[1:] or _OTHER.intersection(words) or not self._vocabulary.issuperset(words):
            return None
        names, h = self._embedded
        cosines = h @ self._encode([" ".join(words)])[0]
        best = int(cosines.argmax())
        if cosines[best] < CLOSE or (names[best] not in _OF_THE_CLOCK and not _ADDRESSED.intersection(words)):
            return None
        return names[best]

    @cached_property
    def _examples(self) -> tuple[tuple[QuestionName, str], ...]:
        held = read_plain(Path(__file__).with_name("own_examples.yaml"))
        return tuple((cast("QuestionName", name), normalise(str(text))) for name, texts in held.items() for text in texts)

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset(word for _, text in self._examples for word in text.replace(",", " ").split()) | FUNCTION_WORDS

    @cached_property
    def _embedded(self) -> tuple[tuple[QuestionName, ...], Float32Array]:
        """(N,) names and (N, D) rows of length 1."""
        names, texts = zip(*self._examples, strict=True)
        return names, np.concatenate([self._encode([text]) for text in texts])
