"""Sentences made from the example templates of a domain's intents: the material of the language model and the classifiers.

The slots of a template:

| slot | stands for | as said |
|---|---|---|
| {object} | a name or category of an object | "the red cup", "a cup"; no second article; "cups" after "how many" or {number} |
| {category} | a category of objects | "the cup" |
| {place}, {room}, {furniture}, {spot}, {surface} | a name of such a place | "the kitchen" |
| {person} | a name of a person; the speaker is "me" | "anna" |
| {number} | a number that suits the word after it | "two" (meters), "ninety" (degrees) |
| {direction} | one of DIRECTIONS | "left" |
| {size}, any role with values | one of the values of that role | "small"; "a" before it becomes "an" where it must |

A slot can be tied to a role, {object:theme}: `Slot.role` holds it, the sentence is the same.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from sayso.domain.model import Domain, Entity
from sayso.domain.numbers import number_words
from sayso.errors import DomainError

DIRECTIONS = ("forward", "forwards", "backward", "backwards", "back", "left", "right", "around", "up", "down")
LINKS = ("and", "and", "and", "and then", "then")  # between the clauses of a command; frequent ones are repeated
SLOTS = ("object", "category", "place", "room", "furniture", "spot", "surface", "person", "number", "direction")
SLOT = re.compile(r"\{(?P<slot>[a-z_]+)(?::(?P<role>[a-z_]+))?\}")

_NUMBERS = {  # the word after {number} → the numbers said with it
    "meter": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20),
    "centimeter": (5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90, 100),
    "step": (1, 2, 3, 4, 5, 6, 8, 10),
    "degree": (5, 10, 15, 20, 30, 35, 40, 45, 50, 60, 70, 75, 80, 90, 100, 120, 135, 150, 180, 270, 360),
    "second": (1, 2, 3, 4, 5, 8, 10, 12, 15, 20, 25, 30, 40, 45, 50, 60, 90),
    "minute": (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 45, 60),
    "": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30),
}
_SPELLINGS = {"metre": "meter", "centimetre": "centimeter", "feet": "step", "foot": "step", "pace": "step"}
_ARTICLES = ("the", "the", "the", "the", "the", "the", "the", "a", "my", "")  # frequent ones are repeated
_DETERMINERS = frozenset(
    (
        *("the", "a", "an", "my", "your", "his", "her", "our", "their", "this", "that", "these", "those", "some", "any", "another"),
        *("no", "which", "what", "each", "every", "all", "both", "how", "many", "more"),
    )
)


@dataclass(frozen=True, slots=True)
class Slot:
    """The words that fill a slot."""

    name: str  # "object", "place", …
    text: str  # as said, with its article
    start: int  # first character in Sentence.text
    end: int  # one past the last
    entity: str = ""  # id; empty for a category, a number or a direction
    value: float = float("nan")  # of a number
    role: str = ""  # that the template ties it to; mostly none


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that people may say, and its meaning."""

    intent: str  # of its first clause; empty for chatter
    text: str  # lower case, no punctuation
    slots: tuple[Slot, ...] = ()
    template: str = ""
    clauses: tuple[Sentence, ...] = ()  # of a command with several, in order; their spans count in their own text


@dataclass(frozen=True, slots=True)
class _Filling:
    """One way to fill a slot."""

    text: str
    entity: str = ""
    value: float = float("nan")


def sentences(domain: Domain, per_template: int, seed: int = 0, *, paraphrases: bool = False) -> Iterator[Sentence]:
    """At most `per_template` different sentences of every example of every intent; with `paraphrases`, of those too.

    The fillings of a slot are dealt like cards: each is used before one is used again. With `per_template` at least the number
    of names, every name occurs in every template. The same seed gives the same sentences, and the sentences of one template do
    not depend on the other templates. A template whose slot nothing in the home can fill gives none.

    Raises:
        DomainError: a template has a slot of an unknown name.
    """
    for intent, spec in domain.intents.items():
        for template in spec.wordings if paraphrases else spec.examples:
            yield from expanded(domain, intent, template, per_template, random.Random(f"{seed} {intent} {template}"))


def chatter(domain: Domain, per_template: int, seed: int = 0) -> Iterator[Sentence]:
    """The domain's sentences that are not commands, with their slots filled; their intent is empty."""
    for template in domain.chatter:
        yield from expanded(domain, "", template, per_template, random.Random(f"{seed} chatter {template}"))


