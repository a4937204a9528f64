"""The noun phrases and pronouns of a clause, each with its preposition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sayso.intent.clauses import Word
from sayso.intent.gazetteer import Gazetteer
from sayso.intent.grammar import (
    DETERMINERS,
    FUNCTION_WORDS,
    INFINITIVES,
    PERSON_PRONOUNS,
    PREPOSITIONS,
    SPEAKER,
    THING_PRONOUNS,
    after_lead_in,
)

EVERY_KIND = frozenset(("place", "object", "person"))
PARTICLES = frozenset(("on", "off", "out"))  # after a verb, part of it: "turn off the lamp"
GREETINGS = frozenset(("good", "happy", "goodbye", "goodnight", "farewell", "welcome"))  # "wish her good night"
_LONGEST_PREPOSITION = max(len(preposition.split()) for preposition in PREPOSITIONS)


@dataclass(frozen=True, slots=True)
class Mention:
    """A phrase that refers to an entity."""

    words: tuple[Word, ...]  # including its determiner
    preposition: str = ""  # its class in grammar.PREPOSITIONS, empty for none
    pronoun: str = ""  # "thing", "person", "speaker" or "there"; empty for a noun phrase
    joined: bool = False  # "… and the milk": has the role of the previous mention

    @property
    def text(self) -> tuple[str, ...]:
        """The words as strings."""
        return tuple(word.text for word in self.words)


class MentionFinder:
    """Splits a clause into phrases at its function words, but never inside a name."""

    def __init__(self, verbs: frozenset[str], gazetteer: Gazetteer) -> None:
        self._verbs = verbs
        self._gazetteer = gazetteer

    def __call__(self, words: tuple[Word, ...]) -> tuple[Mention, ...]:
        """All mentions of the clause, in order."""
        return tuple(self._mentions(words))

    def _mentions(self, words: tuple[Word, ...]) -> Iterator[Mention]:
        text = [word.text for word in words]
        at, preposition, joined, before = self._predicate_end(text), "", False, False
        if 0 < at < len(text) and text[at] in PARTICLES and text[at - 1] in self._verbs:
            at += 1
        while at < len(text):
            length = self._preposition(text, at)
            if text[at] == "to" and text[at + 1 : at + 2] and text[at + 1] in INFINITIVES | self._verbs and not self._name(text, at + 1):
                at += 2
                continue
            if length and not self._name(text, at):
                preposition, joined = PREPOSITIONS[" ".join(text[at : at + length])], False
                at += length
                continue
            pronoun = _pronoun(text, at, preposition)
            end = at + 1 if pronoun else self._phrase_end(text, at)
            if end > at:
                phrase = words[at:end]
                if pronoun or any(word.text not in DETERMINERS for word in phrase):
                    if pronoun:
                        yield Mention(phrase, preposition, pronoun, joined)
                    else:
                        yield from self._parts(phrase, preposition, joined)
                    preposition, joined, before = "", False, True
                at = end
                continue
            joined = before and text[at] in {"and", ",", "or"}
            if text[at] not in {"and", ",", "or", "the", "please", "not"}:
                preposition = ""
            at += 1

    def _predicate_end(self, text: list[str]) -> int:
        """Index after the lead-in and the verbs: "could you go and get" in "could you go and get the cup"."""
        at = after_lead_in(text)
        while at + 1 < len(text) and text[at] in {"no", "don't", "do", "not", "never"}:
            at += 1
        while at < len(text) and (text[at] in self._verbs or (text[at] == "and" and at and text[at - 1] in self._verbs)):
            if self._name(text, at) > 1 or (at and self._name(text, at) and text[at - 1] in self._verbs):
                break
            at += 1
        return at

    def _preposition(self, text: list[str], at: int) -> int:
        """Number of words of the preposition at that index, 0 for none."""
        sizes = range(min(_LONGEST_PREPOSITION, len(text) - at), 0, -1)
        return next((n for n in sizes if " ".join(text[at : at + n]) in PREPOSITIONS), 0)

    def _name(self, text: list[str], at: int) -> int:
        """Number of words of the longest name that begins at that index, 0 for none."""
        longest = min(self._gazetteer.longest, len(text) - at)
        return next((n for n in range(longest, 0, -1) if self._gazetteer.has_name(tuple(text[at : at + n]))), 0)

    def _phrase_end(self, text: list[str], at: int) -> int:
        start = at
        while at < len(text) and text[at] in DETERMINERS and not self._name(text, at):
            at += 1
        head = at
        while at < len(text):
            name = self._name(text, at)
            if name:
                at += name
            elif self._gazetteer.is_noun(text, at):
                at += 1
            elif text[at] in FUNCTION_WORDS or text[at] in PREPOSITIONS or (at > head and text[at] in DETERMINERS):
                break
            elif start == head and text[at] in self._verbs and at > self._predicate_end(text):
                break  # "where did i put …": a verb without an article is not a noun
            else:
                at += 1
        return at if at > head or (at > start and head == len(text) and text[start] in THING_PRONOUNS) else start

    def _parts(self, phrase: tuple[Word, ...], preposition: str, joined: bool) -> Iterator[Mention]:
        """The whole phrase if it links to an entity, else its longest part that does: "anna needs", "the cup you see"."""
        text = tuple(word.text for word in phrase)
        if self._gazetteer.link(text, EVERY_KIND) or len(text) == 1:
            yield Mention(phrase, preposition, "", joined)
            return
        for size in range(len(text) - 1, 0, -1):
            for start in range(len(text) - size + 1):
                part = text[start : start + size]
                if part[-1] not in DETERMINERS and self._gazetteer.link(part, EVERY_KIND):
                    # "anna the cup" is two phrases.
                    if start and text[0] not in DETERMINERS and text[start] in DETERMINERS:
                        yield from self._parts(phrase[:start], preposition, joined)
                        preposition = ""
                    elif start and self._contradicted(text[:start]):
                        break
                    yield Mention(phrase[start : start + size], preposition, "", joined)
                    return
        yield Mention(phrase, preposition, "", joined)

    def _contradicted(self, before: tuple[str, ...]) -> bool:
        """Whether words before a name change its meaning: "green cup" must not become "cup" if no cup is green."""
        return not set(before) & self._verbs and not any(word.endswith("s") for word in before)


def _pronoun(text: list[str], at: int, preposition: str) -> str:
    word = text[at]
    after = text[at + 1] if at + 1 < len(text) else ""
    if word in SPEAKER:
        return "" if word == "i" else "speaker"
    if word == "there":
        spare = after in {"is", "are", "was", "were"} or after in PREPOSITIONS or text[at - 1 : at] in (["is"], ["are"])
        return "" if spare else "there"
    if word in {"it", "them"}:
        return "thing"
    if word in {"this", "that", "these", "those"} and (not after or after in FUNCTION_WORDS | PREPOSITIONS.keys()):
        following = after in {"is", "are", "was"} or (bool(after) and after in {"i", "he", "she", "they", "you", "we"})
        return "" if following or (at and text[at - 1] not in PREPOSITIONS and preposition == "" and not _after_verb(text, at)) else "thing"
    if word in PERSON_PRONOUNS and word not in {"he", "she", "they"}:
        free = FUNCTION_WORDS | PREPOSITIONS.keys() | DETERMINERS | GREETINGS
        return "person" if not (word == "her" and after and after not in free) else ""
    return ""


def _after_verb(text: list[str], at: int) -> bool:
    return text[at - 1] not in FUNCTION_WORDS and at <= 2
