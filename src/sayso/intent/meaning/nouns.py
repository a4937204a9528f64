"""Noun phrases without their restrictions: determiner, modifiers and head, linked to the home."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.intent.gazetteer import Gazetteer, singular
from sayso.intent.grammar import DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, QUESTIONS
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.determiners import Determiner, determiner, idle_words
from sayso.intent.meaning.heads import HeadLinker
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.noun_forms import SPOKEN_OF, before_noun, part_of_owner, quantity_of, superlative
from sayso.intent.meaning.partitives import with_whole
from sayso.intent.normalise import normalise
from sayso.representation import Description, QuantityName, Relation

_MODIFIERS = lexicon.ATTRIBUTES | lexicon.SUPERLATIVES.keys() | lexicon.ORDINALS.keys() | lexicon.IDLE_MODIFIERS
_STOPS = FUNCTION_WORDS | QUESTIONS | lexicon.SUBJECTS | lexicon.DISCOURSE | lexicon.TIME_NOUNS | lexicon.NOT_POSSESSIVE | lexicon.STOPS
_STOPS |= {phrase.split()[0] for phrase, kind in PREPOSITIONS.items() if kind} | {words[0] for words in lexicon.RELATIONS}
_AFTER_NOUNS = lexicon.PARTICIPLES | lexicon.CONTACT | lexicon.ACTIONS | lexicon.SUPERLATIVES.keys() | lexicon.VERB_FORMS
_AFTER_NOUNS |= lexicon.PREDICATED
_SIDES = frozenset(lexicon.SIDES.values())


class NounReader:
    """Reads the noun phrase that begins at a word."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer, verbs: frozenset[str]) -> None:
        self._domain, self._gazetteer, self._verbs = domain, gazetteer, verbs
        self._heads = HeadLinker(domain, gazetteer)
        self._known = self._heads.known
        entities = (entity for kind in domain.by_kind.values() for entity in kind.items())
        names = (name for entity_id, entity in entities for name in (*entity.names, entity_id.replace("_", " ")))
        together = (normalise(name).replace(",", "").replace(" ", "") for name in names)
        self._beginnings = frozenset(name[:letters] for name in together for letters in range(1, len(name) + 1))

    def name(self, text: Sequence[str], at: int) -> int:
        """Number of words of the longest name of the home that begins at that word, 0 for none."""
        if singular(text[at]) not in self._beginnings:
            return 0
        longest = min(self._gazetteer.longest, len(text) - at)
        return next((n for n in range(longest, 0, -1) if self._gazetteer.has_name(tuple(text[at : at + n]))), 0)

    def person(self, words: tuple[str, ...]) -> bool:
        """Whether they are exactly a person's name."""
        return self._heads.person(words)

    def __call__(self, text: Sequence[str], at: int) -> Noun | None:
        """The noun phrase that begins at that word, or None. Its description's span counts words."""
        return (self._pronoun(text, at) or self._phrase(text, at)) if at < len(text) else None

    def attributed(self, noun: Noun, attributes: tuple[str, ...]) -> Noun:
        """The noun, with its candidates restricted by attributes that it already lists: "the cup that is red"."""
        described = noun.description
        candidates, unknown = self._heads.attributed(described.candidates, noun.kind, described.head, attributes)
        return replace(noun, description=replace(described, candidates=candidates, unknown=(*described.unknown, *unknown)))

    def named_after(self, noun: Noun, words: tuple[str, ...]) -> Noun:
        """The noun, with those of its candidates whose names hold one of the words; without any, the words stay unknown."""
        if not words:
            return noun
        described = noun.description
        candidates, unknown = self._heads.named_after(described.candidates, words, anything=not described.head and not described.attributes)
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
        quantity: QuantityName = "both" if word == "both" else "the"
        candidates = ((self._domain.speaker, 1.0),) if word in lexicon.SPEAKERS else ()
        kind = (
            "person" if word in {"me", "us", "him", "her", "myself", "you", "he", "she"} else "place" if word in {"there", "here"} else ""
        )
        many = word in {"them", "these", "those", "they", "both"}
        return Noun(Description(word, at, at + 1, quantity=quantity, pronoun=word, candidates=candidates), at, at + 1, kind, many)

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
            quantity, excluded = ("all", (SPOKEN_OF,)) if quantity == "all" else ("other", ())
        kind = "person" if word in lexicon.PEOPLE else "object"
        candidates, unknown = self._heads.things(tuple(attributes), kind)
        description = Description(
            " ".join(text[at:end]),
            at,
            end,
            attributes=tuple(attributes),
            quantity=quantity,
            pronoun="person" if kind == "person" and quantity in ("some", "any") else word,  # "someone" is "a person"
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
        return word in _STOPS or (word.endswith("ly") and len(word) > 4)

    def _phrase(self, text: Sequence[str], at: int) -> Noun | None:
        named = self.name(text, at)
        lead = determiner(text, at, possessive=self._is_possessive) if named < 2 else Determiner(at)
        if lead.pronoun_follows and lead.end < len(text):
            inner = self._pronoun(text, lead.end)
            if inner is not None:
                words = " ".join(text[at : inner.end])
                described = replace(inner.description, quantity=lead.quantity, count=lead.count, text=words, start=at)
                return Noun(described, at, inner.end, inner.kind, lead.quantity not in {"a", "any", "no"})
        first = at + (text[at] in DETERMINERS)
        if owned := part_of_owner(text, first):
            owner = [*text[first : owned - 1], text[owned - 1].removesuffix("'s")]
            whole = self(owner, 0)
            if whole is not None and whole.kind == "place" and whole.end == len(owner):  # "the desk's center" is on the desk
                words = " ".join(text[at : owned + 1])
                return replace(whole, first=at, end=owned + 1, description=replace(whole.description, text=words, start=at, end=owned + 1))
        body, end = self._body(text, lead)
        if not body or (text[at] == "no" and text[body[0]] in self._verbs):  # "no, stop"
            return None
        noun = self._analysed(text, lead, body, end)
        return with_whole(text, noun, self._heads, self) if noun and noun.end < len(text) else noun

    def _is_possessive(self, text: Sequence[str], at: int) -> bool:
        return text[at].endswith("'s") and text[at] not in lexicon.NOT_POSSESSIVE and self._continues(text, at + 1)

    def _body(self, text: Sequence[str], lead: Determiner) -> tuple[list[int], int]:
        """The indices of modifiers and head, and the index after them."""
        at, nouns = lead.end, 0
        body: list[int] = []
        while at < len(text):
            word, size = text[at], self.name(text, at)
            if not nouns and (before := before_noun(text, at, self._stops)):
                body += range(at, at + before)
                at += before
                continue
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
            modifier = modifier or (not nouns and word in self._known and not self._stops(word))
            if modifier or self._gazetteer.is_noun(text, at):
                nouns += not modifier
                body.append(at)
                at += 1
                continue
            if (self._stops(word) and word not in lexicon.THINGS) or word[0].isdigit() or word in DETERMINERS:
                break
            compound = word in lexicon.COMPOUNDED and (
                text[at + 1 : at + 2] == [] or text[at + 1] in self._verbs or self._stops(text[at + 1])
            )
            if nouns and (word in self._verbs or word in _AFTER_NOUNS) and not compound:
                break
            if word in lexicon.THINGS and (lead.end > lead.first or body):
                body.append(at)
                more = at + 1 < len(text) and text[at + 1] in lexicon.THINGS  # "cleaning stuff items"
                return (body, at + 1) if not more else ([*body, at + 1], at + 2)
            nouns += word not in self._known
            body.append(at)
            at += 1
        return body, at

    def _analysed(self, text: Sequence[str], lead: Determiner, body: list[int], end: int) -> Noun | None:
        order, count, rest = self._ordered(text, lead, body)
        words = tuple(text[index] for index in rest)
        if not words:
            if not order or order in _SIDES:
                return None
            counted: QuantityName = "exactly" if count else lead.quantity
            count = count or lead.count
            return Noun(
                Description("", lead.first, end, order=order, quantity=counted, count=count, pronoun="one"), lead.first, end, headless=True
            )
        inner = tuple(word for word in words[:-1] if word.endswith("'s"))
        head = self._heads(tuple(word for word in words if word not in inner), (*lead.owners, *inner))
        if words[0] in lexicon.SIDES and len(words) == 1 and not head.candidates and text[end : end + 1] != ["of"]:
            return None  # a direction: "to the left"
        quantity, excluded = quantity_of(lead, head, count)
        places = (Description(word, lead.first, end, head=word, candidates=candidates) for word, candidates in head.places)
        described = Description(
            " ".join(text[lead.first : end]),
            lead.first,
            end,
            head=head.noun,
            attributes=head.attributes,
            relations=tuple(Relation("in", (place,)) for place in places),
            order=order,
            quantity=quantity,
            count=count or lead.count,
            purpose=head.purpose,
            excluded=excluded,
            pronoun=head.pronoun,
            candidates=head.candidates,
            unknown=(*head.unknown, *lexicon.FRACTIONS.intersection(text[lead.first : lead.first + (lead.end > lead.first)])),
        )
        apart = set(body) - set(rest) if order and not head.headless and head.pronoun != "one" else set[int]()
        apart = {at for at in apart if not text[at].isdigit()} | idle_words(text, lead, rest, head.noun)
        return Noun(described, lead.first, end, head.kind, head.plural, head.headless, frozenset(apart))

    def _ordered(self, text: Sequence[str], lead: Determiner, body: list[int]) -> tuple[str, int, list[int]]:
        """The order ("biggest"), a number ("the two biggest"), and the indices of the other words."""
        order, count, rest = "", 0, list(body)
        bare = body and lead.end == lead.first and text[body[0]].endswith(("est", "most"))
        while rest and (lead.definite or count or order or bare):
            word = text[rest[0]]
            name = self.name(text, rest[0])
            if word.isdigit() and len(word) < 7:
                count = int(word)
            elif name <= 1 and word in lexicon.ORDINALS:
                order = order or lexicon.ORDINALS[word]
            elif name <= 1 and word in lexicon.SUPERLATIVES and not (len(rest) == 1 and word in lexicon.SIDES):
                order = lexicon.SUPERLATIVES[word]
            elif word == "most" and len(rest) > 2:
                order = f"most {text[rest[1]]}"
                rest.pop(0)
            elif word in {"hand", "most"} and order in _SIDES:
                pass
            elif name == 0 and superlative(word) and len(rest) > 1:
                order = word
            else:
                break
            rest.pop(0)
        return order, count, rest
