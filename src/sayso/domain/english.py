"""English words by which people and things are told apart (english.yaml), for understanding and for the recogniser's language model."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from sayso.yaml_source import StrictModel, read_yaml

WORDS = Path(__file__).with_name("english.yaml")

Phrases = tuple[str, ...]  # (a|b) in them are alternatives


class PeopleNouns(StrictModel):
    """Nouns for people."""

    one: Phrases
    many: Phrases


class English(StrictModel):
    """All of english.yaml, which explains each part."""

    doing: dict[str, Phrases]
    being: dict[str, PeopleNouns]
    anybody: PeopleNouns
    garments: dict[str, Phrases]
    colours: dict[str, str]
    superlatives: dict[str, Phrases]
    purposes: dict[str, Phrases]


@lru_cache(maxsize=1)
def english() -> English:
    """The words.

    Raises:
        DomainError: the file is damaged; names file and line.
    """
    return read_yaml(WORDS, "English words for people and things").checked(English)
