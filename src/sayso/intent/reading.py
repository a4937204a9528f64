"""An utterance as the classifier reads it: plain core clauses, and beside them what stood around them, with its place in the text.

"If the phone is in the bedroom bring me the cup next to it" is read as "bring me the cup", with a condition and a restriction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from sayso.domain import Domain
from sayso.intent.clauses import ClauseSpan, Word, words_of
from sayso.intent.gazetteer import ANYTHING, Gazetteer
from sayso.intent.meaning.describe import DescriptionParser, NounPhrase
from sayso.intent.meaning.noun_words import OPEN
from sayso.intent.meaning.peel import Peeled, Scope, peel
from sayso.intent.meaning.peel import Segment as Peeling
from sayso.intent.pointing import indicated
from sayso.representation import Description, Modifiers
from sayso.types import Role

ENTITY_KINDS = frozenset(("place", "object", "person"))
_JOINING = frozenset((",", "and", "or", "then", "also"))


@dataclass(frozen=True, slots=True)
class PlainClause:
    """One clause of a segment: its span in the plain text, and what the whole text says of it."""

    span: ClauseSpan  # in PlainSegment.text
    modifiers: Modifiers
    words: tuple[Word, ...]  # of the whole text, with those of restrictions and markers
    text: str  # as a complete sentence, without what stands around it


@dataclass(frozen=True, slots=True)
class PlainSegment:
    """A run of plain clauses. `text` is made of `words`, parted by spaces; the words keep their places in the whole text."""

    text: str
    words: tuple[Word, ...]
    spans: tuple[Word, ...]  # the same words, with their places in `text`
    modifiers: Modifiers
    negated: bool  # its acts are forbidden
    scope: Scope  # the clauses to which the modifiers apply
    positions: tuple[int, ...]  # of each word in the segment as spoken, with its restrictions: the count of NounPhrase.words
    phrases: tuple[NounPhrase, ...]
    explained: frozenset[Word]  # by restrictions, conditions, times and markers
    source: tuple[Word, ...]  # all words of the whole text that belong here
    plain: frozenset[Word]  # those that are said of a clause itself: its core, and the markers in it
    whole: str  # the whole text
    rewritten: bool  # `text` holds words that were not said: "bring me something to drink" for "I'm thirsty"

    def pieces(self, spans: Sequence[ClauseSpan]) -> Iterator[PlainClause]:
        """The clauses that a splitter found, with their modifiers and their words of the whole text."""
        spans = self._with_joined(spans)
        starts = [self.words[self._index(span.start)].start for span in spans]
        ends = [*starts[1:], float("inf")][: len(starts)]
        for number, (span, start, end) in enumerate(zip(spans, starts, ends, strict=True)):
            first = number == 0
            applies = self.scope == "all" or (first if self.scope == "first" else number == len(spans) - 1)
            modifiers = self.modifiers if applies else replace(Modifiers(), mood=self.modifiers.mood)
            own = tuple(word for word in self.source if (first or word.start >= start) and word.start < end)
            text = span.text if self.rewritten else self._said(span, own, start)
            yield PlainClause(span, modifiers, own, text)

    def _with_joined(self, spans: Sequence[ClauseSpan]) -> list[ClauseSpan]:
        """The clauses, parted where one goes on with new fillers: "put the cup on the table and the plate on the counter"."""
        result: list[ClauseSpan] = []
        for span in spans:
            inside = [phrase for phrase in self.phrases if span.start <= self._place(phrase).start < span.end]
            starts = [self._place(phrase).start for at, phrase in enumerate(inside) if at and _begins_clause(inside, at)]
            lead = _lead_of(span, self._place(inside[0]).start) if starts else ()
            bounds = [span.start, *starts, span.end]
            for start, end in pairwise(bounds):
                words = tuple(word for word in span.words if start <= word.start < end)
                while words and words[-1].text in _JOINING:
                    words = words[:-1]
                if words:
                    carried = lead if start != span.start else span.carried
                    result.append(ClauseSpan(words[0].start, words[-1].end, words, carried))
        return result

    def _place(self, phrase: NounPhrase) -> Word:
        """The phrase's first word, with its place in `text`."""
        first = next((number for number, at in enumerate(self.positions) if at in phrase.core), 0)
        return self.spans[first]

    def phrases_of(self, piece: PlainClause) -> tuple[NounPhrase, ...]:
        """The phrases of a clause."""
        start, end = piece.words[0].start if piece.words else 0, piece.words[-1].end if piece.words else 0
        return tuple(phrase for phrase in self.phrases if start <= phrase.description.start < end)

    def _said(self, span: ClauseSpan, own: Sequence[Word], start: int) -> str:
        end = self.words[self._index(span.end - 1)].end
        return " ".join((*span.carried, *(word.text for word in own if word in self.plain and start <= word.start < end)))

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The span of the whole text that a span of `text` stands for."""
        first, last = self._index(start), self._index(max(start, end - 1))
        return self.words[first].start, max(self.words[last].end, self.words[first].end)

    def described(self, roles: Sequence[Role]) -> tuple[Role, ...]:
        """The roles with their places in the whole text and their descriptions; a coordination ("the milk and the bread") is one role."""
        result: list[Role] = []
        for role in map(self._placed, roles):
            before = result[-1] if result else None
            if before is None or before.name != role.name or role.description is None or before.description is not role.description:
                result.append(role)
        return tuple(result)

    def _placed(self, role: Role) -> Role:
        """The role with its place in the whole text, and with the description of its phrase."""
        own = {at for at, span in zip(self.positions, self.spans, strict=True) if role.start < span.end and span.start < role.end}
        start, end = self.origin(role.start, role.end)
        description = self._description(own) if role.kind in ENTITY_KINDS else None
        if description is not None and not role.candidates and description.candidates and _fills(role, description):
            best = description.candidates[0]
            role = replace(role, entity=best[0], score=best[1], candidates=description.candidates)
        if description is not None and role.candidates and not description.parts:
            left = _common(role, description)
            description = replace(description, candidates=left)
            role = replace(role, entity=left[0][0], score=left[0][1], candidates=left)
        return replace(role, start=start, end=end, text=self.whole[start:end] or role.text, description=description)

    def _description(self, words: set[int]) -> Description | None:
        """The description of the phrase with most of these words."""
        shared = [(len(words & set(phrase.words)), phrase) for phrase in self.phrases]
        most, best = max(shared, key=lambda pair: pair[0], default=(0, None))
        return best.description if best is not None and most else None

    def _index(self, position: int) -> int:
        """The word of `text` at that character."""
        return next((number for number, span in enumerate(self.spans) if position < span.end), len(self.spans) - 1)


class UtteranceReader:
    """Normalised text → segments of plain clauses."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, verbs: frozenset[str], examples: tuple[str, ...]) -> None:
        """For a home; `examples` are normalised example sentences that are themselves negated: "don't move"."""
        self._gazetteer, self._verbs, self._examples = gazetteer, verbs, examples
        self._parse = DescriptionParser(domain, gazetteer, verbs)

    def __call__(self, text: str) -> tuple[PlainSegment, ...]:
        """The segments of a normalised text, which `in_order` has put in order, in the order in which they are to be done."""
        words = words_of(text)
        peeled = peel(words, self._gazetteer, self._verbs, self._examples)
        found = (self._segment(text, words, peeled, each) for each in peeled.segments)
        return tuple(segment for segment in found if segment.words)

    def in_order(self, text: str) -> str:
        """A normalised text with what was fronted in its place, to be read."""
        return self._parse.in_order(indicated(text, self._gazetteer))

    def _segment(self, text: str, words: tuple[Word, ...], peeling: Peeled, peeled: Peeling) -> PlainSegment:
        markers = frozenset(words[at] for at in peeling.markers)
        around = markers | frozenset(words[at] for at in peeling.modifying)
        core = tuple(words[at] for at in peeled.core)
        spoken = peeled.rewritten or core
        phrases = self._parse.phrases(spoken)
        extra = {at for phrase in phrases for at in phrase.extra}
        positions = _trimmed(spoken, [at for at in range(len(spoken)) if at not in extra])
        kept = tuple(spoken[at] for at in positions)
        rewritten = frozenset(core) - frozenset(spoken) if peeled.rewritten else frozenset()
        return PlainSegment(
            text=" ".join(word.text for word in kept),
            words=kept,
            spans=_spans(kept),
            positions=positions,
            modifiers=peeled.modifiers,
            negated=peeled.negated,
            scope=peeled.scope,
            phrases=phrases,
            explained=around | rewritten | frozenset(spoken[at] for at in extra),
            source=tuple(sorted((word for word in (*core, *around) if word.text != ","), key=lambda word: word.start)),
            plain=markers | frozenset(kept),
            whole=text,
            rewritten=bool(peeled.rewritten),
        )


