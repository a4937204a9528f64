"""Phrases for visible things, from the domain's names, categories and colours, and the things that each phrase fits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sayso.domain.model import Domain
from sayso.grounding.phrase import Vocabulary, content_words

NOUN_ALONE, WITH_COLOR = 0.55, 0.35  # shares of the phrases for present things; the rest are like "red thing"
NONSENSE = "zorb"  # stands for all unknown nouns, which must not be found


class Words(BaseModel):
    """Words of the training phrases besides the domain's own: `words` of grounder.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    colors: dict[str, tuple[str, ...]]  # colour → other names
    synonyms: dict[str, tuple[str, ...]]  # noun → other names
    anything: tuple[str, ...]  # nouns that fit everything: "thing"
    recolored: dict[str, tuple[str, ...]]  # object id → nouns that fit it in any other colour


@dataclass(frozen=True)
class Appearance:
    """The look of a thing: the object of the domain whose shape it has, and its colour."""

    object_id: str
    color: str


@dataclass(frozen=True)
class Phrase:
    """A noun with a colour, which may be ""."""

    color: str
    noun: str

    @property
    def text(self) -> str:
        """The words of the phrase."""
        return f"{self.color} {self.noun}".strip()


class PhraseBook:
    """The table of all training phrases, and the looks that each fits."""

    def __init__(self, domain: Domain, words: Words) -> None:
        self.domain = domain
        self.words = words
        self.object_ids = tuple(domain.objects)
        self.colors = tuple(dict.fromkeys([*words.colors, *(thing.attributes.get("color", "") for thing in domain.objects.values())]))

    @cached_property
    def looks(self) -> tuple[Appearance, ...]:
        """Every object of the domain in its own colour and in its allowed other colours."""
        own = [Appearance(object_id, self.own_color(object_id)) for object_id in self.object_ids]
        others = [Appearance(object_id, color) for object_id in self.object_ids for color in self.other_colors(object_id)]
        return tuple(dict.fromkeys([*own, *others]))

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """Every noun, alone and with every colour, also impossible ones: "blue banana" must not be found."""
        nouns = sorted({noun for look in self.looks for noun in self.nouns(look)} | {NONSENSE})
        names = [name for color in self.words.colors for name in self._color_names(color)]
        plain = [Phrase("", noun) for noun in nouns]
        return tuple(plain + [Phrase(name, noun) for name in names for noun in (*nouns, *self.words.anything)])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All words of the phrases except the nonsense noun."""
        return Vocabulary(tuple(sorted({word for phrase in self.phrases for word in content_words(phrase.text)} - {NONSENSE})))

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """(P, LENGTH) the word numbers of each phrase."""
        return np.stack([self.vocabulary.encode(phrase.text) for phrase in self.phrases])

    @cached_property
    def fits(self) -> NDArray[np.bool_]:
        """(looks, P) whether the phrase fits the look."""
        return np.array([[self._fits(phrase, look, self.nouns(look)) for phrase in self.phrases] for look in self.looks])

    def look_numbers(self, colors: NDArray[np.integer]) -> list[int]:
        """The index into `looks` of each object of the domain, given the index of its colour in `colors`."""
        return [self._numbers[Appearance(object_id, self.colors[color])] for object_id, color in zip(self.object_ids, colors, strict=True)]

    def nouns(self, look: Appearance) -> frozenset[str]:
        """The nouns that fit the look."""
        thing = self.domain.objects[look.object_id]
        if look.color == self.own_color(look.object_id):
            nouns = {self._without_colors(name) for name in thing.names or (look.object_id.replace("_", " "),)} | {thing.category}
        else:
            nouns = set(self.words.recolored[look.object_id])
        return frozenset(nouns | {synonym for noun in nouns for synonym in self.words.synonyms.get(noun, ())})

    def _fits(self, phrase: Phrase, look: Appearance, nouns: frozenset[str]) -> bool:
        named = phrase.noun in nouns or phrase.noun in self.words.anything
        return named and (not phrase.color or phrase.color in self._color_names(look.color))

    def _color_names(self, color: str) -> tuple[str, ...]:
        return (color, *self.words.colors.get(color, ()))

    def own_color(self, object_id: str) -> str:
        """The object's colour in the domain, empty without one."""
        return self.domain.objects[object_id].attributes.get("color", "")

    def other_colors(self, object_id: str) -> tuple[str, ...]:
        """The other allowed colours: none that another object of its category has, because a green coke would be a beer."""
        if object_id not in self.words.recolored:
            return ()
        category = self.domain.objects[object_id].category
        owned = {self.own_color(other) for other, thing in self.domain.objects.items() if thing.category == category}
        return tuple(color for color in self.words.colors if color not in owned)

    def _without_colors(self, name: str) -> str:
        words = content_words(name)
        return " ".join([word for word in words if word not in self.words.colors] or words)  # "orange" is a fruit too

    @cached_property
    def _numbers(self) -> dict[Appearance, int]:
        return {look: number for number, look in enumerate(self.looks)}


class PhraseSampler:
    """Draws phrases for present and for absent things."""

    def __init__(self, book: PhraseBook) -> None:
        self.fits = book.fits
        phrases = book.phrases
        colored = np.array([bool(phrase.color) for phrase in phrases])
        anything = np.array([phrase.noun in book.words.anything for phrase in phrases])
        # The phrases that fit each look, in three groups: nouns alone, nouns with a colour, and "thing" with a colour.
        # Colours are easier to learn than shapes.
        self._of_look = [[np.flatnonzero(row & which) for which in (~colored, colored & ~anything, anything)] for row in book.fits]
        self._same_noun = _groups([phrase.noun for phrase in phrases])
        self._same_color = _groups([phrase.color for phrase in phrases])

    def present(self, look: int, rng: np.random.Generator) -> int:
        """A phrase that fits the look: most often a noun, then a noun with its colour, then "thing" with its colour."""
        nouns, named, anything = self._of_look[look]
        chance = rng.random()
        choices = nouns if chance < NOUN_ALONE or not len(named) else named if chance < NOUN_ALONE + WITH_COLOR else anything
        return int(choices[rng.integers(len(choices))])

    def absent(self, looks: list[int], rng: np.random.Generator) -> int:
        """A phrase that fits none of the looks; three in five are near misses: the right noun in a wrong colour, or the reverse."""
        while True:
            phrase = int(rng.integers(self.fits.shape[1]))
            if looks and rng.random() < 0.6:
                near = self.present(looks[rng.integers(len(looks))], rng)
                alike = (self._same_noun if rng.random() < 0.5 else self._same_color)[near]
                phrase = int(alike[rng.integers(len(alike))])
            elif rng.random() < 0.5:
                phrase = self.present(int(rng.integers(len(self._of_look))), rng)
            if not self.fits[looks, phrase].any():
                return phrase


def _groups(keys: list[str]) -> list[NDArray[np.int64]]:
    """For each phrase, all phrases with the same key."""
    members: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        members.setdefault(key, []).append(number)
    arrays = {key: np.array(numbers) for key, numbers in members.items()}
    return [arrays[key] for key in keys]
