"""How a person looks, in a description of one: "the waving person", "the woman in the red coat" → labels of sayso.looks as attributes."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from sayso.domain.english import english
from sayso.looks import COLOURS
from sayso.representation import Description, Relation

_WORDS = re.compile(r"[\w'-]+")
_ABOUT_CLOTHES = frozenset(("wearing", "wears", "dressed", "in", "with", "a", "an", "the", "is", "are", "who", "that", "who's"))


def with_looks(description: Description) -> Description:
    """The description of a person with the looks that its words tell; any other description as it is."""
    if description.pronoun != "person":
        return description
    found, explained = _read(description.text)
    relations = []
    for relation in description.relations:
        worn, _ = _worn(relation)
        found += worn
        if not worn:
            relations.append(relation)
    if not found:
        return description
    kept = tuple(each for each in description.attributes if each not in explained)
    return replace(
        description,
        attributes=tuple(dict.fromkeys((*kept, *found))),
        relations=tuple(relations),
        unknown=tuple(word for word in description.unknown if word not in explained),
    )


def _read(text: str) -> tuple[list[str], frozenset[str]]:
    """The labels that a phrase tells, and the words that told them."""
    labels: list[str] = []
    explained: set[str] = set()
    for pattern, label in _patterns():
        for match in pattern.finditer(text):
            labels.append(label)
            explained |= set(_WORDS.findall(match[0]))
    for match in _clothes().finditer(text):
        labels.append(_label(match))
        explained |= {*_WORDS.findall(match[0]), *_ABOUT_CLOTHES}
    return labels, frozenset(explained)


def _worn(relation: Relation) -> tuple[list[str], frozenset[str]]:
    """What is worn, of "in the blue jacket", which has the form of a place."""
    if relation.name not in ("in", "with") or relation.negated:
        return [], frozenset()
    return _read(f"in {relation.landmarks[0].text}") if not relation.landmarks[0].candidates else ([], frozenset())


def _label(match: re.Match[str]) -> str:
    words, colour = english(), match["colour"] or match["only"] or ""
    garment = next((garment for garment, names in words.garments.items() if match["garment"] in names), "")
    return "_".join(filter(None, (words.colours.get(colour, colour), garment)))


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    said = {**english().doing, **{label: (*noun.one, *noun.many) for label, noun in english().being.items()}}
    return tuple((re.compile(rf"\b(?:{'|'.join(phrases)})\b"), label) for label, phrases in said.items())


@lru_cache(maxsize=1)
def _clothes() -> re.Pattern[str]:
    """A garment with or without its colour, or a colour alone after "wearing"."""
    words = english()
    colours = "|".join((*COLOURS, *words.colours))
    garments = "|".join(map(re.escape, sorted((name for names in words.garments.values() for name in names), key=len, reverse=True)))
    lead = r"(?:wearing|wears|dressed in|in|with) (?:an? |the )?"
    return re.compile(rf"\b{lead}(?:(?:(?P<colour>{colours}) )?(?P<garment>{garments})|(?P<only>{colours}))\b")
