"""Names → entities: by exact name, by category and attributes ("the red mug"), or by fuzzy match (rapidfuzz, cut-off 85)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz, process

from sayso.domain import Domain
from sayso.domain.model import Entity
from sayso.intent.grammar import DETERMINERS, PERSON_PRONOUNS, SPEAKER, word_set
from sayso.intent.normalise import normalise

CUT_OFF = 85.0  # F1 .91 on human commands; lower cut-offs link wrong entities
FUZZY_LETTERS = 5  # shorter names must match exactly: "pain" is not "pan"
SINGULAR, COMPOSED, STRANGE = 0.98, 0.95, 0.1  # score of a plural; of category and attributes; penalty per unknown word
# A colour that an object does not have rules it out; so does any other attribute value of the domain.
CONTRASTS = word_set("red green blue yellow white black orange pink purple brown gray grey silver golden")
ANOTHER_WORD = 0.86  # score at most of a word of the language for a name that is spelt alike
ANYTHING = frozenset(("one", "thing", "object", "item", "stuff"))
# Nouns that are auxiliaries as well, the words before them that make them nouns, and those after them that make them verbs again.
_HOMONYMS = word_set("can cans")
_BEFORE_NOUN = word_set("the a an my your his our their no single last first second third fourth fifth other whole empty full small big")
_COMPARED = word_set("closest nearest closer nearer")  # no misspelt names: "closet"
_SUBJECTS = word_set("i you we he she they it")
_NO_NAMES = SPEAKER | PERSON_PRONOUNS | word_set("you")  # by which a home file says who speaks


@dataclass(frozen=True, slots=True)
class EntityLink:
    """An entity that a phrase may mean."""

    entity: str
    kind: str  # "place", "object" or "person"
    score: float  # in [0, 1]


@dataclass(frozen=True, slots=True)
class _Name:
    words: tuple[str, ...]
    singular: tuple[str, ...]
    entity: str
    kind: str


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """The singular of a regular plural, by its ending: "cups" → "cup", "dishes" → "dish"."""
    if len(word) < 4 or word.endswith("ss") or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes")) else word[:-1]


def _written_together(words: Sequence[str]) -> str:
    return singular("".join(words))


def _unsure(_word: str) -> bool:
    return False


class Gazetteer:
    """All names, categories and attributes of a domain."""

    def __init__(self, domain: Domain, is_word: Callable[[str], bool] = _unsure) -> None:
        """Of that home; `is_word` tells words of the language, which are hardly misspelt names: "garbage" is not the garage."""
        self._is_word = is_word
        self._names: list[_Name] = []
        self._heads: dict[str, dict[str, set[str]]] = {}  # head noun of a name or category → entity → its possible modifiers
        self._kinds: dict[str, str] = {}
        self._attributes: dict[str, frozenset[str]] = {}
        for kind, entities in (("place", domain.places), ("object", domain.objects), ("person", domain.people)):
            for entity_id, entity in entities.items():
                self._add(entity_id, kind, entity)
                if getattr(entity, "kind", "") == "room":
                    self._add_head(entity_id, ["room"])
        for thing_id, thing in domain.objects.items():
            values = (word for value in thing.attributes.values() for word in normalise(value).split())
            self._attributes[thing_id] = frozenset(values)
            self._add_head(thing_id, normalise(thing.category).split())
        self._contrasts = CONTRASTS.union(*self._attributes.values()) if self._attributes else CONTRASTS
        self._texts = [" ".join(name.words) for name in self._names]
        self.longest = max((len(name.words) for name in self._names), default=1)
        # The similarity of two texts is at most 2 · shorter / (shorter + longer), so phrases beyond this length match no name.
        self._max_letters = max(map(len, self._texts), default=0) * (200 / CUT_OFF - 1)
        self._cached = lru_cache(maxsize=4096)(self._linked)  # the roles of several intents look up the same phrases
        self._exact: dict[tuple[str, ...], list[_Name]] = {}
        self._singular: dict[tuple[str, ...], list[_Name]] = {}
        self._together: dict[str, list[_Name]] = {}  # "night stand" is the nightstand, and the reverse
        for name in self._names:
            self._exact.setdefault(name.words, []).append(name)
            self._singular.setdefault(name.singular, []).append(name)
            self._together.setdefault(_written_together(name.words), []).append(name)

    def _add(self, entity_id: str, kind: str, entity: Entity) -> None:
        self._kinds[entity_id] = kind
        for name in dict.fromkeys((*entity.names, entity_id.replace("_", " "))):
            words = tuple(normalise(name).replace(",", "").split())
            if words and not _NO_NAMES.issuperset(words):
                self._names.append(_Name(words, tuple(map(singular, words)), entity_id, kind))
                self._add_head(entity_id, list(words))

    def _add_head(self, entity_id: str, words: list[str]) -> None:
        if len(words) == 3 and words[1] == "of":  # "loaf of bread": "the loaf"
            words = [words[2], words[0]]
        if words and len(words) <= 3 and not set(words) & {"of", "in"}:
            self._heads.setdefault(singular(words[-1]), {}).setdefault(entity_id, set()).update(words[:-1])

    def has_name(self, words: tuple[str, ...]) -> bool:
        """Whether exactly these words are the name of an entity."""
        return words in self._exact or tuple(map(singular, words)) in self._singular or self.is_split(words)

    def is_split(self, words: tuple[str, ...]) -> bool:
        """Whether the words are a name of the home that is written in one: "night stand", "tooth brushes"."""
        return len(words) > 1 and any(len(name.words) == 1 for name in self._together.get(_written_together(words), []))

    def is_noun(self, text: Sequence[str], at: int) -> bool:
        """Whether a word that is an auxiliary as well is a noun of the home there: "every single can", but not "what can you do"."""
        if text[at] not in _HOMONYMS or singular(text[at]) not in self._heads or not at:
            return False
        before, after = text[at - 1], text[at + 1] if at + 1 < len(text) else ""
        if before in _BEFORE_NOUN or before in self._contrasts or before.endswith(("est", "most", "'s")):
            return True
        return (before in DETERMINERS or before.isdigit()) and after not in _SUBJECTS

    def link(self, words: tuple[str, ...], kinds: frozenset[str], like: str = "") -> tuple[EntityLink, ...]:
        """All entities of these kinds that the words may mean, best first; ties in the domain's order.

        Args:
            words: the phrase, normalised; leading determiners are ignored.
            kinds: among "place", "object", "person".
            like: an entity mentioned before; "the red one" then means one like it.
        """
        return self._cached(words, kinds, like)

    def alike(self, entity: str) -> tuple[EntityLink, ...]:
        """All entities with the same head noun, including the given one: for a cup, all cups."""
        others = dict.fromkeys(other for things in self._heads.values() if entity in things for other in self._kinds if other in things)
        return tuple(EntityLink(other, self._kinds[other], COMPOSED) for other in others if self._kinds[other] == self._kinds[entity])

    def _linked(self, words: tuple[str, ...], kinds: frozenset[str], like: str) -> tuple[EntityLink, ...]:
        while len(words) > 1 and (words[0] in DETERMINERS or words[0].isdigit()):
            words = words[1:]
        found: dict[str, float] = {}
        for source in (self._by_name(words), self._composed(words, like), self._similar(words)):
            for entity, score in source:
                if self._kinds[entity] in kinds and score > found.get(entity, 0.0):
                    found[entity] = score
            if found and max(found.values()) >= CUT_OFF / 100:
                break
        order = sorted(found, key=lambda entity: -found[entity])
        return tuple(EntityLink(entity, self._kinds[entity], round(found[entity], 4)) for entity in order if found[entity] >= 0.5)

    def _by_name(self, words: tuple[str, ...]) -> Iterator[tuple[str, float]]:
        if words in self._exact:
            yield from ((name.entity, 1.0) for name in self._exact[words])
            return
        alike = self._singular.get(tuple(map(singular, words))) or self._together.get(_written_together(words), [])
        yield from ((name.entity, SINGULAR) for name in alike)

    def _composed(self, words: tuple[str, ...], like: str) -> Iterator[tuple[str, float]]:
        head, before = singular(words[-1]), words[:-1]
        of_kind = {entity: named for entity, named in self._heads.get(head, {}).items() if before and before[-1] in named}
        if head in ANYTHING and of_kind:  # "cleaning stuff" is a category
            candidates = of_kind
        elif head in ANYTHING:
            alike = {other for things in self._heads.values() if like in things for other in things} if like else set(self._attributes)
            candidates = {entity: set[str]() for entity in self._attributes if entity in alike and before}
        else:
            candidates = self._heads.get(head, {})
        for entity, named in candidates.items():
            score = COMPOSED
            for word in before:
                if word in self._attributes.get(entity, ()) or word in named:
                    continue
                score -= 1.0 if word in self._contrasts or (head in ANYTHING and not of_kind) else STRANGE
            if score > 0:
                yield entity, score

    def _similar(self, words: tuple[str, ...]) -> Iterator[tuple[str, float]]:
        phrase = " ".join(words)
        if not FUZZY_LETTERS <= len(phrase) <= self._max_letters or _COMPARED.intersection(words):
            return
        for text, similarity, index in process.extract(phrase, self._texts, scorer=fuzz.ratio, score_cutoff=CUT_OFF, limit=None):
            name = self._names[index]
            contrasts = (set(words) & self._contrasts) - set(name.words) - self._attributes.get(name.entity, frozenset())
            if len(text) >= FUZZY_LETTERS and not contrasts:
                word = len(words) == 1 and self._is_word(phrase)
                yield name.entity, min(similarity / 100, ANOTHER_WORD if word else 1.0)