def commands(domain: Domain, number: int, seed: int = 0) -> Iterator[Sentence]:
    """`number` commands of two clauses, sometimes three, where the later ones may say "it" and "there"."""
    chance = random.Random(f"{seed} commands")
    by_intent: dict[str, list[Sentence]] = {}
    for sentence in sentences(domain, per_template=20, seed=seed):
        by_intent.setdefault(sentence.intent, []).append(sentence)
    intents = list(by_intent)
    weights = [domain.intents[intent].prior for intent in intents]
    for _ in range(number):
        count = 3 if chance.random() < 0.15 else 2
        clauses = [chance.choice(by_intent[intent]) for intent in chance.choices(intents, weights, k=count)]
        for index in range(1, count):
            clauses[index] = _refer_back(clauses[index], clauses[index - 1], chance)
        text = clauses[0].text
        for clause in clauses[1:]:
            text += f" {chance.choice(LINKS)} {clause.text}"
        yield Sentence(clauses[0].intent, text, clauses=tuple(clauses))


def expanded(domain: Domain, intent: str, template: str, limit: int, chance: random.Random) -> Iterator[Sentence]:
    """At most `limit` different sentences of a template."""
    marks = list(SLOT.finditer(template))
    home = _Same(domain)
    ways = [_fillings(home, mark["slot"], _unit_in(mark["slot"], template[mark.end() :]), intent) for mark in marks]
    if not all(ways):
        return
    decks = [_Deck(fillings, chance) for fillings in ways]
    seen: set[str] = set()
    for _ in range(limit if marks else 1):
        sentence = _fill(intent, template, [deck.draw() for deck in decks], chance if domain.language == "en" else None)
        if sentence.text not in seen:
            seen.add(sentence.text)
            yield sentence


class _Deck:
    """Deals every filling once, then shuffles again."""

    def __init__(self, fillings: tuple[_Filling, ...], chance: random.Random) -> None:
        self._fillings, self._chance = fillings, chance
        self._left: list[_Filling] = []

    def draw(self) -> _Filling:
        if not self._left:
            self._left = self._chance.sample(self._fillings, len(self._fillings))
        return self._left.pop()


def _fill(intent: str, template: str, fillings: list[_Filling], chance: random.Random | None) -> Sentence:
    """The sentence; `chance` chooses English articles, without it the template has the articles."""
    text, slots, at, single = "", [], 0, False
    for mark, filling in zip(SLOT.finditer(template), fillings, strict=True):
        text += _singular(template[at : mark.start()]) if single else template[at : mark.start()]
        said = _as_said(mark["slot"], filling, text, chance) if chance is not None else filling.text
        if chance is not None and mark["slot"] not in SLOTS and said[0] in "aeiou" and f" {text}".endswith(" a "):
            text = f"{text[:-1]}n "  # "a small coffee", "an eight ounce coffee"
        slots.append(Slot(mark["slot"], said, len(text), len(text) + len(said), filling.entity, filling.value, mark["role"] or ""))
        text, at = text + said, mark.end()
        single = filling.value == 1
    text += _singular(template[at:]) if single else template[at:]
    return Sentence(intent, text, tuple(slots), template)


def _as_said(slot: str, filling: _Filling, before: str, chance: random.Random) -> str:
    """The filling, with the article or the plural that suits the words before it."""
    words = before.split()
    last = words[-1] if words else ""
    if slot not in {"object", "category", "place", "room", "furniture", "spot", "surface"}:
        return filling.text
    if last == "many" or (slot in {"object", "category"} and last in _SPOKEN_NUMBERS):
        return _plural(filling.text)
    if last in _DETERMINERS or filling.text.startswith(("the ", "my ")):
        return filling.text
    article = chance.choice(_ARTICLES)
    if article == "a" and (slot not in {"object", "category"} or filling.text.endswith("s")):
        article = "the"
    if article == "a" and filling.text[0] in "aeiou":
        article = "an"
    return f"{article} {filling.text}".strip()


