"""What two heads mark in the words of a segment: the tagger's requests with their roles, and the acts of the structure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sayso.encoder import SentenceEncoder
from sayso.intent.clauses import ClauseSpan, Word
from sayso.intent.plain import PlainText
from sayso.intent.roles import TaggedRole
from sayso.intent.structure import StructureTagger
from sayso.intent.tagger import Tagger
from sayso.intent.tags import TaggedFrame
from sayso.types import FloatArray

# Chosen on development sentences (docs/understanding.md).
UNMARKED = 0.3  # of the share of words that are no act or another one: they speak for every intent alike
LEAST = 0.05  # no intent is ruled out


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks in a segment."""

    words: tuple[Word, ...]
    frames: tuple[TaggedFrame, ...] = ()
    acts: FloatArray | None = None  # (n, K + 1) of `StructureTagger.acts`

    def triggers(self) -> list[int]:
        """The index of the first word of each request."""
        return [frame.trigger.first for frame in self.frames]

    def roles(self, piece: ClauseSpan) -> tuple[TaggedRole, ...] | None:
        """The tagger's roles for a clause, from the first frame in it; None if there is no frame."""
        frame = next((each for each in self.frames if piece.start <= self.words[each.trigger.first].start < piece.end), None)
        if frame is None:
            return None
        spans = (TaggedRole(span.label, self.words[span.first].start, self.words[span.last].end) for span in frame.arguments)
        return tuple(each for each in spans if piece.start <= each.start and each.end <= piece.end)

    def weighed(self, p: FloatArray, piece: ClauseSpan) -> FloatArray:
        """(K,) P(k | clause) ∝ p_k q_k, a product of experts (Hinton 2002): q_k is the mean P(word belongs to an act k) over its words."""
        own = [at for at, word in enumerate(self.words) if piece.start <= word.start < piece.end]
        if self.acts is None or not own:
            return p
        mean = self.acts[own].mean(0)
        both = p * (mean[:-1] + UNMARKED * mean[-1] + LEAST)
        return np.asarray(both / both.sum())


class Marker:
    """Words of a segment → Marks. Both heads read one set of vectors, of the plain text, as the classifier does."""

    def __init__(self, encode: SentenceEncoder, plain: PlainText, intents: Sequence[str]) -> None:
        """Load both heads.

        Raises:
            ModelError: a model file is missing or altered.
        """
        self._encode, self._plain, self._intents = encode, plain, tuple(intents)
        self._tag, self._structure = Tagger(encode), StructureTagger()

    def __call__(self, words: tuple[Word, ...]) -> Marks:
        """The marks in those words."""
        plain = self._plain.words([word.text for word in words])
        if not plain:
            return Marks(words)
        vectors = self._encode.words([word.text for word in plain])
        spans = [(word.first, word.last) for word in plain]
        acts = self._structure.acts(vectors, self._intents)
        each = np.repeat(np.arange(len(plain)), [last - first + 1 for first, last in spans])
        return Marks(words, tuple(frame.over(spans) for frame in self._tag.read(vectors)), acts[each])
