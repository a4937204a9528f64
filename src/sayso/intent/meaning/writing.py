"""Frames → drafts of plain commands, in the words of the sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.intent.clauses import Word
from sayso.intent.grammar import word_set
from sayso.intent.meaning.chunks import REFERRED, SOMEBODY, THERE, THING, Chunk
from sayso.intent.meaning.drafts import Draft
from sayso.intent.meaning.frames import COMMAND, ClauseFrame
from sayso.intent.meaning.referents import Referents, SpokenThing, UnresolvedError
from sayso.intent.meaning.sentence_words import Reading

_LEAVING = word_set("leave keep let")  # "it's on the desk, leave it there" asks for nothing
_SEARCHING = word_set("find look search check see")  # they need no source


class Writer:
    """Writes the commands of a run of clauses."""

    def __init__(self, reading: Reading, run: Sequence[Draft]) -> None:
        """For the clauses that were read as frames."""
        self._reading, self._run = reading, run
        self._known = Referents()
        self._unused: list[int] = []  # words of clauses without an act
        self._taken: set[int] = set()  # words of the drafts so far
        self._last: tuple[ClauseFrame, Draft] | None = None
        self._home: list[ClauseFrame] = []  # "the pen lives on the desk"
        self._person: Chunk | None = None  # who calls the robot
        self._hint = False  # what was read last only suggests an act
        self._drafts: list[Draft] = []

    def __call__(self, frames: Sequence[ClauseFrame]) -> list[Draft]:
        """The drafts.

        Raises:
            UnresolvedError: a word refers to nothing that was mentioned.
        """
        for frame in frames:
            self._written(frame)
        if self._home:
            self._homes(hint=True)
        if not self._drafts or (self._known.things and not self._known.referred):
            raise UnresolvedError  # what nothing refers to may be more than a reason
        self._drafts[-1].core = sorted({*self._drafts[-1].core, *(set(self._unused) - self._taken)})
        return self._drafts

    def _written(self, frame: ClauseFrame) -> None:
        if frame.kind == COMMAND:
            self._command(frame)
        elif frame.kind == "give":
            self._give(frame)
        elif frame.kind == "put":
            self._put(frame)
        elif frame.kind == "same":
            self._same(frame)
        elif frame.kind == "visit":
            self._visit(frame)
        else:
            self._told(frame)
        self._known.mention(frame.chunks)

    def _told(self, frame: ClauseFrame) -> None:
        """Note what a clause without an act speaks of."""
        self._unused += _indices(frame)
        if frame.kind == "home":
            self._home.append(frame)
        if frame.kind == "person":
            self._person = frame.chunks[0]
        if frame.kind == "contrast":
            self._known.mention(frame.chunks[:2])
            self._known.referred = True
            others = [SpokenThing(chunk) for chunk in frame.chunks if chunk.kind == THING]
            self._known.acted += others[:1]
        source = next(iter(frame.group("s")), None)
        things = [SpokenThing(self._known.named(chunk), source) for chunk in frame.group("o") if chunk.kind == THING]
        self._known.things += things

    def _give(self, frame: ClauseFrame) -> None:
        things = self._known.resolved(frame.group("o"))
        people = self._known.persons(frame.group("p"))
        receivers = self._joined(frame, [person.words for person in people]) or [self._new(frame, "me")]
        given = [*self._things(frame, things), *self._from(frame, things)]
        each = [self._new(frame, "each")] if any(chunk.text == "each" for chunk in frame.chunks) else []
        if each or receivers[0].text in ("me", "us"):
            words = [self._new(frame, "bring"), *receivers, *given, *each]
        else:
            words = [self._new(frame, "bring"), *given, self._new(frame, "to"), *receivers]
        self._add(frame, words, things)

    def _put(self, frame: ClauseFrame) -> None:
        things = self._known.resolved(frame.group("o"))
        goal = frame.group("l")
        if any(chunk.kind == THERE for chunk in goal):
            raise UnresolvedError
        words = [self._new(frame, "put"), *self._things(frame, things), *self._from(frame, things)]
        words += [word for chunk in frame.group("prep") for word in chunk.words]
        words += [word for chunk in goal for word in self._determined(frame, chunk)]
        self._add(frame, words, things)

    def _visit(self, frame: ClauseFrame) -> None:
        """Go to the one who calls: "grandma's calling you, go and see what she wants"."""
        if self._person is None:
            raise UnresolvedError
        self._add(frame, [self._new(frame, "go"), self._new(frame, "to"), *self._person.words], ())

    def _same(self, frame: ClauseFrame) -> None:
        """The last command with another thing."""
        if self._last is None:
            raise UnresolvedError
        things = self._known.resolved(frame.group("o"))
        before, draft = self._last
        objects = before.group("o") or tuple(chunk for chunk in before.chunks if chunk.kind == THING)
        said = draft.command or tuple(self._reading.words[at] for at in draft.core)
        old = {word.start for chunk in objects for word in chunk.words} | ({-1} if not objects else set())
        inside = [at for at, word in enumerate(said) if word.start in old and word.start < word.end]
        while inside and inside[0] and said[inside[0] - 1].text == "the" and said[inside[0] - 1].start == said[inside[0] - 1].end:
            inside.insert(0, inside[0] - 1)
        if not inside or (before.kind == COMMAND and len(objects) != 1):
            raise UnresolvedError
        words = [self._new(frame, word.text) for word in said[: inside[0]]] + self._things(frame, things)
        words += [self._new(frame, word.text) for word in said[inside[-1] + 1 :]]
        self._add(frame, words, things)

    def _command(self, frame: ClauseFrame) -> None:
        """A command as it was said, with what its pronouns refer to."""
        if self._home and {REFERRED, THERE} <= {chunk.kind for chunk in frame.chunks}:
            self._unused += _indices(frame)
            self._known.referred = True
            self._homes(hint=False)
            return
        things = self._meant(frame)
        if things and frame.chunks[0].text in _LEAVING:
            raise UnresolvedError
        apart = len({thing.source.text if thing.source else "" for thing in things}) > 1  # "it's here, that's there, bring me both"
        written = [self._replaced(frame, group) for group in ([[thing] for thing in things] if apart else [things])]
        if any(words is not None for words in written):
            for words in written:
                self._add(frame, words or (), things)
            return
        if self._told_of() and self._home:
            raise UnresolvedError
        draft = self._original(frame)
        self._drafts.append(draft)
        self._last = (frame, draft)

    def _meant(self, frame: ClauseFrame) -> list[SpokenThing]:
        """What the first pronoun of a command refers to; nothing if the command names a thing before: "take the cup and put it there"."""
        for chunk in frame.chunks:
            if chunk.kind == THING:
                break
            if chunk.kind == REFERRED and (self._known.things or self._known.acted):
                return self._known.resolved([chunk])
        return []

    def _replaced(self, frame: ClauseFrame, things: Sequence[SpokenThing]) -> list[Word] | None:
        """The words of a command with what its pronouns refer to; None if it has none."""
        words: list[Word] = []
        replaced = False
        for at, chunk in enumerate(frame.chunks):
            new: list[Word] | None = None
            if chunk.kind == REFERRED and things:
                sourced = frame.chunks[0].text not in _SEARCHING and not any(each.text in ("from", "off") for each in frame.chunks)
                new = [*self._things(frame, things), *(self._from(frame, things) if sourced else ())]
                things = ()
            elif chunk.kind == SOMEBODY and len(self._known.people) == 1 and self._told_of():
                new = list(self._known.person(chunk).words)
            elif chunk.kind == THERE and self._person is not None and at + 1 == len(frame.chunks):
                new = [self._new(frame, "to"), *self._person.words]
            elif chunk.like and self._told_of():
                new = list(self._known.named(chunk).words)
            replaced |= new is not None
            words += new if new is not None else chunk.words
        return words if replaced else None

    def _told_of(self) -> bool:
        """Whether clauses without an act precede."""
        return bool(self._known.things) or self._person is not None

    def _original(self, frame: ClauseFrame) -> Draft:
        """The draft of a command as it was said, without the clauses that were joined to it."""
        said = set(_indices(frame))
        self._taken |= said
        draft = next(each for each in self._run if said & set(each.core))
        return replace(draft, core=[at for at in draft.core if at in said])

    def _homes(self, *, hint: bool) -> None:
        """Put each thing where it belongs."""
        for frame in self._home:
            things = [SpokenThing(self._known.named(chunk)) for chunk in frame.group("o") if chunk.kind == THING]
            place = [word for chunk in (*frame.group("prep"), *frame.group("l")) for word in chunk.words]
            self._add(frame, [self._new(frame, "put"), *self._things(frame, things), *place], things, hint=hint)
        self._home = []

    def _things(self, frame: ClauseFrame, things: Sequence[SpokenThing]) -> list[Word]:
        if not things:
            raise UnresolvedError
        return self._joined(frame, [self._determined(frame, thing.chunk) for thing in things])

    def _determined(self, frame: ClauseFrame, chunk: Chunk) -> Sequence[Word]:
        """The noun phrase; a bare name gets an article, so that it is read apart from the name before it: "anna pen"."""
        bare = self._reading.lexicon.gazetteer.has_name(tuple(word.text for word in chunk.words))
        return (self._new(frame, "the"), *chunk.words) if bare else chunk.words

    def _from(self, frame: ClauseFrame, things: Sequence[SpokenThing]) -> list[Word]:
        """The words "from the desk", if all of the things are there."""
        source = next(iter(frame.group("s")), None)
        sources = [source] if source else [thing.source for thing in things]
        first = sources[0] if sources else None
        if first is None or any(each is None or each.text != first.text for each in sources):
            return []
        return [self._new(frame, "from"), *self._determined(frame, first)]

    def _joined(self, frame: ClauseFrame, parts: Sequence[Sequence[Word]]) -> list[Word]:
        """The words of a coordination."""
        words: list[Word] = []
        for at, part in enumerate(parts):
            words += [*([self._new(frame, "and")] if at else ()), *part]
        return words

    def _new(self, frame: ClauseFrame, text: str) -> Word:
        """A word that was not said."""
        start = frame.chunks[0].words[0].start
        return Word(text, start, start)

    def _add(self, frame: ClauseFrame, words: Sequence[Word], things: Sequence[SpokenThing], *, hint: bool | None = None) -> None:
        core = sorted({*_indices(frame), *self._unused} - self._taken)
        self._taken |= set(core)
        self._unused = []
        if hint is None:
            bare = frame.pattern is not None and frame.pattern.bare
            hint = self._hint if bare else frame.pattern is not None and frame.pattern.hint
        self._hint = hint
        said = [word.text for word in words]
        if self._drafts and said == [word.text for word in self._drafts[-1].command]:  # "it belongs to ben, so he should have it"
            self._drafts[-1].core = sorted({*self._drafts[-1].core, *core})
            self._drafts[-1].mood = "request" if not hint else self._drafts[-1].mood
            return
        draft = Draft(core=core, verb=_indices(frame)[0], started=True, command=tuple(words), mood="hint" if hint else "request")
        self._drafts.append(draft)
        self._known.acted += things
        self._last = (frame, draft)


def _indices(frame: ClauseFrame) -> list[int]:
    return [at for chunk in frame.chunks for at in chunk.at]
