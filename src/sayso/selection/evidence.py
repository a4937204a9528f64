"""Evidence that a clause was not understood: what was said and left no trace in what was understood, and what fits badly.

The words of a person are compared with the spans of the representation. This depends neither on the grammar nor on the classifier, so it
also shows where they went wrong without noticing: "everything that's on the kitchen table has to go onto the counter", understood as
"go to the counter", drops the table and the quantity.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain

from sayso.domain import Domain
from sayso.domain.sentences import SLOT
from sayso.representation import Description
from sayso.types import Clause, IntentBelief, Support

QUITE = 0.88  # least score of a name that fits: kind and attributes, or a name that is spelt alike
_WAYS = frozenset(("left", "right", "forward", "forwards", "backward", "backwards"))
_NO_WAY = frozenset(("now", "away", "here", "there", "then", "so", "after", "before"))  # "right now"
_WORD = re.compile(r"[\w'’]+")


@dataclass(frozen=True, slots=True)
class Doubt:
    """What speaks against the understanding of a clause; nothing, for one that is fully explained."""

    left_over: tuple[str, ...] = ()  # content words that nothing explains: an aside, or a part of the meaning
    unplaced: tuple[str, ...] = ()  # those that name something of the home, or belong to a description: "toilet" of "toilet paper"
    dropped: tuple[str, ...] = ()  # words for things of the home, or directions, that are in no part of what was understood
    misnamed: bool = False  # a name that is not quite the one that was said
    hinted: bool = False  # a need that was only hinted at: "I'm thirsty"
    several: bool = False  # one of several clauses
    support: Support = field(default_factory=Support)

    @property
    def unexplained(self) -> bool:
        """Whether words are left that nothing explains. More of them are no further evidence: asides are long."""
        return bool(self.left_over or self.unplaced or self.dropped) or self.misnamed


@dataclass(frozen=True, slots=True)
class _SaidWord:
    """A word with its characters in the text."""

    text: str
    start: int
    end: int
    next: str  # word

    @property
    def stem(self) -> str:
        """Singular, without 's."""
        return _stem(self.text)


class EvidenceReader:
    """The evidence of doubt about the clauses of an utterance, in one home."""

    def __init__(self, domain: Domain) -> None:
        """Of that home."""
        names = [
            tuple(map(_stem, _WORD.findall(name.lower())))
            for entities in domain.by_kind.values()
            for entity, known in entities.items()
            if entity != domain.speaker
            for name in (*known.names, entity.replace("_", " "))
        ]
        kinds = [tuple(map(_stem, _WORD.findall(thing.category.lower()))) for thing in domain.objects.values()]
        called = [words for words in (*names, *kinds) if words]
        self._heads = frozenset(words[-1] for words in called)
        self._words = frozenset(chain.from_iterable(called))
        self._people = {person: tuple(_stem(name.lower()) for name in spec.names) for person, spec in domain.people.items()}
        self._acts = {name: _vocabulary(spec.examples) for name, spec in domain.intents.items()}

    def __call__(self, belief: IntentBelief, index: int) -> Doubt:
        """The features of a clause."""
        clause = belief.clauses[index]
        left = [word for phrase in clause.left_over for word in phrase.split()]
        described = {word for role in clause.roles if role.description for word in role.description.unknown}
        unplaced = [word for word in left if word in described or _stem(word) in self._words]
        return Doubt(
            left_over=tuple(word for word in left if word not in unplaced),
            unplaced=tuple(unplaced),
            dropped=tuple(word.text for word in self._dropped(belief)),
            misnamed=_is_misnamed(clause),
            hinted=clause.modifiers.mood == "hint",
            several=len(belief.clauses) > 1,
            # Words that are left in another clause are why the readers differ.
            support=Support() if any(other.left_over for other in belief.clauses if other is not clause) else clause.support,
        )

    def _dropped(self, belief: IntentBelief) -> Iterator[_SaidWord]:
        """Words that end a name of the home, or give a direction, and that are in no part of any clause."""
        directed = any(clause.role("direction") is not None for clause in belief.clauses)
        acts = self._vocabulary_of(belief)
        roles = [role for clause in belief.clauses for role in clause.roles]
        traced = {_stem(word) for role in roles for word in role.text.split()}
        acts |= {name for role in roles for name in self._people.get(role.entity, ())}  # "ben has a lesson, bring him the laptop"
        for word in self._untraced(belief):
            if word.stem in traced and word.stem != word.text:
                continue  # "the plate's been there since lunch", read as "the plate"
            way = directed and word.text in _WAYS and not (word.text == "right" and word.next in _NO_WAY)
            if way or (word.stem in self._heads and word.stem not in acts):
                yield word

    def _untraced(self, belief: IntentBelief) -> Iterator[_SaidWord]:
        """The words of an utterance that are in no part of any clause, but for those that are left over."""
        spans = [span for clause in belief.clauses for span in _spans(clause)]
        said = [part for clause in belief.clauses for part in _phrases(clause)]
        moved = [text for text, start, end in said if belief.text[start:end] != text]  # "there", read as "the desk"
        left = {word for phrase in chain(moved, *(clause.left_over for clause in belief.clauses)) for word in phrase.split()}
        matches = list(_WORD.finditer(belief.text))
        for match, after in zip(matches, [*(each.group() for each in matches[1:]), ""]):  # noqa: B905 - empty, if nothing was said
            word = _SaidWord(match.group(), match.start(), match.end(), after)
            if not any(start <= word.start and word.end <= end for start, end in spans) and word.text not in left:
                yield word

    def _vocabulary_of(self, belief: IntentBelief) -> frozenset[str]:
        """The words of the examples of the clauses' intents: "don't move" means stop."""
        return frozenset(chain.from_iterable(self._acts.get(clause.intent, ()) for clause in belief.clauses))


def _is_misnamed(clause: Clause) -> bool:
    return any(role.score < QUITE for role in clause.roles if role.kind in ("place", "object", "person") and role.entity)


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


def _vocabulary(examples: Iterable[str]) -> frozenset[str]:
    return frozenset(_stem(word) for example in examples for word in _WORD.findall(SLOT.sub(" ", example.lower())))


def _stem(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
