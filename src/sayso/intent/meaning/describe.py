"""Noun phrases → descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from sayso.domain import Domain
from sayso.intent.clauses import Word
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.meaning.looks import with_looks
from sayso.intent.meaning.noun_words import RELATIONS
from sayso.intent.meaning.nouns import NounReader
from sayso.intent.meaning.phrase_reader import PhraseReader, ReadPhrase
from sayso.intent.meaning.restrictions import RestrictionReader
from sayso.representation import Description, Relation, RelationName

LONGEST = 400  # words of a sentence; the rest is ignored
CACHED = 2048  # runs of words that are kept with their phrases


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """A maximal noun phrase. Indices count the words that were given."""

    description: Description
    words: tuple[int, ...]  # all of its words, with restrictions
    preposition: str = ""  # the words before it: "to", "next to"; empty for none
    kind: str = ""  # "place", "object" or "person" of its best candidate; empty if unknown

    @property
    def relation(self) -> RelationName | None:
        """The relation that the preposition names; None for "to", and for none."""
        return RELATIONS.get(tuple(self.preposition.split()))


class DescriptionParser:
    """Finds the noun phrases of a sentence and describes them."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, verbs: frozenset[str]) -> None:
        nouns = NounReader(domain, gazetteer, verbs)
        restrictions = RestrictionReader(domain, nouns, verbs)
        read = PhraseReader(nouns, restrictions, verbs)

        @lru_cache(CACHED)  # many structures of a sentence have the same phrases
        def cached(text: str) -> tuple[ReadPhrase, ...]:
            return tuple(read(text.split()))

        self._read = cached

    def phrases(self, words: Sequence[Word]) -> tuple[NounPhrase, ...]:
        """The noun phrases of a normalised sentence or clause, in order. It never raises."""
        words = words[:LONGEST]
        text = " ".join(word.text for word in words)
        return tuple(_noun_phrase(phrase, words) for phrase in self._read(text))


def _noun_phrase(phrase: ReadPhrase, words: Sequence[Word]) -> NounPhrase:
    everything = tuple(sorted(phrase.words))
    described = _spanned(phrase.noun.description, words)
    described = replace(described, text=_text(words, everything), start=words[everything[0]].start, end=words[everything[-1]].end)
    return NounPhrase(with_looks(described), everything, " ".join(phrase.preposition), phrase.noun.kind)


def _text(words: Sequence[Word], indices: Sequence[int]) -> str:
    return " ".join(words[index].text for index in indices).replace(" ,", ",")


def _spanned(description: Description, words: Sequence[Word]) -> Description:
    """The description with spans in characters instead of words, at every depth."""
    last = max(description.end - 1, description.start)
    return replace(
        description,
        start=words[min(description.start, len(words) - 1)].start,
        end=words[min(last, len(words) - 1)].end,
        text=description.text.replace(" ,", ","),
        relations=tuple(_spanned_relation(relation, words) for relation in description.relations),
        excluded=tuple(_spanned(other, words) for other in description.excluded),
        parts=tuple(_spanned(part, words) for part in description.parts),
    )


def _spanned_relation(relation: Relation, words: Sequence[Word]) -> Relation:
    return replace(relation, landmarks=tuple(_spanned(landmark, words) for landmark in relation.landmarks))
