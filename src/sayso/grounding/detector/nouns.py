"""Phrase → classes of the detector: "the grey mugs" → cup, gray. A noun without a class is said to be unknown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sayso.grounding.detector.colors import palette
from sayso.grounding.phrase import content_words
from sayso.yaml_source import read_plain

PERSON = "person"
LISTED = Path(__file__).with_name("nouns.yaml")


@dataclass(frozen=True, slots=True)
class Sought:
    """What a plain phrase asks for."""

    classes: tuple[str, ...]  # of the detector; none: there is no noun that it knows
    colors: tuple[str, ...] = ()  # that the thing must have
    unknown: tuple[str, ...] = ()  # the words that were not understood
    worn: tuple[str, ...] = ()  # colours of what a person wears on the upper body


def sought(phrase: str) -> Sought:
    """The longest known noun at the end of the phrase, the colours before it, and what is left over.

    Without a noun, a colour means anything of that colour.
    """
    words, of_word = content_words(phrase), palette()[1]
    for start in range(len(words)):
        if meant := _classes(" ".join(words[start:])):
            before = words[:start]
            break
    else:
        meant, before = (classes() if words and all(word in of_word for word in words) else ()), words
    if meant == (PERSON,):
        return _dressed(before)
    colors = dict.fromkeys(of_word[word] for word in before if word in of_word)
    return Sought(meant, tuple(colors), tuple(word for word in before if word not in of_word))


def _dressed(before: list[str]) -> Sought:
    """A person with these words before: "red shirt". A colour without a garment is what the upper body wears, too."""
    of_word, upper = palette()[1], read_plain(LISTED)["upper"]
    other = {at for at, word in enumerate(before) if word in read_plain(LISTED)["lower"]}
    other |= {at - 1 for at in other if at and before[at - 1] in of_word}  # the colour of trousers
    known = [word for at, word in enumerate(before) if at not in other and word in of_word]
    unknown = [word for at, word in enumerate(before) if at in other or (word not in of_word and word not in upper)]
    return Sought((PERSON,), (), tuple(unknown), tuple(dict.fromkeys(of_word[word] for word in known)))


@lru_cache(maxsize=1)
def classes() -> tuple[str, ...]:
    """The names of all classes: those of COCO, in its order."""
    return tuple(read_plain(LISTED)["classes"])


def groups() -> dict[str, tuple[str, ...]]:
    """The kinds that have several classes: "fruit" → banana, apple, orange."""
    return {name: tuple(members) for name, members in read_plain(LISTED)["groups"].items()}


def _classes(noun: str) -> tuple[str, ...]:
    known = _names()
    forms = (noun, _plurals().get(noun, ""), noun.removesuffix("s"), noun.removesuffix("es"))
    return next((known[form] for form in forms if form in known), ())


@lru_cache(maxsize=1)
def _names() -> dict[str, tuple[str, ...]]:
    listed = read_plain(LISTED)
    names: dict[str, tuple[str, ...]] = {name: (each,) for each, others in listed["classes"].items() for name in (each, *others)}
    names.update(groups())
    names.update(dict.fromkeys(listed["anything"], classes()))
    return names


@lru_cache(maxsize=1)
def _plurals() -> dict[str, str]:
    return dict(read_plain(LISTED)["plurals"])
