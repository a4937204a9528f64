"""Phrases for visible things, from the domain's names, categories and colours, and the things that each phrase fits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from sayso.domain.model import Domain
from sayso.grounding.colors import difference
from sayso.grounding.phrase import THING, PhraseUnit, content_words

NOUN_ALONE, WITH_COLOR = 0.55, 0.35  # shares of the phrases for present things; the rest are like "red thing"
DOUBTFUL = 45.0  # ΔE to a shade below which people may or may not call it so: is the navy cup blue?
NONSENSE = "zorb"  # stands for all unknown nouns, which must not be found


class Words(BaseModel):
    """Words of the training phrases besides the domain's own: `words` of grounder.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    colors: dict[str, tuple[str, ...]]  # colour → other names
    shades: tuple[str, ...]  # colours of the training pictures alone
    synonyms: dict[str, tuple[str, ...]]  # noun → other names
    anything: tuple[str, ...]  # nouns that fit everything: "thing"
    recolored: dict[str, tuple[str, ...]]  # object id → nouns that fit it in any other colour
    strangers: tuple[str, ...]  # nouns of what no picture shows
    variants: tuple[str, ...]  # texts around a noun that do not change what it means: "old {}"


class HeldOutLooks(BaseModel):
    """What no training picture and no training phrase has, so that it can be examined: `held_out` of grounder.yaml."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    combinations: tuple[tuple[str, str], ...]  # (colour, category)
    colors: tuple[str, ...]
    kinds: tuple[str, ...]  # shapes of `novel` scenes


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

    def __init__(self, domain: Domain, words: Words, held_out: HeldOutLooks) -> None:
        self.domain = domain
        self.words = words
        self.held_out = held_out
        self.object_ids = tuple(domain.objects)
        own = (thing.attributes.get("color", "") for thing in domain.objects.values())
        self.colors = tuple(dict.fromkeys([*words.colors, *held_out.colors, *own, *words.shades]))

    @cached_property
    def looks(self) -> tuple[Appearance, ...]:
        """Every object of the domain in its own colour, in its allowed other colours, and in those that are held out."""
        own = [Appearance(object_id, self.own_color(object_id)) for object_id in self.object_ids]
        others = [Appearance(object_id, color) for object_id in self.object_ids for color in self.other_colors(object_id)]
        others += [Appearance(object_id, color) for object_id in self.object_ids for color in self.held_out_colors(object_id)]
        others += [Appearance(object_id, color) for object_id in self.words.recolored for color in self.words.shades]
        return tuple(dict.fromkeys([*own, *others]))

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """Every noun, alone and with every colour, also impossible ones: "blue banana" must not be found."""
        nouns = sorted({noun for look in self.looks for noun in self.nouns(look)} | {NONSENSE})
        names = [*self.color_names, *self.held_out.colors]
        plain = [Phrase("", noun) for noun in nouns]
        return tuple(plain + [Phrase(name, noun) for name in names for noun in (*nouns, *self.words.anything)])

    @cached_property
    def nouns_known(self) -> tuple[str, ...]:
        """Every noun that fits some look, and those that fit everything."""
        return (*sorted({noun for look in self.looks for noun in self.nouns(look)}), THING)

    @cached_property
    def units(self) -> tuple[PhraseUnit, ...]:
        """(U,) the parts of phrases that the network reads one by one: nouns, nouns of absent things, and names of colours."""
        colors = (PhraseUnit(name, color=True) for name in (*self.color_names, *self.words.shades))
        return (*map(PhraseUnit, self.nouns_known), *map(PhraseUnit, self.words.strangers), *colors)

    @cached_property
    def color_names(self) -> tuple[str, ...]:
        """Every name of every colour of the phrases."""
        return tuple(name for color in self.words.colors for name in self._color_names(color))

    @cached_property
    def unit_fits(self) -> NDArray[np.float32]:
        """(looks, U) 1 where the unit fits the look, 0 where it does not, NaN where nobody knows: the colour of what has none."""
        rows = []
        for look in self.looks:
            nouns = {*self.nouns(look), THING}
            rows.append([self._color_fits(unit.text, look.color) if unit.color else float(unit.text in nouns) for unit in self.units])
        return np.array(rows, np.float32)

    def _color_fits(self, name: str, color: str) -> float:
        if not color:
            return np.nan
        if name in self._color_names(color):
            return 1.0
        shaded = name in self.words.shades or color in self.words.shades
        return np.nan if shaded and difference(name, color) < DOUBTFUL else 0.0

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
        held_out = {color for color, kind in self.held_out.combinations if kind == category}
        return tuple(color for color in self.words.colors if color not in owned | held_out)

    def held_out_colors(self, object_id: str) -> tuple[str, ...]:
        """The colours that this thing has in no training picture, and in the examination of what was held out."""
        if object_id not in self.words.recolored:
            return ()
        category = self.domain.objects[object_id].category
        return (*(color for color, kind in self.held_out.combinations if kind == category), *self.held_out.colors)

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
