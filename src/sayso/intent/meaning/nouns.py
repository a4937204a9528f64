"""Noun phrases without their restrictions: determiner, modifiers and head, linked to the home."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sayso.domain import Domain
from sayso.intent.gazetteer import COMPOSED, STRANGE, EntityLink, Gazetteer, singular
from sayso.intent.grammar import DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, QUESTIONS
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.determiners import Determiner, determiner
from sayso.intent.mentions import EVERY_KIND
from sayso.intent.normalise import normalise
from sayso.representation import Description, Relation

_PERSON, _PLACE = frozenset(("person",)), frozenset(("place",))
_FIRST_OF_PREPOSITION = frozenset(phrase.split()[0] for phrase, kind in PREPOSITIONS.items() if kind) | {
    words[0] for words in lexicon.RELATIONS
}
_FIRST_OF_PREPOSITION |= frozenset(("except", "besides", "excluding", "without", "instead", "rather", "apart", "aside"))
_MODIFIERS = lexicon.ATTRIBUTES | lexicon.SUPERLATIVES.keys() | lexicon.ORDINALS.keys() | lexicon.IDLE_MODIFIERS
_SPOKEN_OF = Description("others", 0, 0, pronoun="them")  # "all the other cups": not those spoken of
_ADVERBS = frozenset(("upstairs", "downstairs", "home", "outside", "inside", "indoors", "outdoors", "nearby", "else", "ok", "okay"))


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase without restrictions. Indices count the words of the sentence."""

    description: Description
    first: int
    end: int  # one past the last word
    kind: str = ""  # "place", "object" or "person" of its best candidate; empty if unknown
    plural: bool = False
    headless: bool = False  # attributes alone: "the red", of "the red and the blue cup"


