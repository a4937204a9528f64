"""The fixed words of an intent: what its examples say outside their slots.

In "run the vacuum in the {room}", "run" and "vacuum" belong to the act: they never fill a role, and the act explains them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from sayso.domain import Domain
from sayso.domain.sentences import SLOT
from sayso.intent.by_intent import ByIntent
from sayso.intent.clauses import Word
from sayso.intent.gazetteer import Gazetteer, singular
from sayso.intent.grammar import DETERMINERS, FUNCTION_WORDS, PREPOSITIONS
from sayso.intent.mentions import EVERY_KIND, Mention
from sayso.intent.normalise import normalise
from sayso.intent.slot_frames import SlotFrames, slot_frames

_CLOSED = FUNCTION_WORDS | DETERMINERS | {word for preposition in PREPOSITIONS for word in preposition.split()}
OFTEN = 0.1  # share of the examples with a word that fills no role: in one of 34 for go_to, "room" may be the goal
_VOWELS = frozenset("aeiou")
_ENDINGS = ("ing", "ed")
_SHORTEST = 3  # letters of a stem; "bed" and "ring" have no ending


def fixed_words(domain: Domain) -> Mapping[str, frozenset[str]]:
    """The content words of each intent's examples outside the slots, as said, and the verbs that tell its actions apart."""
    return ByIntent(domain, lambda spec: fixed_in(spec.wordings).union(*spec.verbs.values()))


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The word without its regular ending: "plants" → "plant", "mopped" and "mopping" → "mop", "vacuuming" → "vacuum"."""
    word = singular(word)
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= _SHORTEST and _VOWELS & set(base):
            doubled = base[-1] == base[-2] and base[-1] not in "lsz"
            return base[:-1] if doubled else base
    return word.removesuffix("e") if len(word) > _SHORTEST else word


class FixedWords:
    """Tells which words of a clause the act explains, and which part of a mention can fill a role."""

    def __init__(self, domain: Domain, gazetteer: Gazetteer) -> None:
        self._domain = domain
        self._gazetteer = gazetteer
        self.frames: Mapping[str, SlotFrames] = slot_frames(domain)
        self._expletive = ByIntent(domain, lambda spec: any(map(_is_about_it, spec.wordings)))
        self._stems = ByIntent(domain, lambda spec: frozenset(map(stem, fixed_in(spec.wordings).union(*spec.verbs.values()))))
        self._often = ByIntent(domain, lambda spec: _often(spec.wordings))

    def prepare(self) -> None:
        """Compute now what the first clause of each intent would need."""
        for intent in self._domain.intents:
            _ = self.frames[intent], self._expletive[intent], self._stems[intent], self._often[intent]

    def explain(self, intent: str, word: str) -> bool:
        """Whether the word belongs to the act, in whatever form."""
        return stem(word) in self._stems[intent]

    def beyond(self, intent: str, mentions: Sequence[Mention], start: int = 0) -> list[Mention]:
        """The mentions without what the act explains: "the plants" is left out, "the lobby carpet" becomes "the lobby".

        Args:
            intent: of the clause.
            mentions: of the clause.
            start: first character of the clause; an "it" there is left out if an example begins with it: "it smells in the {room}".
        """
        return [rest for mention in mentions if (rest := self._rest(intent, mention, start)) is not None]

    def _rest(self, intent: str, mention: Mention, start: int) -> Mention | None:
        if mention.pronoun:
            return None if mention.words[0].start == start and mention.text == ("it",) and self._expletive[intent] else mention
        kinds = frozenset(kind for role in self._domain.intents[intent].roles.values() for kind in role.kinds)
        if "words" in kinds:
            return mention
        content = [word for at, word in enumerate(mention.words) if any(text not in DETERMINERS for text in mention.text[: at + 1])]
        if not content:
            return mention
        words = list(content)
        for at in (-1, 0):  # "the lobby carpet" ends with a fixed word, "the scanner code" begins with one
            while words and stem(words[at].text) in self._often[intent] and not self._named(words, kinds):
                words.pop(at)
        if not words:
            return mention if self._placed(intent, mention.preposition, content) else None
        for core in (words, [*words[:-1], _owner(words[-1])]):
            if core != content and self._named(core, kinds):
                article = mention.words[: -len(content)] if words[0] is content[0] else ()
                return replace(mention, words=(*article, *core))
        return mention

    def _placed(self, intent: str, preposition: str, words: Sequence[Word]) -> bool:
        """Whether the words stand where the examples have a slot and not these words: "leave the room and go to the {place}"."""
        frames = self.frames[intent]
        of_act = {stem(noun) for before, noun in frames.nouns if before == preposition}
        return bool(frames.marked_by(preposition)) and stem(words[-1].text) not in of_act

    def _named(self, words: Sequence[Word], kinds: Collection[str]) -> bool:
        """Whether the phrase is a name that can fill a role, or the category of an object; "floor" is not the sales floor."""
        phrase = tuple(word.text for word in words)
        if self._gazetteer.has_name(phrase):
            return bool(self._gazetteer.link(phrase, EVERY_KIND & frozenset(kinds)))
        return "object" in kinds and bool(self._gazetteer.link(phrase, frozenset(("object",))))


def _owner(word: Word) -> Word:
    """The word without "'s": "theo's" of "theo's temperature"."""
    return Word(word.text[:-2], word.start, word.end - 2) if word.text.endswith("'s") else word


def _is_about_it(example: str) -> bool:
    return normalise(example).split()[:1] in (["it"], ["it's"])


def _often(examples: Sequence[str]) -> frozenset[str]:
    """The stems in at least OFTEN of the examples."""
    counts = Counter(word for example in examples for word in set(map(stem, fixed_in((example,)))))
    return frozenset(word for word, count in counts.items() if count >= OFTEN * len(examples))


def fixed_in(examples: Sequence[str]) -> frozenset[str]:
    """The content words of these sentences outside slots."""
    return frozenset().union(*map(_fixed_in, examples))


@lru_cache(maxsize=8192)
def _fixed_in(example: str) -> frozenset[str]:
    words = (word for piece in SLOT.sub("\n", example).split("\n") for word in normalise(piece).replace(",", " ").split())
    return frozenset(word for word in words if word not in _CLOSED and not word.isdigit())