def _fills(role: Role, description: Description) -> bool:
    """Whether a role whose own words name nothing is what the whole noun phrase denotes: "a few of the books", "the desk's center"."""
    if role.kind == "place":
        return "'s " in description.text and not description.unknown
    vague = description.pronoun in OPEN or description.pronoun in ANYTHING - {"one"}
    return role.kind == "object" and (vague or bool(description.head))


def _common(role: Role, description: Description) -> tuple[tuple[str, float], ...]:
    """The candidates of a role that its noun phrase leaves: of "the purple thing you put flowers in" the vase alone."""
    left = dict(description.candidates)
    fits = {entity: 0.0 if description.unknown else score for entity, score in left.items()}  # "ben's phone": there is no other phone
    return tuple((entity, max(score, fits[entity])) for entity, score in role.candidates if entity in left) or role.candidates


def _begins_clause(phrases: Sequence[NounPhrase], at: int) -> bool:
    """Whether the phrase is joined to a complete clause and has a role of its own after it: "… and the plate on the counter"."""
    if not phrases[at].joined or at + 1 == len(phrases):
        return False
    after = phrases[at + 1]
    return bool(after.preposition) or (phrases[at].kind == "person" and after.kind != "person" and not after.joined)


def _lead_of(span: ClauseSpan, first: int) -> tuple[str, ...]:
    """The words before the first phrase of a clause: its verb."""
    return (*span.carried, *(word.text for word in span.words if word.start < first and word.text != ","))


def _trimmed(words: Sequence[Word], positions: Sequence[int]) -> tuple[int, ...]:
    """The positions without doubled commas, and without commas at either end."""
    kept: list[int] = []
    for at in positions:
        if words[at].text != "," or (kept and words[kept[-1]].text != ","):
            kept.append(at)
    return tuple(kept[:-1] if kept and words[kept[-1]].text == "," else kept)


def _spans(words: Sequence[Word]) -> tuple[Word, ...]:
    """The words with their places in the text that they make, parted by spaces."""
    result, at = [], 0
    for word in words:
        result.append(Word(word.text, at, at + len(word.text)))
        at += len(word.text) + 1
    return tuple(result)
