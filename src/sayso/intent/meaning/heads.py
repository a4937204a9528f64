"""Modifiers and head noun → entities of the home, and the words among them that the home cannot explain."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from sayso.domain import Domain
from sayso.intent.gazetteer import COMPOSED, CONTRASTS, STRANGE, EntityLink, Gazetteer, singular
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.mentions import EVERY_KIND
from sayso.intent.normalise import normalise
from sayso.representation import SIZES

Words = tuple[str, ...]
Candidates = tuple[tuple[str, float], ...]  # (entity, score), best first
_OBJECT, _PERSON, _PLACE = frozenset(("object",)), frozenset(("person",)), frozenset(("place",))


@dataclass(frozen=True, slots=True)
class LinkedHead:
    """Modifiers and head noun, linked to the home. The fields are those of a Description."""

    noun: str = ""  # singular; empty if there is none
    attributes: Words = ()
    candidates: Candidates = ()
    unknown: Words = ()
    kind: str = ""  # of the best candidate
    places: tuple[tuple[str, Candidates], ...] = ()  # modifiers that are places: "the bedroom phone"
    pronoun: str = ""
    purpose: str = ""
    plural: bool = False
    headless: bool = False  # attributes alone: "the red"


class HeadLinker:
    """Links the words after a determiner. It caches, since a sentence asks for the same words several times."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer) -> None:
        self._domain, self._gazetteer = domain, gazetteer
        self._values = {
            thing_id: frozenset(word for value in thing.attributes.values() for word in normalise(value).split())
            for thing_id, thing in domain.objects.items()
        }
        self._named_with = {
            thing_id: frozenset(singular(word) for name in thing.names for word in normalise(name).split())
            for thing_id, thing in domain.objects.items()
        }
        self._owners = {normalise(name): person for person, entity in domain.people.items() for name in (*entity.names, person)}
        self._categories = {tuple(normalise(thing.category).split()) for thing in domain.objects.values()}
        self._having = frozenset[str]().union(*self._values.values())
        self.known = lexicon.ATTRIBUTES | self._having  # words that are attributes, here or in general
        self._contrasts = CONTRASTS | self._having
        self._linked = lru_cache(maxsize=4096)(self._link)

    def __call__(self, words: Words, owners: Words = ()) -> LinkedHead:
        """The head of these words, restricted to what belongs to the owners ("anna's")."""
        head = self._linked(words)
        for owner in owners:
            person = self._owners.get(owner.removesuffix("'s"), "")
            of_person = {thing for thing, spec in self._domain.objects.items() if person and spec.owner == person}
            having = tuple(pair for pair in head.candidates if pair[0] in of_person)
            head = replace(head, attributes=(*head.attributes, owner))
            if having:
                head = replace(head, candidates=having)
            elif not (person and len(head.candidates) == 1 and self._unowned(head.candidates[0][0])):  # there is no other: it is theirs
                head = replace(head, unknown=(*head.unknown, owner))
        return head

    def _unowned(self, thing: str) -> bool:
        """Whether the home doesn't say whose the thing is."""
        return thing in self._domain.objects and not self._domain.objects[thing].owner

    def attributed(self, candidates: Candidates, kind: str, noun: str, attributes: Words) -> tuple[Candidates, Words]:
        """The candidates that have the attributes, and the attributes that the home does not know: "the cup that is red"."""
        links = tuple(EntityLink(entity, kind, score) for entity, score in candidates)
        if not links and not noun:
            links = self._gazetteer.link((*attributes, "one"), _OBJECT)
        kept, _, unknown = self._restricted(links, [word for word in attributes if word != "visible"])
        return _scored(kept, unknown), unknown

    def things(self, attributes: Words, kind: str = "object") -> tuple[Candidates, Words]:
        """What has these attributes, and the attributes that nothing in the home has: "something cold"."""
        explained = tuple(word for word in attributes if word in self._having)
        unknown = tuple(word for word in attributes if word not in self._having and word not in SIZES)
        links = self._gazetteer.link((*explained, "one"), frozenset((kind,))) if explained else ()
        return tuple((link.entity, link.score) for link in links), unknown

    def named_after(self, candidates: Candidates, words: Words, *, anything: bool) -> tuple[Candidates, Words]:
        """The candidates, or of anything the things, whose names hold one of the words, and the words if there are none."""
        among = candidates or tuple((thing, COMPOSED) for thing in self._domain.objects if anything)
        having = tuple(pair for pair in among if self._named_with.get(pair[0], frozenset()) & set(words))
        return (having, ()) if having else (tuple((entity, weakened(score)) for entity, score in candidates), words)

    def composed(self, noun: str, whole: str) -> Candidates:
        """What is named by two nouns: "glass" and "water" → "glass of water"."""
        words = (*noun.split(), "of", *whole.split())
        links = self._gazetteer.link(words, _OBJECT) if self._gazetteer.has_name(words) else ()
        return tuple((link.entity, link.score) for link in links)

    def person(self, words: Words) -> bool:
        """Whether the words are exactly a person's name."""
        links = self._gazetteer.link(words, _PERSON)
        return bool(links) and links[0].score >= COMPOSED

    def _link(self, words: Words) -> LinkedHead:
        last = words[-1]
        if last in lexicon.THINGS and not self._ends_with_name(words):  # not "rack one", "cleaning stuff"
            attributes = _restricting(words[:-1])
            if len(words) > 1 and self._ends_with_name(words[:-1]):  # "the cleaning stuff items"
                return replace(self._named(words[:-1]), plural=singular(last) != last)
            kind = self._gazetteer.link(words[-2:-1], _OBJECT) if attributes and attributes[-1:] == words[-2:-1] else ()
            if kind and words[-2] not in self.known:  # "the fruit items"
                return replace(self._named(words[:-1]), plural=singular(last) != last)
            candidates, unknown = self.things(attributes)
            pronoun = singular(last)
            return LinkedHead("", attributes, candidates, unknown, "object", pronoun=pronoun, plural=pronoun != last)
        if last in lexicon.PEOPLE and not self._gazetteer.has_name(words):
            unknown = tuple(word for word in _restricting(words) if word not in {"person", "people", "human"})
            return LinkedHead("", words[:-1], (), unknown, "person", pronoun="person", plural=last in lexicon.MANY_PEOPLE)
        attributes_only = last not in lexicon.NOUNS_AS_WELL and all(word in self.known for word in words)
        if attributes_only and not self._gazetteer.link(words[-1:], EVERY_KIND):
            return replace(self._link((*words, "one")), headless=True)
        return self._named(words)

    def _ends_with_name(self, words: Words) -> bool:
        """Whether the words end with a name or a category of more than one word."""
        return any(self._gazetteer.has_name(words[first:]) or words[first:] in self._categories for first in range(len(words) - 1))

    def _named(self, words: Words) -> LinkedHead:
        """A head noun: the longest end of the words that the home knows, restricted by the words before."""
        links: tuple[EntityLink, ...] = ()
        first = 0
        for first in range(len(words)):
            links = self._gazetteer.link(words[first:], EVERY_KIND)
            if links and links[0].score >= COMPOSED:
                break
        else:
            first, links = 0, self._gazetteer.link(words, EVERY_KIND)
        exact = bool(links) and links[0].score == 1.0
        last = words[-1]
        plural = not exact and singular(last) != last and not last.endswith(("us", "is"))
        if not links and not self._gazetteer.has_name((last,)):
            return self._unnamed(words, plural)
        head = words[first:] if exact else (*words[first:-1], singular(last) if plural else last)
        before = list(_restricting(words[:first]))
        outer = list(before)
        if len(before) > 1 and self._gazetteer.has_name(tuple(before)):
            outer = [" ".join(before)]  # "the dining room table"
        known = bool(links) and not self._gazetteer.is_split(head)
        while known and len(head) > 1 and head[1] != "of" and head[0] in self.known and self._gazetteer.link(head[1:], EVERY_KIND):
            before.append(head[0])
            head = head[1:]
        kept, places, unknown = self._restricted(links, outer)
        attributes = tuple(word for word in before if word in self.known or word in unknown)
        kind = kept[0].kind if kept else links[0].kind if links else ""
        return LinkedHead(" ".join(head), attributes, _scored(kept, unknown), unknown, kind, places, plural=plural)

    def _unnamed(self, words: Words, plural: bool) -> LinkedHead:
        """A noun that the home does not know."""
        attributes = tuple(word for word in words[:-1] if word in self.known)
        content = tuple(word for word in _restricting(words) if word not in attributes)
        purpose = lexicon.PURPOSE_NOUNS.get(words[-1], "")
        if purpose:
            unknown = tuple(word for word in content if word != words[-1])
            return LinkedHead("", attributes, (), unknown, "object", pronoun="something", purpose=purpose, plural=plural)
        noun = " ".join((*(word for word in words[:-1] if word in content), singular(words[-1]) if plural else words[-1]))
        unknown = tuple(word for word in content if not self._gazetteer.has_name((word,)))
        return LinkedHead(noun, attributes, (), unknown or content or words[-1:], plural=plural)

    def _restricted(
        self, links: tuple[EntityLink, ...], modifiers: list[str]
    ) -> tuple[tuple[EntityLink, ...], tuple[tuple[str, Candidates], ...], Words]:
        """The links that the modifiers leave, the places among the modifiers, and unknown modifiers."""
        places: list[tuple[str, Candidates]] = []
        unknown: list[str] = []
        for word in modifiers:
            having = tuple(link for link in links if word in self._values.get(link.entity, ()))
            if having:
                links = having
            elif word in self._contrasts:
                links = tuple(link for link in links if not self._contrasts & self._values.get(link.entity, frozenset()))
                unknown += [word] * bool(links)
            elif not (word in SIZES and any(self._size(link.entity) for link in links)):
                links, room = self._placed(links, word)
                if room is None:
                    unknown.append(word)
                elif room:
                    places.append((word, room))
        return links, tuple(places), tuple(unknown)

    def _placed(self, links: tuple[EntityLink, ...], word: str) -> tuple[tuple[EntityLink, ...], Candidates | None]:
        """The links that a place before the noun leaves ("office desk", "tv remote"), and a room to look in; None if it is none."""
        found = tuple((link.entity, link.score) for link in self._gazetteer.link(tuple(word.split()), _PLACE) if link.score >= COMPOSED)
        places = {entity for entity, _ in found}
        inside = tuple(link for link in links if link.entity in self._domain.places and self._domain.places[link.entity].inside in places)
        usual = tuple(link for link in links if link.kind == "object" and places & self._domain.objects[link.entity].usual.keys())
        if inside or usual:
            return inside or usual, ()
        rooms = bool(found) and all(self._domain.places[place].kind == "room" for place in places)
        return links, found if rooms and links and links[0].kind == "object" else None

    def _size(self, entity: str) -> float:
        return self._domain.objects[entity].size if entity in self._domain.objects else 0.0


def _restricting(words: Words) -> Words:
    return tuple(word for word in words if word not in lexicon.IDLE_MODIFIERS)


def _scored(links: tuple[EntityLink, ...], unknown: Words) -> Candidates:
    """Candidates with their scores, lowered for each unknown word."""
    if not unknown:
        return tuple((link.entity, link.score) for link in links)
    return tuple((link.entity, weakened(link.score, len(unknown))) for link in links)


def weakened(score: float, unknown: int = 1) -> float:
    """The score of a name with so many unknown words beside it."""
    return round(max(min(score, COMPOSED) - STRANGE * unknown, 0.0), 4)