@lru_cache(maxsize=4096)
def _plural(name: str) -> str:
    if name.endswith(("ss", "sh", "ch", "x")):
        return name + "es"
    if name.endswith("s"):
        return name
    return name[:-1] + "ies" if name.endswith("y") and name[-2:-1] not in "aeiou" else name + "s"


def _singular(after: str) -> str:
    """The words after "one", their first without its plural: " meters to the left" → " meter to the left"."""
    return re.sub(r"^(\s*)(meter|metre|centimeter|centimetre|step|pace|degree|second|minute|hour)s\b", r"\1\2", after)


_SPOKEN_NUMBERS = frozenset(number_words(value).split()[-1] for value in range(2, 100))


class _Same:
    """A domain as the key of a cache, which tells domains apart by their identity: their content has no hash."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain

    def __hash__(self) -> int:
        return id(self.domain)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.domain is self.domain


def _unit_in(slot: str, after: str) -> str:
    """The unit of a number, from the words after its slot."""
    return after.split(maxsplit=1)[0].rstrip("s") if slot == "number" and after.strip() else ""


@lru_cache(maxsize=256)  # commands of several clauses ask for the same ones ten thousands of times
def _fillings(home: _Same, slot: str, unit: str, intent: str) -> tuple[_Filling, ...]:
    domain = home.domain
    if listed := values_of(domain, intent, slot):
        return tuple(_Filling(value) for value in listed)
    match slot:
        case "object":
            return (*_names(domain.objects), *_categories(domain))
        case "category":
            return _categories(domain)
        case "place":
            return _names(domain.places)
        case "room" | "furniture" | "spot":
            return _names({key: place for key, place in domain.places.items() if place.kind == slot})
        case "surface":
            return _names({key: place for key, place in domain.places.items() if place.surface})
        case "person":
            others = {key: person for key, person in domain.people.items() if key != domain.speaker}
            return (_Filling("me", domain.speaker), *_names(others))
        case "number":
            values = _NUMBERS.get(_SPELLINGS.get(unit, unit), _NUMBERS[""])
            return tuple(_Filling(number_words(value), value=value) for value in values)
        case "direction":
            return tuple(_Filling(direction) for direction in DIRECTIONS)
    raise DomainError(f"intents.{intent}.examples: unknown slot '{{{slot}}}'; known: {', '.join(SLOTS)}")


def values_of(domain: Domain, intent: str, role: str) -> tuple[str, ...]:
    """The values of the intent's role of this name; empty if it has none."""
    spec = domain.intents.get(intent)
    return spec.roles[role].values if spec and role in spec.roles else ()


def _names(entities: Mapping[str, Entity]) -> tuple[_Filling, ...]:
    return tuple(_Filling(name, key) for key, entity in entities.items() for name in entity.known_as(key))


def _categories(domain: Domain) -> tuple[_Filling, ...]:
    """Categories that are not the name of an object: "cup" in a home with a red and a blue one."""
    named = {name for thing in domain.objects.values() for name in thing.names}
    categories = dict.fromkeys(thing.category for thing in domain.objects.values())
    return tuple(_Filling(category) for category in categories if category not in named)


def _refer_back(clause: Sentence, before: Sentence, chance: random.Random) -> Sentence:
    """The clause with its object as "it", or its place as "there", where the clause before names one."""
    named = {slot.name for slot in before.slots}
    for slot in clause.slots:
        lead_in = clause.text[: slot.start]
        if slot.name == "object" and named & {"object", "category"} and not lead_in.endswith(("many ", "what ", "which ", "the ")):
            pronoun, lead = "it", ""
        elif slot.name in {"place", "room"} and named & {"place", "room"} and lead_in.endswith(" to "):
            pronoun, lead = "there", "to "
        else:
            continue
        if chance.random() < 0.4:
            return _substitute(clause, slot, pronoun, lead)
    return clause


def _substitute(clause: Sentence, slot: Slot, pronoun: str, lead: str) -> Sentence:
    """The clause with a pronoun for the slot and for the words `lead` before it; the other spans are moved accordingly."""
    start = slot.start - len(lead)
    moved = start + len(pronoun) - slot.end
    slots = tuple(
        replace(other, start=other.start + moved, end=other.end + moved) if other.start > slot.start else other
        for other in clause.slots
        if other is not slot
    )
    return replace(clause, text=clause.text[:start] + pronoun + clause.text[slot.end :], slots=slots)
