"""What follows a noun and restricts it: phrases of place, relative clauses, participles, purposes, exclusions, sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.intent.grammar import DETERMINERS, INFINITIVES
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.noun_forms import asked_predicate
from sayso.intent.meaning.nouns import NounReader
from sayso.intent.meaning.postmodifiers import Restriction, nearness, negated, restricted, side
from sayso.intent.meaning.relatives import RelativeClauses
from sayso.intent.meaning.uses import purpose
from sayso.representation import Description, Relation, RelationName

TOWARDS = frozenset((("into",), ("onto",), ("to",)))
_INNER = frozenset(("in", "on", "at"))
_DIRECTED = frozenset(("pointing", "dressed", "labelled", "labeled", "marked"))  # takes a preposition: "dressed in red"
DEEPEST = 2  # restrictions of restrictions


class RestrictionReader:
    """Reads the restriction that begins at a word."""

    def __init__(self, domain: Domain, nouns: NounReader, verbs: frozenset[str]) -> None:
        self._nouns, self._verbs = nouns, verbs
        self._relatives = RelativeClauses(nouns, verbs, self)
        self._ancestors: dict[str, frozenset[str]] = {}
        for place in domain.places:
            around: list[str] = []
            outer = domain.places[place].inside
            while outer in domain.places and outer not in around:
                around.append(outer)
                outer = domain.places[outer].inside
            self._ancestors[place] = frozenset(around)
        self._rooms = frozenset(place for place, spec in domain.places.items() if spec.kind == "room")
        self._uses = INFINITIVES.union(*(thing.uses for thing in domain.objects.values())) - {"be", "have", "do"}

    def __call__(self, text: Sequence[str], at: int, noun: Noun, depth: int = 0) -> Restriction | None:
        """The restriction of a noun that begins at that word, or None."""
        if at >= len(text) or depth > DEEPEST:
            return None
        return (
            self._exclusion(text, at, noun, depth)
            or nearness(self._nouns, text, at, noun)
            or side(self._nouns, text, at, noun)
            or self._asked(text, at, noun, depth)
            or purpose(self._nouns, self._verbs, self._uses, text, at, noun)
            or self._relatives(text, at, noun, depth)
            or self.participle(text, at, noun, depth)
            or self.place(text, at, depth)
        )

    def free_relative(self, text: Sequence[str], at: int) -> Restriction | None:
        """Where something is, in "what is on the counter"; None if the words are not of that form."""
        return self._relatives.free_relative(text, at)

    def contains(self, outer: Noun, inner: Noun) -> bool:
        """Whether one of the places that `outer` may mean contains one that `inner` may mean."""
        around = {entity for entity, _ in outer.description.candidates}
        return any(around & self._ancestors.get(entity, frozenset()) for entity, _ in inner.description.candidates)

    def relation(self, text: Sequence[str], at: int) -> tuple[RelationName | None, int]:
        """The relation whose preposition begins at that word, and the index after it."""
        for size in range(min(lexicon.LONGEST_RELATION, len(text) - at), 0, -1):
            name = lexicon.RELATIONS.get(tuple(text[at : at + size]))
            if name is not None:
                return name, at + size
        return None, at

    def place(self, text: Sequence[str], at: int, depth: int = 0) -> Restriction | None:
        """A phrase of place: "next to the bread", "between the plate and the bowl"."""
        name, begin = self.relation(text, at)
        if name is None or depth > DEEPEST or (name == "above" and text[begin : begin + 1] in (["there"], ["here"])):
            return None
        landmark = self._landmark(text, begin, depth)
        if landmark is None:
            return None
        if name in {"in", "at", "from"} and landmark.description.head in lexicon.EVERYWHERE and not landmark.description.candidates:
            return Restriction("clause", at, landmark.end)  # "in this house" restricts nothing
        landmarks = [landmark.description]
        end = landmark.end
        if name == "between" and text[end : end + 1] == ["and"]:
            second = self._landmark(text, end + 1, depth)
            if second is not None:
                landmarks.append(second.description)
                end = second.end
        relation = Relation(name, tuple(landmarks))
        return Restriction("place", at, end, (relation,), preposition=tuple(text[at:begin]))

    def _landmark(self, text: Sequence[str], at: int, depth: int) -> Noun | None:
        """The noun phrase at that word, narrowed by the place around it and by its own relative clause."""
        noun = self._nouns(text, at)
        if noun is None or (noun.headless and not noun.description.order):
            return None
        while depth < DEEPEST and noun.end < len(text):
            found = self._narrowing(text, noun) or (None if self._is_room(noun) else self._relatives(text, noun.end, noun, depth + 1))
            if found is None:
                break
            noun = replace(noun, end=found.end, description=restricted(noun.description, found))
        described = replace(noun.description, text=" ".join(text[at : noun.end]), end=noun.end)
        return replace(noun, description=described)

    def _is_room(self, noun: Noun) -> bool:
        """Whether it is a room; "the box in the kitchen that is next to the bread" speaks of the box."""
        return bool(noun.description.candidates) and all(entity in self._rooms for entity, _ in noun.description.candidates)

    def _narrowing(self, text: Sequence[str], noun: Noun) -> Restriction | None:
        name, begin = self.relation(text, noun.end)
        if name not in _INNER or noun.kind != "place":
            return None
        outer = self._nouns(text, begin)
        if outer is None or not self.contains(outer, noun):
            return None
        return Restriction("place", noun.end, outer.end, (Relation("in", (outer.description,)),))

    def _exclusion(self, text: Sequence[str], at: int, noun: Noun, depth: int) -> Restriction | None:
        begin = at + (text[at] == ",")
        open_choice = text[begin : begin + 1] == ["but"] and noun.description.quantity in {"all", "any", "every", "no"}
        size = next(
            (
                n
                for n in range(min(lexicon.LONGEST_EXCLUSION, len(text) - begin), 0, -1)
                if tuple(text[begin : begin + n]) in lexicon.EXCLUSIONS
            ),
            int(open_choice),
        )
        if not size:
            return None
        begin += size
        if text[begin - 1] == "without" and noun.description.quantity not in {"all", "every"} and not noun.plural:
            lacking = self._nouns(text, begin)
            return Restriction("clause", at, lacking.end, (Relation("with", (lacking.description,), True),)) if lacking else None
        excluded: list[Description] = []
        end = begin
        while (found := self._nouns(text, begin)) is not None and found.description.pronoun not in lexicon.REFERRING - {
            "it",
            "that",
            "this",
        }:
            end, described = found.end, found.description
            while (more := self(text, end, found, depth + 1)) is not None and more.kind in {"place", "clause"}:
                if more.preposition in TOWARDS:  # "everything except the laptop onto the bookshelf"
                    break
                end, described = more.end, restricted(described, more)
            excluded.append(replace(described, text=" ".join(text[found.first : end]), end=end))
            begin = end + next((n for n in (2, 1) if text[end : end + n] in ([",", "and"], ["and"], ["or"], [","])), 0)
            if begin == end or begin >= len(text) or text[begin] in self._verbs:
                break
        if excluded:
            return Restriction("exclusion", at, end, excluded=tuple(excluded))
        begin += text[begin : begin + 1] in (["any"], ["anything"])  # "not any on the dining table"
        absent = self.place(text, begin, depth + 1) if "not" in text[at:begin] else None
        if absent is not None and noun.kind == "place":  # "on the desk and not on the counter"
            return Restriction("exclusion", at, absent.end, excluded=absent.relations[0].landmarks)
        return replace(absent, kind="clause", first=at, relations=negated(absent.relations)) if absent else None

    def participle(self, text: Sequence[str], at: int, noun: Noun | None, depth: int) -> Restriction | None:
        """A participle with its place, "lying on the desk", or what a person does."""
        if text[at] in lexicon.ACTIONS:
            return self._action(text, at)
        if text[at] not in lexicon.PARTICIPLES:
            return None
        begin = at + 1
        while begin < len(text) and text[begin] in {"around", "right", "there", "down", "up"}:
            if self.relation(text, begin)[0] and not self.relation(text, begin + 1)[0]:
                break
            begin += 1
        found = self.places(text, begin, depth)
        if found is None and noun is not None and noun.kind == "person":  # "a person lying down"
            return Restriction("clause", at, begin, attributes=(text[at],))
        return replace(found, first=at) if found else None

    def _action(self, text: Sequence[str], at: int) -> Restriction:
        """What a person does: "waving", "raising their left arm", "dressed in red"; the home cannot tell who does."""
        begin = at + 1 + (text[at + 1 : at + 2] in (["in"], ["at"], ["as"], ["to"]) and text[at] in _DIRECTED)
        if tuple(text[at + 1 : at + 4]) in lexicon.SIDE_PHRASES and text[at] in _DIRECTED:
            return Restriction("clause", at, at + 4, attributes=(text[at],), unknown=(text[at + 3],))
        thing = self._nouns(text, begin)
        end = thing.end if thing is not None else at + 1
        words = [word for word in text[at:end] if word not in DETERMINERS]
        return Restriction("clause", at, end, attributes=(text[at],), unknown=tuple(words[1:]))

    def places(self, text: Sequence[str], at: int, depth: int, absent: bool = False) -> Restriction | None:
        """One or more phrases of place in a row, as one restriction."""
        relations: list[Relation] = []
        end = begin = at
        while begin < len(text) and (found := self.place(text, begin, depth + 1)) is not None:
            if relations and found.relations[0].name == "from":
                break
            relations += found.relations
            end = begin = found.end
            begin += text[begin : begin + 1] == ["and"]
        if not relations:
            return None
        return Restriction("clause", at, end, negated(relations) if absent else tuple(relations))

    def _asked(self, text: Sequence[str], at: int, noun: Noun, depth: int) -> Restriction | None:
        """What is asked of the counted: "are sitting" of "how many people in the kitchen are sitting"."""
        found = self._relatives.predicate(text, at + 1, noun, depth) if asked_predicate(text, at, noun.first) else None
        if found is None:
            return None
        attributes = found.attributes or tuple({text[at + 1]} & lexicon.PARTICIPLES if noun.kind == "person" else ())
        return replace(found, kind="clause", first=at, attributes=attributes)
