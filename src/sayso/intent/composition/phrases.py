"""Noun phrases of a structure → descriptions: the name is read from its own words, what restricts it by place from the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sayso.intent.asked import role_of
from sayso.intent.clauses import Word
from sayso.intent.composition.sentence import EMPTY, PLACED, SpannedWords, content, said
from sayso.intent.grammar import DETERMINERS, PLACE_PRONOUNS, THING_PRONOUNS
from sayso.intent.meaning.accounting import OTHERS
from sayso.intent.meaning.describe import DescriptionParser, NounPhrase
from sayso.intent.parser.labels import group_of
from sayso.intent.parser.tree import SpanNode
from sayso.representation import ADDRESSEE, Description, Relation
from sayso.types import Role

MENTIONED = {"object": "theme", "place": "source", "person": "recipient"}  # kind → role
EVERYTHING = "everything"
WORN, WEARING = frozenset(("in", "with")), "wearing"  # labels, which are the words too, of what somebody may wear or have
_LATE = frozenset(("attribute", "quantity", "purpose"))  # may follow the noun: "the cup that anna likes"


@dataclass(frozen=True, slots=True)
class DescribedPhrase:
    """What a noun phrase says."""

    description: Description
    kind: str  # "place", "object" or "person" of its best candidate; empty if unknown
    core: tuple[Word, ...]  # without what restricts it by place


class PhraseComposer:
    """Describes the noun phrases of a structure."""

    def __init__(self, describe: DescriptionParser) -> None:
        self._describe = describe

    def __call__(self, node: SpanNode, words: SpannedWords) -> DescribedPhrase:
        """The description of a node that is a noun phrase, a coordination of such, or a pronoun."""
        members = [child for child in node.children if group_of()[child.label] == "part"]
        if len(members) > 1:
            parts = [self(child, words) for child in members]
            joined = replace(self._bare(node, words), parts=tuple(part.description for part in parts))
            return DescribedPhrase(replace(joined, joined="or" if members[0].label == "either" else "and"), parts[0].kind, parts[0].core)
        if members and (members[0].first, members[0].last) != (node.first, node.last):
            return self(members[0], words)  # "[them] both"
        if (pronoun := _counted_pronoun(node, words)) is not None:
            return self(pronoun, words)
        if (everything := self._everything(node, words)) is not None:
            return everything
        placed = self._telling_apart(node, words)
        core, phrase, strange = self._name(node, words, placed)
        relations = tuple(self.relation(child, words) for child in placed)
        bare = self._bare(node, words)
        if phrase is None:
            head = core[-1].text if core else ""
            unknown = content(core) if head not in PLACE_PRONOUNS else ()  # "over there"
            bare = replace(bare, text=head) if head in PLACE_PRONOUNS else bare
            return DescribedPhrase(replace(bare, head=head, unknown=unknown, relations=relations), "", core)
        lost = _lost(core, phrase)
        found = replace(phrase.description, text=bare.text, start=bare.start, end=bare.end)
        if not found.pronoun and (phrase.kind == "person" or not found.candidates):
            found = replace(found, text=said(core))  # who or what is unknown, wherever it is
        if found.pronoun in PLACE_PRONOUNS:  # "over there"
            found = replace(found, text=found.pronoun)
        amounts = {word for child in node.children if child.label == "quantity" for word in words.content(child)}  # "a set of keys"
        unknown = tuple(word for word in (*found.unknown, *lost, *strange) if word not in amounts)
        found = replace(found, unknown=unknown, relations=(*found.relations, *relations))
        found = replace(found, attributes=_attributes(found, node, words))
        return DescribedPhrase(replace(found, candidates=()) if lost else found, phrase.kind, core)

    def doing(self, people: Description, state: Sequence[Word], words: SpannedWords) -> Description:
        """People with what they do or how they look: "people" and "sitting"."""
        own = tuple(word for word in words.words if people.start <= word.start < people.end)
        phrase = _longest(self._describe.phrases((*own, *state)))
        if phrase is None or _lost((*own, *state), phrase):
            return replace(people, text=said((*own, *state)))
        return replace(phrase.description, relations=people.relations)

    def relation(self, node: SpanNode, words: SpannedWords) -> Relation:
        """A restriction by place; the label says which."""
        inner = _placed(node)
        marks = [phrase.description for phrase in self._describe.phrases(words.of(node, inner))]
        named = [mark.head for mark in marks] or [word for word in content(words.of(node)[1:]) if word not in DETERMINERS]
        if not inner and set(named) <= set(node.label.split("_")):  # "on your left": no landmark
            marks = [replace(self._bare(node, words), pronoun=ADDRESSEE)]
        elif not marks:
            marks = [replace(self._bare(node, words), unknown=content(words.of(node)[1:]))]
        if node.label == "between" and len(marks) == 1 and marks[0].parts:
            marks = list(marks[0].parts)
        if inner:
            marks[-1] = replace(marks[-1], relations=tuple(self.relation(child, words) for child in inner))
        return Relation(PLACED[node.label], tuple(marks[: 2 if node.label == "between" else 1]))

    def mentioned(self, node: SpanNode, words: SpannedWords) -> tuple[Role, ...]:
        """What a remark speaks of, the thing with the place where it is: "anna forgot her laptop on the desk"."""
        roles = []
        place = self.remark(node, words)
        for phrase in self._describe.phrases(words.of(node)):
            described = phrase.description
            if phrase.kind not in MENTIONED or not described.candidates:
                continue
            if phrase.kind == "object" and place is not None and not described.relations:
                described = replace(described, relations=(place,))
            roles.append(role_of(MENTIONED[phrase.kind], described, phrase.kind))
        things = [role for role in roles if role.name == "theme"]
        return (*roles, _together(things)) if len(things) > 1 else tuple(roles)

    def remark(self, node: SpanNode, words: SpannedWords) -> Relation | None:
        """Where a thing is, in a remark: "it's in the bathroom"; None if it does not say so."""
        place = _longest([phrase for phrase in self._describe.phrases(words.of(node)) if phrase.relation is not None])
        return Relation(place.relation, (place.description,)) if place is not None and place.relation is not None else None

    def _name(
        self, node: SpanNode, words: SpannedWords, placed: Sequence[SpanNode]
    ) -> tuple[tuple[Word, ...], NounPhrase | None, tuple[str, ...]]:
        """The words of the name with its attributes, how they are read, and the words after it that cannot be read."""
        core, phrase = self._dressed(node, words.of(node, placed))
        if phrase is not None:
            return core, phrase, ()
        core = words.of(node, placed)
        phrase = _longest(self._describe.phrases(core))
        if phrase is not None and not _lost(core, phrase):
            return core, phrase, ()
        late = [child for child in node.children if child.label in _LATE and child.first > node.first]
        shorter = words.of(node, [*placed, *late])
        found = _longest(self._describe.phrases(shorter)) if late and shorter else None
        if found is None or _lost(shorter, found):
            return core, phrase, ()
        return shorter, found, tuple(word for child in late for word in words.content(child))

    def _everything(self, node: SpanNode, words: SpannedWords) -> DescribedPhrase | None:
        """All that is at a place, in a clause of its own: "what is on the table"; None for a name."""
        own = words.of(node)
        phrase = _longest(self._describe.phrases(own)) if _placed(node) else None
        if phrase is None or phrase.description.pronoun != EVERYTHING or phrase.description.head or _lost(own, phrase):
            return None
        return DescribedPhrase(phrase.description, phrase.kind, ())

    def _telling_apart(self, node: SpanNode, words: SpannedWords) -> list[SpanNode]:
        """What restricts a phrase by place: not what somebody wears, "the woman in the red shirt"."""
        return [
            child
            for child in _placed(node)
            if child.label not in WORN or any(mark.candidates for mark in self.relation(child, words).landmarks)
        ]

    def _dressed(self, node: SpanNode, core: tuple[Word, ...]) -> tuple[tuple[Word, ...], NounPhrase | None]:
        """The words with "wearing" before what somebody wears, and how they are read; None if nobody wears anything."""
        worn = {child.first for child in node.children if child.label in WORN or child.label == "attribute"}
        starts = {at for at, word in enumerate(core) if at and word.text in WORN}
        if not worn or not starts:
            return core, None
        spoken = tuple(replace(word, text=WEARING) if at in starts else word for at, word in enumerate(core))
        phrase = _longest(self._describe.phrases(spoken))
        return spoken, phrase if phrase is not None and phrase.kind == "person" and not _lost(spoken, phrase) else None

    @staticmethod
    def _bare(node: SpanNode, words: SpannedWords) -> Description:
        return Description(words.text(node), *words.span(node))


def _attributes(description: Description, node: SpanNode, words: SpannedWords) -> tuple[str, ...]:
    """The attributes that the home knows, and those that are marked as such: a "butter knife" is another thing."""
    marked = {word for child in node.children if child.label == "attribute" for word in words.content(child)}
    known = tuple(word for word in description.attributes if word in marked or word not in description.unknown)
    return (*known, *(word for word in dict.fromkeys(description.unknown) if word in marked and word not in known))


def unexplained(description: Description) -> Iterator[str]:
    """The words that nothing in the home explains: of things that were found all the same, and of places that tell them apart.

    Of a single thing that was not found there are none: that it is unknown is said anyway.
    """
    for part in description.parts or (description,):
        if part.candidates or not part.head or (description.parts and not part.pronoun):
            yield from part.unknown
        if part.order and part.quantity == "all":
            yield part.order  # "the biggest books": how many?
        for relation in part.relations:
            for landmark in relation.landmarks:
                yield from landmark.unknown


def both(one: Description, other: Description) -> Description:
    """Two phrases for one role: "the pan … and the pot"."""
    parts = (*(one.parts or (one,)), *(other.parts or (other,)))
    return Description(f"{one.text} and {other.text}", one.start, other.end, parts=parts, joined="and")


def _counted_pronoun(node: SpanNode, words: SpannedWords) -> SpanNode | None:
    """The pronoun of "both of them"; None if it is no such phrase."""
    counts = [child for child in node.children if child.label == "quantity"]
    if any(OTHERS.intersection(word.text for word in words.of(child)) for child in counts):
        return None  # "the other one"
    counted = {at for child in counts for at in range(child.first, child.last + 1)}
    rest = [at for at in range(node.first, node.last + 1) if at not in counted and words.words[at].text not in EMPTY]
    if not counts or len(rest) != 1 or words.words[rest[0]].text not in THING_PRONOUNS:
        return None
    return replace(node, first=rest[0], last=rest[0], children=())


def _together(things: Sequence[Role]) -> Role:
    """Things that "them" may mean."""
    joined = [role.description for role in things if role.description is not None]
    described = joined[0]
    for each in joined[1:]:
        described = both(described, each)
    return replace(things[0], text=described.text, end=things[-1].end, description=described)


def _placed(node: SpanNode) -> list[SpanNode]:
    """What restricts a noun phrase by place, after its first word."""
    inner = (each for child in node.children if child.label == "attribute" for each in child.children)  # "who is sitting in the kitchen"
    return [child for child in (*node.children, *inner) if child.label in PLACED and child.first > node.first]


def _longest(phrases: Sequence[NounPhrase]) -> NounPhrase | None:
    """The phrase with most words; of several, the first."""
    return max(phrases, key=lambda phrase: len(phrase.words), default=None)


def _lost(words: Sequence[Word], phrase: NounPhrase) -> tuple[str, ...]:
    """The words that are not in the phrase; "over there" is there."""
    if phrase.description.pronoun in PLACE_PRONOUNS:
        return ()
    return content(word for at, word in enumerate(words) if at not in phrase.words and word.text != phrase.description.pronoun)
