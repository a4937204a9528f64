"""Words for things of the home, and for directions, that left no trace in what was understood.

The words that were heard are compared with the spans of the clauses. This does not depend on the structure, so it also shows where that
went wrong without noticing: "put a slice of tomato in the sink", understood as a slice of anything, drops the tomato.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sayso.domain import Domain
from sayso.intent.clauses import Word
from sayso.intent.composition.sentence import SpannedWords
from sayso.intent.gazetteer import singular
from sayso.intent.grammar import AUXILIARIES
from sayso.representation import Description
from sayso.types import Clause, Role

ASKING_FOR = frozenset(("request", "hint"))  # moods
WAYS = frozenset(("left", "right", "forward", "forwards", "backward", "backwards"))
NO_WAY = frozenset(("now", "away", "here", "there", "then", "so", "after", "before"))  # "right now"
_WORD = re.compile(r"[\w'’]+")


class Traces:
    """Finds what left no trace, in one home."""

    def __init__(self, domain: Domain, acts: Mapping[str, frozenset[str]]) -> None:
        """Of that home; `acts` are the words that belong to its intents."""
        entities = [(entity, known) for kind in domain.by_kind.values() for entity, known in kind.items() if entity != domain.speaker]
        names = [name for entity, known in entities for name in (known.names or (entity.replace("_", " "),))]
        called = [_WORD.findall(name.lower()) for name in (*names, *(thing.category for thing in domain.objects.values()))]
        self._heads = frozenset(_stem(words[-1]) for words in called if words)
        self._people = {person: frozenset(_stem(name.lower()) for name in spec.names) for person, spec in domain.people.items()}
        self._acts = acts

    def lost(self, clauses: Sequence[Clause], words: SpannedWords) -> tuple[str, ...]:
        """The words that end a name of the home, or give a direction, and that are in no part of any clause; none of a question."""
        if any(clause.modifiers.mood not in ASKING_FOR for clause in clauses):
            return ()
        roles = [role for clause in clauses for role in clause.roles]
        directed = any(role.name == "direction" for role in roles)
        traced = {_stem(word) for role in roles for word in role.text.split()}
        found = []
        for word, after in _untraced(clauses, words):
            own = _stem(word)
            if own in traced and own != word:
                continue  # "the plate's been there since lunch", read as "the plate"
            way = directed and word in WAYS and not (word == "right" and after in NO_WAY)
            if way or (own in self._heads and word not in AUXILIARIES and not self._is_known(own, clauses, roles)):
                found.append(word)
        return tuple(found)

    def _is_known(self, own: str, clauses: Sequence[Clause], roles: Sequence[Role]) -> bool:
        """Whether a word belongs to an act, or names a person who is meant: "ben has a lesson, bring him the laptop"."""
        meant = any(own in self._people.get(role.entity, ()) for role in roles)
        return meant or any(own == _stem(word) for clause in clauses for word in self._acts[clause.intent])


def _untraced(clauses: Sequence[Clause], words: SpannedWords) -> Iterator[tuple[str, str]]:
    """The words that are in no part of any clause, each with the next one, but for those that are left over."""
    spans = [span for clause in clauses for span in _spans(clause)]
    said = [part for clause in clauses for part in _phrases(clause)]
    moved = [text for text, start, end in said if words.whole[start:end] != text]  # "there", read as "the desk"
    left = {word for phrase in (*moved, *(each for clause in clauses for each in clause.left_over)) for word in phrase.split()}
    for word, after in zip(words.words, (*words.words[1:], Word("", 0, 0)), strict=True):
        if word.text not in left and not any(start <= word.start and word.end <= end for start, end in spans):
            yield word.text, after.text


def _spans(clause: Clause) -> Iterator[tuple[int, int]]:
    """The characters of all that was understood of a clause."""
    yield from ((start, end) for _, start, end in _phrases(clause))
    for role in clause.roles:
        if role.description is not None:
            yield from _spans_below(role.description)


def _phrases(clause: Clause) -> Iterator[tuple[str, int, int]]:
    """Each phrase that was understood, and its characters."""
    yield from ((role.text, role.start, role.end) for role in clause.roles)
    yield from ((condition.text, condition.start, condition.end) for condition in clause.modifiers.conditions)
    yield from ((timing.text, timing.start, timing.end) for timing in clause.modifiers.timings)


def _spans_below(description: Description) -> Iterator[tuple[int, int]]:
    yield description.start, description.end
    marks = (mark for relation in description.relations for mark in relation.landmarks)
    for below in (*description.parts, *description.excluded, *marks):
        yield from _spans_below(below)


def _stem(word: str) -> str:
    """The singular, without 's."""
    return singular(word.removesuffix("'s").removesuffix("’s"))
