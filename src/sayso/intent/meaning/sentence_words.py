"""The words of a sentence with the names of a home."""

from __future__ import annotations

from dataclasses import dataclass, field

from sayso.intent.clauses import Word
from sayso.intent.gazetteer import Gazetteer, singular
from sayso.intent.grammar import (
    AUXILIARIES,
    DETERMINERS,
    PERSON_PRONOUNS,
    SPEAKER,
    THING_PRONOUNS,
    word_set,
)
from sayso.intent.meaning.lists import named, pairs, tables
from sayso.intent.mentions import EVERY_KIND
from sayso.representation import Description, Relation, RelationName

LINKS = frozenset(("then", "afterwards", "after that", "and", ",", "but", "or", "so", "before that", "plus"))
SUBJECTS = word_set(
    "i you he she it they we someone somebody anyone anybody everyone everybody nobody there that this people guests kids children"
)
_JOINS = tables("joins.yaml")
IRREGULAR = pairs(_JOINS["irregular"])
EVENTS = frozenset(_JOINS["events"].split())
_RELATIONS = named(_JOINS["relations"])


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What is known of a home."""

    gazetteer: Gazetteer
    verbs: frozenset[str]  # that begin commands


@dataclass(frozen=True, slots=True)
class Reading:
    """The words of a sentence with the home's lexicon."""

    words: tuple[Word, ...]
    lexicon: Lexicon
    text: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", tuple(word.text for word in self.words))

    def __len__(self) -> int:
        return len(self.text)

    def word(self, at: int) -> str:
        """The word at that index, empty outside of the sentence."""
        return self.text[at] if 0 <= at < len(self.text) else ""

    def said(self, start: int, end: int) -> str:
        """The words [start, end) as text."""
        return " ".join(self.text[start:end])

    def description(self, start: int, end: int) -> Description:
        """A minimal description of the noun phrase [start, end)."""
        while end - 1 > start and self.text[start] in LINKS:
            start += 1
        text = self.text[start:end]
        span = (self.words[start].start, self.words[end - 1].end)
        if len(text) == 1 and text[0] in SUBJECTS | PERSON_PRONOUNS | THING_PRONOUNS | SPEAKER:
            return Description(" ".join(text), *span, pronoun=text[0])
        links = self.lexicon.gazetteer.link(text, EVERY_KIND)
        attributes = tuple(word for word in text[:-1] if word not in DETERMINERS)
        found = tuple((link.entity, link.score) for link in links)
        return Description(" ".join(text), *span, head=singular(text[-1]), attributes=attributes, candidates=found)

    def relation(self, start: int, end: int) -> Relation | None:
        """The relation that [start, end) begins with, "in the bedroom"; None if it begins with no preposition."""
        length, name = _RELATIONS.at(self.text, start, end)
        if not length or start + length >= end:
            return None
        return Relation(_relation_name(name), self.landmarks(start + length, end, split=name == "between"))

    def landmarks(self, start: int, end: int, *, split: bool) -> tuple[Description, ...]:
        """The noun phrase [start, end); two of them where "and" parts them and `split` is set."""
        start += self.text[start] in SPEAKER and start + 1 < end
        if split and "and" in self.text[start + 1 : end - 1]:
            middle = self.text.index("and", start + 1, end - 1)
            return (self.description(start, middle), self.description(middle + 1, end))
        return (self.description(start, end),)


def lemma(word: str) -> str:
    """The base form of a verb, by list and ending: "comes" → "come", "charging" → "charge"."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word in EVENTS:
        return word
    for ending, replacement in (("ies", "y"), ("es", ""), ("es", "e"), ("s", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e")):
        if word.endswith(ending) and len(word) - len(ending) + len(replacement) > 1:
            stem = word[: -len(ending)] + replacement
            if stem in EVENTS:
                return stem
    return word


def third_person(word: str, verbs: frozenset[str]) -> str:
    """The verb of which the word is the third person or past, empty for none: "rings" → "ring"."""
    base = lemma(word)
    if base != word and base in EVENTS and not word.endswith("ing"):
        return base
    if word.endswith("s") and not word.endswith("ss") and singular(word) in verbs and word not in AUXILIARIES:
        return singular(word)
    return ""


def _relation_name(name: str) -> RelationName:
    return name  # type: ignore[return-value]  # the keys of joins.yaml are these names; a test compares them
