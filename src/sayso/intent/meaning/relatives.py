"""Relative clauses: "that is on the table", "you see there", "i left on the sofa", "whichever is closest"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from sayso.intent.grammar import ADVERBS, DETERMINERS
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.nouns import NounReader
from sayso.intent.meaning.postmodifiers import Restriction, nearness, side
from sayso.representation import Description, Relation, RelationName

_RELATIVES = frozenset(("that", "which", "who", "whom", "where"))
_RELATIVE_COPULAS = frozenset(("that's", "who's", "which's"))
_AUXILIARIES = frozenset(("have", "had", "can", "could", "just", "always", "usually", "will", "did", "i've"))
_FREE = frozenset(("whichever", "whatever"))
_HAVING = frozenset(("i've", "we've", "you've", "they've"))
_SEEING = frozenset(("see", "saw", "seen"))
_EXPLAINED = (
    frozenset(("want", "wanted", "need", "mean", "meant", "mentioned", "like", "told", "have", "had", "got", "use", "find")) | _SEEING
)
_THEN = frozenset(("yesterday", "today", "earlier", "before", "there", "here", "last", "week", "so", "much", "just", "now"))


class Within(Protocol):
    """What a relative clause may hold."""

    def places(self, text: Sequence[str], at: int, depth: int, absent: bool = False) -> Restriction | None:
        """Phrases of place."""

    def participle(self, text: Sequence[str], at: int, noun: Noun | None, depth: int) -> Restriction | None:
        """A participle with what belongs to it."""

    def relation(self, text: Sequence[str], at: int) -> tuple[RelationName | None, int]:
        """The relation whose preposition begins there, and the index after it."""


class RelativeClauses:
    """Reads the relative clause that begins at a word."""

    def __init__(self, nouns: NounReader, verbs: frozenset[str], within: Within) -> None:
        self._nouns, self._verbs, self._within = nouns, verbs, within

    def __call__(self, text: Sequence[str], at: int, noun: Noun, depth: int) -> Restriction | None:
        """The relative clause of a noun as a restriction, or None."""
        begin = at + (text[at] == "," and text[at + 1 : at + 2] in (["which"], ["who"]))
        if begin >= len(text):
            return None
        marked = text[begin] in _RELATIVES
        if text[noun.first] in _FREE and begin == noun.end and begin + 1 < len(text) and text[begin] in lexicon.COPULAS:
            found = self.predicate(text, begin + 1, noun, depth, text[begin] in lexicon.NEGATED_COPULAS)  # "whichever bottle is closest"
        elif text[begin] in _RELATIVE_COPULAS:
            found = self.predicate(text, begin + 1, noun, depth, False)
        elif marked and begin + 1 < len(text) and text[begin + 1] in lexicon.COPULAS:
            found = self.predicate(text, begin + 2, noun, depth, text[begin + 1] in lexicon.NEGATED_COPULAS)
        elif marked and begin + 1 < len(text) and text[begin + 1] in {"has", "have"}:
            part = self._nouns(text, begin + 2)
            found = Restriction("clause", at, part.end, (Relation("with", (part.description,)),)) if part else None
        elif marked and begin + 1 < len(text) and text[begin + 1] in lexicon.PARTICIPLES:
            found = self._within.participle(text, begin + 1, None, depth)
        else:
            found = self._contact(text, begin + marked, depth, marked)
        return _from(found, at) if found else None

    def free_relative(self, text: Sequence[str], at: int) -> Restriction | None:
        """Where something is, in "what is on the counter"; None if the words are not of that form."""
        if text[at] not in {"what", "whatever"} or at + 2 >= len(text) or text[at + 1] not in lexicon.COPULAS:
            return None
        return self._within.places(text, at + 2, 0)

    def predicate(self, text: Sequence[str], at: int, noun: Noun, depth: int, negated: bool = False) -> Restriction | None:
        """What follows "that is": places, attributes, an order."""
        while at < len(text) and text[at] in {"not", "still", "now", "currently", "right", "very", "also", "always"}:
            if text[at] == "right" and self._within.relation(text, at)[0]:
                break
            negated ^= text[at] == "not"
            at += 1
        if at >= len(text):
            return None
        if text[at] in lexicon.ACTIONS:
            return self._within.participle(text, at, None, depth)
        if not negated and (found := side(self._nouns, text, at, noun)) is not None:
            return found  # "the bottle which is on the left"
        if text[at] in lexicon.PARTICIPLES and not negated:
            lying = self._within.participle(text, at, None, depth)
            if lying is not None:
                return lying
        begin = at + (text[at] in lexicon.PARTICIPLES)
        begin += begin > at and text[begin : begin + 1] in (["up"], ["down"])
        places = self._within.places(text, begin, depth, negated)
        if places is not None:
            return places
        if begin > at + 1:  # "is lying down"
            return Restriction("clause", at, begin, attributes=(text[at],))
        return self._quality(text, at + (text[at] in {"the", "a"}), noun, negated)

    def _quality(self, text: Sequence[str], at: int, noun: Noun, negated: bool) -> Restriction | None:
        """An order or attributes after "that is"."""
        word = text[at] if at < len(text) else ""
        if not negated and word in lexicon.SUPERLATIVES and (near := nearness(self._nouns, text, at, noun)) is not None:
            return near  # "that's closest to the vase"
        if word in lexicon.SUPERLATIVES and not negated:
            return Restriction("order", at, at + 1, order=lexicon.SUPERLATIVES[word])
        attributes: list[str] = []
        while at < len(text) and text[at] in lexicon.ATTRIBUTES:
            attributes.append(text[at])
            at += 1 + (text[at + 1 : at + 2] == ["and"] and text[at + 2 : at + 3] != [] and text[at + 2] in lexicon.ATTRIBUTES)
        if attributes and negated:
            red = self._nouns.attributed(noun, tuple(attributes)).description
            held = {entity for entity, _ in noun.description.candidates} == {entity for entity, _ in red.candidates}
            lacking = Description(" ".join(attributes), at - 1, at, attributes=tuple(attributes), pronoun="one")
            lacking = replace(lacking, candidates=() if held and red.unknown else red.candidates, unknown=red.unknown)
            return Restriction("clause", at, at, excluded=(lacking,))
        if attributes:
            return Restriction("clause", at, at, attributes=tuple(attributes))
        if word and word not in ADVERBS and word not in DETERMINERS and word not in self._verbs and word not in lexicon.DISCOURSE:
            return Restriction("clause", at, at + 1, unknown=(word,))
        return None

    def _contact(self, text: Sequence[str], at: int, depth: int, marked: bool) -> Restriction | None:
        """Read "you see on the desk", "i left on the sofa", "anna likes"."""
        if at + 1 >= len(text):
            return None
        name = self._nouns.name(text, at)
        subject = 1 if text[at] in lexicon.SUBJECTS | _HAVING else name if name and self._nouns.person(tuple(text[at : at + name])) else 0
        begin = at + subject
        while (
            subject
            and begin < len(text)
            and text[begin] in _AUXILIARIES
            and text[begin + 1 : begin + 2]
            and text[begin + 1] in lexicon.CONTACT
        ):
            begin += 1
        verb = text[begin].removesuffix("s") if begin < len(text) else ""
        if not subject or not (verb in lexicon.CONTACT or (text[begin : begin + 1] and text[begin] in lexicon.CONTACT)):
            return None
        begin += 1
        places = self._within.places(text, begin, depth)
        if places is not None:
            return places
        end = begin
        if text[end : end + 1] and self._within.relation(text, end)[0] and self._nouns(text, end + 1) is None:
            end += 1  # "the cup i drank from"
        while end < len(text) and text[end] in _THEN:
            end += 1
        owned = text[at] in _HAVING and verb == "got"  # "the thinnest book we've got"
        ends = end == len(text) or text[end] in {",", "and", "or", "to", "for", "please"}
        if end == begin and not (ends or marked or owned):
            return None
        if end < len(text) and text[end] in DETERMINERS and not owned:
            return None  # "anna needs the cup"
        if verb in _SEEING:
            return Restriction("clause", at, end, attributes=("visible",))
        return Restriction(
            "clause", at, end, unknown=() if verb in _EXPLAINED and text[at] in lexicon.SUBJECTS | _HAVING else tuple(text[begin - 1 : end])
        )


def _from(found: Restriction, at: int) -> Restriction:
    """A restriction as a clause that begins at that word."""
    return replace(found, kind="clause", first=at)
