"""What "it", "the first one", "her", "there" refer to within a sentence: the things, people and places of the clauses before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sayso.intent.clauses import Word
from sayso.intent.grammar import word_set
from sayso.intent.meaning.chunks import PERSON, REFERRED, SOMEBODY, SPEAKER, THING, Chunk

_SEVERAL = word_set("them those these both they")
_AT = {"first": 0, "former": 0, "second": 1, "third": 2, "last": -1, "latter": -1}


class UnresolvedError(Exception):
    """A word refers to nothing, or to several things."""


@dataclass(frozen=True, slots=True)
class SpokenThing:
    """A thing of a clause, and where it is said to be."""

    chunk: Chunk
    source: Chunk | None = None
    goal: tuple[Chunk, ...] = ()  # where it belongs: preposition and place


@dataclass(slots=True)
class Referents:
    """What was mentioned so far."""

    things: list[SpokenThing] = field(default_factory=list)  # that clauses without an act speak of
    acted: list[SpokenThing] = field(default_factory=list)  # with which something was done
    people: list[Chunk] = field(default_factory=list)
    referred: bool = False  # a word referred to one of them
    nouns: list[str] = field(default_factory=list)  # of all things

    def mention(self, chunks: Sequence[Chunk]) -> None:
        """Note the people, and the nouns of the things."""
        self.nouns += [chunk.noun for chunk in chunks if chunk.kind == THING and chunk.noun]
        self.people += [chunk for chunk in chunks if chunk.kind == PERSON and chunk.text not in {each.text for each in self.people}]

    def named(self, chunk: Chunk) -> Chunk:
        """The chunk with a noun: "the white one" after "the blue cup" is the white cup."""
        if not chunk.like:
            return chunk
        if not self.nouns:
            raise UnresolvedError
        noun = self.nouns[-1]
        words = tuple(Word(noun, word.start, word.end) if word.text in ("one", "ones") else word for word in chunk.words)
        return replace(chunk, words=words, like=False, noun=noun)

    def resolved(self, chunks: Sequence[Chunk]) -> list[SpokenThing]:
        """The things that the chunks of a coordination denote."""
        found: list[SpokenThing] = []
        for chunk in chunks:
            if chunk.kind == THING:
                found.append(SpokenThing(self.named(chunk)))
            elif chunk.kind == REFERRED:
                found += self._referred(chunk)
        return found

    def _referred(self, chunk: Chunk) -> list[SpokenThing]:
        words = {word.text for word in chunk.words}
        if not self.things:
            raise UnresolvedError
        self.referred = True
        if words & _SEVERAL:
            if len(self.things) < 2 and "one" in words:
                raise UnresolvedError
            return list(self.things)
        if place := words & _AT.keys():
            at = _AT[place.pop()]
            if not -1 <= at < len(self.things) or len(self.things) < 2:
                raise UnresolvedError
            return [self.things[at]]
        if words & {"other", "others"}:
            done = {thing.chunk.at for thing in self.acted}
            rest = [thing for thing in self.things if thing.chunk.at not in done]
            if not done or not rest or (len(rest) > 1 and "others" not in words):
                raise UnresolvedError
            return rest
        if len(self.things) > 1:
            raise UnresolvedError
        return list(self.things)

    def persons(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """The people that the chunks of a coordination denote."""
        return [self.person(chunk) for chunk in chunks if chunk.kind in (PERSON, SOMEBODY, SPEAKER)]

    def person(self, chunk: Chunk) -> Chunk:
        """The person that a pronoun refers to."""
        if chunk.kind != SOMEBODY:
            return chunk
        if len(self.people) != 1:
            raise UnresolvedError
        return self.people[0]
