"""Short answers to the robot's questions as descriptions: "the one on the table", "next to the bread", "it's the bigger one"."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from sayso.domain import Domain
from sayso.intent.clauses import Word, words_of
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import FUNCTION_WORDS, verbs_of, word_set
from sayso.intent.meaning.describe import DescriptionParser, NounPhrase
from sayso.intent.meaning.looks import with_looks
from sayso.intent.meaning.noun_words import LONGEST_RELATION, RELATIONS
from sayso.intent.meaning.timings import ROUGHLY
from sayso.intent.measures import measure, suits, usual_unit
from sayso.intent.normalise import normalise
from sayso.representation import Description, Relation

_INTRODUCTION = word_set("it's that's it that is i mean meant want wanted take the one ones which please , yes")
_LONGEST = 30  # words; anything longer is no answer to "which one?"


class AnswerDescriber:
    """Text of an answer → the description that it consists of. Builds its parser at the first answer."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._parser = lru_cache(maxsize=1)(self._build)

    def __call__(self, text: str) -> Description | None:
        """The description; None if the text is anything else, such as a command."""
        words = words_of(normalise(text))
        if any(tuple(word.text for word in words[:size]) in RELATIONS for size in range(1, LONGEST_RELATION + 1)):
            words = words_of(f"the one {normalise(text)}")  # "next to the bread"
        if not words or len(words) > _LONGEST:
            return None
        phrases = self._parser().phrases(words)
        covered = {at for phrase in phrases for at in phrase.words} | {at for phrase in phrases for at in _before(phrase, words)}
        if any(at not in covered and word.text not in _INTRODUCTION for at, word in enumerate(words)):
            return None
        return _joined(phrases)

    def amount(self, action: str, role: str, text: str) -> float:
        """The quantity that the text consists of, "about two metres", in the SI unit of that role; NaN if it is anything else."""
        intents = self._domain.intents.values()
        wordings = [each for spec in intents if spec.actions.get(action) and role in spec.roles for each in spec.wordings]
        plain, usual = normalise(text), usual_unit(wordings)
        found = measure(plain, usual)
        if found is None or not suits(found, usual):
            return math.nan
        around = words_of(f"{plain[: found.start]} {plain[found.end :]}")
        return found.value if all(word.text in _INTRODUCTION | FUNCTION_WORDS | ROUGHLY for word in around) else math.nan

    def _build(self) -> DescriptionParser:
        examples = [example for spec in self._domain.intents.values() for example in spec.wordings]
        return DescriptionParser(self._domain, Gazetteer(self._domain), verbs_of(examples))


def _before(phrase: NounPhrase, words: tuple[Word, ...]) -> range:
    """The places of the words of a phrase's preposition."""
    first = phrase.words[0]
    count = len(phrase.preposition.split())
    return range(first - count, first) if [word.text for word in words[first - count : first]] == phrase.preposition.split() else range(0)


def _joined(phrases: tuple[NounPhrase, ...]) -> Description | None:
    """The first phrase, restricted by those with a preposition: "the one | on the table"; "on the table" alone means so too."""
    named = [phrase.description for phrase in phrases if not phrase.preposition and phrase.description.pronoun not in ("it", "that")]
    placed = [phrase for phrase in phrases if phrase.preposition]
    if len(named) > 1 or not (named or placed):
        return None
    whole = named[0] if named else Description("", placed[0].description.start, placed[-1].description.end, pronoun="one")
    for phrase in placed:
        if phrase.relation is None:
            return None
        relation = Relation(phrase.relation, (phrase.description,))
        if relation not in whole.relations:
            whole = replace(whole, relations=(*whole.relations, relation))
    return with_looks(whole)  # "in the red shirt" is no place
