"""Phrase → classes of the detector: "the grey mugs" → cup, gray. A noun without a class is said to be unknown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sayso.grounding.detector.colors import palette
from sayso.grounding.phrase import content_words
from sayso.yaml_source import read_plain

LISTED = Path(__file__).with_name("nouns.yaml")


@dataclass(frozen=True, slots=True)
class Sought:
    """What a plain phrase asks for."""

    classes: tuple[str, ...]  # of the detector; none: there is no noun that it knows
    colors: tuple[str, ...] = ()  # that the thing must have
    unknown: tuple[str, ...] = ()  # the words that were not understood


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
    colors = dict.fromkeys(of_word[word] for word in before if word in of_word)
    return Sought(meant, tuple(colors), tuple(word for word in before if word not in of_word))


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