class NounReader:
    """Reads the noun phrase that begins at a word."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, verbs: frozenset[str]) -> None:
        self._domain, self._gazetteer, self._verbs = domain, gazetteer, verbs
        self._values = {
            thing_id: frozenset(word for value in thing.attributes.values() for word in normalise(value).split())
            for thing_id, thing in domain.objects.items()
        }
        self._owners = {name: person for person, entity in domain.people.items() for name in (*entity.names, person)}
        self._known = lexicon.ATTRIBUTES.union(*self._values.values()) if self._values else lexicon.ATTRIBUTES
        self._contrasts = lexicon.CONTRASTS.union(*self._values.values()) if self._values else lexicon.CONTRASTS

    def name(self, text: Sequence[str], at: int) -> int:
        """Number of words of the longest name of the home that begins at that word, 0 for none."""
        longest = min(self._gazetteer.longest, len(text) - at)
        return next((n for n in range(longest, 0, -1) if self._gazetteer.has_name(tuple(text[at : at + n]))), 0)

    def person(self, words: tuple[str, ...]) -> bool:
        """Whether the words are exactly a person's name."""
        links = self._gazetteer.link(words, _PERSON)
        return bool(links) and links[0].score >= COMPOSED

    def __call__(self, text: Sequence[str], at: int) -> Noun | None:
        """The noun phrase that begins at that word, or None. Its description's span counts words."""
        if at >= len(text):
            return None
        found = self._pronoun(text, at) or self._phrase(text, at)
        if found is None:
            return None
        return replace(found, description=replace(found.description, text=" ".join(text[at : found.end]), start=at, end=found.end))

    def attributed(self, noun: Noun, attributes: tuple[str, ...]) -> Noun:
        """The noun, with its candidates restricted by attributes that it already lists: "the cup that is red"."""
        described = noun.description
        named = bool(described.candidates)
        links = tuple(EntityLink(entity, noun.kind, score) for entity, score in described.candidates)
        if not named and not described.head:
            links = self._gazetteer.link((*attributes, "one"), frozenset(("object",)))
        kept, _, unknown = self._restricted(links, [word for word in attributes if word != "visible"])
        candidates = tuple((link.entity, round(max(min(link.score, COMPOSED) - STRANGE * len(unknown), 0.0), 4)) for link in kept)
        candidates = candidates if unknown else tuple((link.entity, link.score) for link in kept)
        return replace(noun, description=replace(described, candidates=candidates, unknown=(*described.unknown, *unknown)))

    def headed(self, noun: Noun, head: Noun, text: Sequence[str]) -> Noun:
        """Attributes alone, with the head of another noun phrase: "the red" of "the red and the blue cup"."""
        words = [*text[noun.first : noun.end], *head.description.head.split()]
        found = self(words, 0) if head.description.head else None
        if found is None:
            return noun
        described = replace(found.description, start=noun.first, end=noun.end)
        described = replace(described, quantity=noun.description.quantity if noun.description.quantity != "some" else "the")
        return replace(found, description=described, first=noun.first, end=noun.end)

    def _pronoun(self, text: Sequence[str], at: int) -> Noun | None:
        word, after = text[at], text[at + 1] if at + 1 < len(text) else ""
        if word in lexicon.OPEN and not (word == "all" and (self._continues(text, at + 1) or after in {"of", "the", *lexicon.POSSESSIVES})):
            return self._open(text, at)
        if word not in lexicon.REFERRING or self.name(text, at):
            return None
        if word in lexicon.DEMONSTRATIVES | {"her", "both"} and (self._continues(text, at + 1) or after in {"of", "the", "one", "ones"}):
            return None
        if word == "there" and (after in lexicon.COPULAS or (at and text[at - 1] in lexicon.COPULAS)):
            return None
        quantity = "both" if word == "both" else "the"
        candidates = ((self._domain.speaker, 1.0),) if word in lexicon.SPEAKERS else ()
        kind = (
            "person" if word in {"me", "us", "him", "her", "myself", "you", "he", "she"} else "place" if word in {"there", "here"} else ""
        )
        many = word in {"them", "these", "those", "they", "both"}
        return Noun(Description("", 0, 0, quantity=quantity, pronoun=word, candidates=candidates), at, at + 1, kind, many)

    def _open(self, text: Sequence[str], at: int) -> Noun:
        """Read "something", "anything cold", "everyone else"."""
        word, end = text[at], at + 1
        attributes: list[str] = []
        while end < len(text) and text[end] in self._known and text[end] not in FUNCTION_WORDS:
            attributes.append(text[end])
            end += 1
        quantity = lexicon.OPEN[word]
        excluded: tuple[Description, ...] = ()
        if end < len(text) and text[end] == "else":
            end += 1
            quantity, excluded = ("all", (_SPOKEN_OF,)) if quantity == "all" else ("other", ())
        kind = "person" if word in lexicon.PEOPLE else "object"
        links = self._gazetteer.link((*attributes, "one"), frozenset((kind,))) if attributes else ()
        known = {value for link in links for value in self._values.get(link.entity, ())}
        unknown = tuple(value for value in attributes if value not in known)
        candidates = tuple((link.entity, link.score) for link in links)
        description = Description(
            "",
            0,
            0,
            attributes=tuple(attributes),
            quantity=quantity,
            pronoun=word,
            excluded=excluded,
            candidates=candidates,
            unknown=unknown,
        )
        return Noun(description, at, end, kind, quantity == "all")

    def _continues(self, text: Sequence[str], at: int) -> bool:
        """Whether the word at that index can be part of a noun after a determiner."""
        if at >= len(text):
            return False
        word = text[at]
        if self.name(text, at) or word in _MODIFIERS or word.isdigit() or word.endswith("'s"):
            return word not in lexicon.NOT_POSSESSIVE
        return not self._stops(word) and word not in DETERMINERS and word not in lexicon.CONTACT | lexicon.PARTICIPLES

    def _stops(self, word: str) -> bool:
        return (
            word in FUNCTION_WORDS
            or word in QUESTIONS
            or word in lexicon.DISCOURSE
            or word in _FIRST_OF_PREPOSITION
            or word in lexicon.TIME_NOUNS
            or word in _ADVERBS
            or word in lexicon.NOT_POSSESSIVE
            or (word.endswith("ly") and len(word) > 4)
        )

    def _phrase(self, text: Sequence[str], at: int) -> Noun | None:
        named = self.name(text, at)
        lead = determiner(text, at, possessive=self._is_possessive) if named < 2 else Determiner(at)
        if lead.pronoun_follows:
            inner = self._pronoun(text, lead.end)
            if inner is not None:
                quantity, count = lead.quantity, lead.count
                plural = quantity not in {"a", "any", "no"}
                return Noun(replace(inner.description, quantity=quantity, count=count), at, inner.end, inner.kind, plural)
        body, end = self._body(text, lead)
        if not body:
            return None
        noun = self._analysed(text, at, lead, body, end)
        return self._with_of(text, noun) if noun and noun.end < len(text) and text[noun.end] == "of" else noun

    def _is_possessive(self, text: Sequence[str], at: int) -> bool:
        word = text[at]
        return word.endswith("'s") and word not in lexicon.NOT_POSSESSIVE and self._continues(text, at + 1)

    def _body(self, text: Sequence[str], lead: Determiner) -> tuple[list[int], int]:
        """The indices of modifiers and head, and the index after them."""
        at, nouns = lead.end, 0
        body: list[int] = []
        while at < len(text):
            word, size = text[at], self.name(text, at)
            modifier = not nouns and (lead.end > lead.first or body) and (word in _MODIFIERS or word.isdigit())
            if size and not (nouns and size == 1 and (word in lexicon.PARTICIPLES or self._stops(word))):
                if nouns and self.person(tuple(text[at : at + size])):
                    break
                nouns += 1
                body += range(at, at + size)
                at += size
                if len(body) == size and self.person(tuple(text[at - size : at])):
                    break
                continue
            if modifier or (not nouns and word in self._known and not self._stops(word)):
                body.append(at)
                at += 1
                continue
            if (self._stops(word) and word not in lexicon.THINGS) or word.isdigit() or word in DETERMINERS:
                break
            if nouns and (word in self._verbs or word in lexicon.PARTICIPLES or word in lexicon.CONTACT or word in lexicon.THINGS):
                break
            if not nouns and word in lexicon.THINGS and (lead.end > lead.first or body):
                body.append(at)
                return body, at + 1
            nouns += word not in self._known
            body.append(at)
            at += 1
        return body, at

    def _analysed(self, text: Sequence[str], at: int, lead: Determiner, body: list[int], end: int) -> Noun | None:
        order, count, rest = self._ordered(text, lead, body)
        words = tuple(text[index] for index in rest)
        description = Description("", 0, 0, order=order, quantity=lead.quantity, count=lead.count)
        if count:
            description = replace(description, quantity="exactly", count=count)
        if not words:
            sides = set(lexicon.SIDES.values())
            if order in sides or not order:
                return None
            return Noun(replace(description, pronoun="one"), at, end, headless=True)
        owners = [word for word in (*lead.owners, *words[:-1]) if word.endswith("'s")]
        words = tuple(word for word in words if word not in owners)
        if words[-1] in lexicon.THINGS:
            noun = self._thing(description, words, at, end)
        elif words[-1] in lexicon.PEOPLE and not self._gazetteer.has_name(words):
            unknown = tuple(word for word in words if word not in {"person", "people", "human", *lexicon.IDLE_MODIFIERS})
            plural = words[-1] in {"people"}
            noun = Noun(replace(description, pronoun="person", attributes=words[:-1], unknown=unknown), at, end, "person", plural)
        else:
            noun = self._named(description, words, at, end)
            if words[0] in lexicon.SIDES and len(words) == 1 and not noun.description.candidates and text[end : end + 1] != ["of"]:
                return None  # a direction: "to the left"
        return self._quantified(self._owned(noun, owners), lead, count)

    def _ordered(self, text: Sequence[str], lead: Determiner, body: list[int]) -> tuple[str, int, list[int]]:
        """The order ("biggest"), a number ("the two biggest"), and the indices of the other words."""
        order, count, rest = "", 0, list(body)
        while rest and (lead.definite or count or order):
            word = text[rest[0]]
            name = self.name(text, rest[0])
            if word.isdigit() and len(word) < 7:
                count = int(word)
            elif name <= 1 and word in lexicon.ORDINALS:
                order = order or lexicon.ORDINALS[word]
            elif name <= 1 and word in lexicon.SUPERLATIVES and not (len(rest) == 1 and word not in lexicon.SUPERLATIVES.values()):
                order = lexicon.SUPERLATIVES[word]
            elif word == "most" and len(rest) > 1:
                order = f"most {text[rest[1]]}"
                rest.pop(0)
            elif word == "hand" and order in {"leftmost", "rightmost"}:
                pass
            elif name == 0 and _superlative(word) and len(rest) > 1:
                order = word
            else:
                break
            rest.pop(0)
        return order, count, rest

    def _thing(self, description: Description, words: tuple[str, ...], at: int, end: int) -> Noun:
        attributes = tuple(word for word in words[:-1] if word not in lexicon.IDLE_MODIFIERS)
        links = self._gazetteer.link((*attributes, "one"), frozenset(("object",))) if attributes else ()
        having = frozenset(word for values in self._values.values() for word in values)
        unknown = tuple(word for word in attributes if word not in having and word not in lexicon.SIZES)
        if unknown and not links:
            explained = tuple(word for word in attributes if word not in unknown and word not in lexicon.SIZES)
            links = self._gazetteer.link((*explained, "one"), frozenset(("object",))) if explained else ()
        plural = singular(words[-1]) != words[-1]
        candidates = tuple((link.entity, link.score) for link in links)
        described = replace(description, attributes=attributes, pronoun=singular(words[-1]), candidates=candidates, unknown=unknown)
        return Noun(described, at, end, "object", plural)

    def _named(self, description: Description, words: tuple[str, ...], at: int, end: int) -> Noun:
        """A phrase with a head noun: the longest end of it that the home knows, restricted by the words before."""
        if all(word in self._known for word in words) and not self._gazetteer.link(words[-1:], EVERY_KIND):
            thing = self._thing(description, (*words, "one"), at, end)
            return replace(thing, headless=True)
        links: tuple[EntityLink, ...] = ()
        first = 0
        for first in range(len(words)):
            links = self._gazetteer.link(words[first:], EVERY_KIND)
            if links and links[0].score >= COMPOSED:
                break
        else:
            first, links = 0, self._gazetteer.link(words, EVERY_KIND)
        exact = bool(links) and links[0].score == 1.0
        plural = not exact and singular(words[-1]) != words[-1] and not words[-1].endswith(("us", "is"))
        head = words[first:] if exact else (*words[first:-1], singular(words[-1]))
        before = [word for word in words[:first] if word not in lexicon.IDLE_MODIFIERS]
        while len(head) > 1 and head[1] != "of" and head[0] in self._known and links and self._gazetteer.link(head[1:], EVERY_KIND):
            before.append(head[0])
            head = head[1:]
        if not links and not any(self._gazetteer.has_name((word,)) for word in words[-1:]):
            return self._unnamed(description, words, at, end, plural)
        kept, relations, unknown = self._restricted(links, [word for word in before if word not in words[first:]])
        score = {link.entity: min(link.score, COMPOSED) if unknown else link.score for link in kept}
        candidates = tuple((entity, round(max(value - STRANGE * len(unknown), 0.0), 4)) for entity, value in score.items())
        attributes = tuple(word for word in before if word in self._known or word in unknown)
        kind = kept[0].kind if kept else links[0].kind if links else ""
        described = replace(description, head=" ".join(head), attributes=attributes, relations=relations)
        return Noun(replace(described, candidates=candidates, unknown=unknown), at, end, kind, plural)

    def _unnamed(self, description: Description, words: tuple[str, ...], at: int, end: int, plural: bool) -> Noun:
        attributes = tuple(word for word in words[:-1] if word in self._known)
        content = tuple(word for word in words if word not in attributes and word not in lexicon.IDLE_MODIFIERS)
        purpose = lexicon.PURPOSE_NOUNS.get(words[-1], "")
        if purpose:
            unknown = tuple(word for word in content if word != words[-1])
            described = replace(description, attributes=attributes, purpose=purpose, pronoun="something", unknown=unknown)
            return Noun(described, at, end, "object", plural)
        head = " ".join((*(word for word in words[:-1] if word in content), singular(words[-1])))
        return Noun(replace(description, head=head, attributes=attributes, unknown=content), at, end, "", plural)

    def _restricted(
        self, links: tuple[EntityLink, ...], modifiers: list[str]
    ) -> tuple[tuple[EntityLink, ...], tuple[Relation, ...], tuple[str, ...]]:
        """The links that the modifiers leave, the relations of place among them ("the bedroom phone"), and unknown modifiers."""
        relations: list[Relation] = []
        unknown: list[str] = []
        for word in modifiers:
            having = tuple(link for link in links if word in self._values.get(link.entity, ()))
            places = self._gazetteer.link((word,), _PLACE)
            if word in self._contrasts or having:
                links = having
            elif word in lexicon.SIZES and any(self._size(link.entity) for link in links):
                continue
            elif places and places[0].score >= COMPOSED and links and links[0].kind == "object":
                place = Description(word, 0, 0, head=word, candidates=tuple((link.entity, link.score) for link in places))
                relations.append(Relation("in", (place,)))
            else:
                unknown.append(word)
        return links, tuple(relations), tuple(unknown)

    def _size(self, entity: str) -> float:
        return self._domain.objects[entity].size if entity in self._domain.objects else 0.0

    def _owned(self, noun: Noun, owners: list[str]) -> Noun:
        """The noun, restricted to what belongs to its owners; owners that the home does not know are unknown words."""
        described = noun.description
        for owner in owners:
            person = self._owners.get(owner.removesuffix("'s"), "")
            having = tuple(pair for pair in described.candidates if pair[0] in self._domain.objects and person)
            having = tuple(pair for pair in having if self._domain.objects[pair[0]].owner == person)
            described = replace(described, attributes=(*described.attributes, owner))
            described = replace(described, candidates=having) if having else replace(described, unknown=(*described.unknown, owner))
        return replace(noun, description=described)

    def _quantified(self, noun: Noun, lead: Determiner, count: int) -> Noun:
        """The noun with the quantity that its number implies: "the books" are all of them, "cups" are some."""
        described = noun.description
        if noun.plural and not count:
            if lead.quantity == "the":
                bare = lead.end == lead.first
                described = replace(described, quantity="some" if bare else "all")
            elif lead.quantity == "other":
                described = replace(described, quantity="all")
        if lead.others or (lead.quantity == "other" and (noun.plural or count)):
            described = replace(described, excluded=(_SPOKEN_OF,))
        elif lead.end == lead.first and described.quantity == "the" and noun.kind == "object":
            described = replace(described, quantity="some" if noun.plural else "the")
        return replace(noun, description=described)

    def _with_of(self, text: Sequence[str], noun: Noun) -> Noun:
        """Read "the end of the table", "a bottle of juice", "the picture of anna"."""
        inner = self(text, noun.end + 1)
        if inner is None:
            return noun
        outer, whole = noun.description, inner.description
        head = outer.head.split()[-1:] or [""]
        if head[0] in lexicon.PARTS and not outer.candidates:
            return replace(inner, first=noun.first)
        if inner.kind == "place" and noun.kind in {"place", "object"}:
            return replace(noun, end=inner.end, description=replace(outer, relations=(*outer.relations, Relation("in", (whole,)))))
        if head[0] in lexicon.CONTAINERS and inner.kind == "object":
            candidates = tuple((entity, round(min(score, COMPOSED) - STRANGE, 4)) for entity, score in whole.candidates)
            content = replace(outer, head=whole.head, attributes=(*outer.attributes, *whole.attributes), candidates=candidates)
            return replace(noun, end=inner.end, kind="object", description=replace(content, unknown=(*outer.unknown, *head)))
        words = tuple(word for word in text[inner.first : inner.end] if word not in DETERMINERS)
        candidates = tuple((entity, round(max(min(score, COMPOSED) - STRANGE, 0.0), 4)) for entity, score in outer.candidates)
        return replace(noun, end=inner.end, description=replace(outer, candidates=candidates, unknown=(*outer.unknown, *words)))


def _superlative(word: str) -> bool:
    return len(word) > 5 and word.endswith("est") and word not in {"forest", "request", "interest", "harvest", "contest", "protest"}
