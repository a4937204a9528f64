"""Sentences changed as by a hesitant speaker or a recogniser."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

ARTICLES = {"the", "a", "an"}
FILLERS = ("um", "uh", "hey", "so", "okay", "please", "robot", "well")
# Words that recognisers confuse.
HOMOPHONES = {"to": "two", "two": "to", "four": "for", "for": "four", "there": "their", "right": "write", "red": "read", "an": "and",
              "cup": "cop", "plate": "played", "put": "but", "pour": "poor", "bowl": "ball", "desk": "disk", "sink": "think", "him": "hem",
              "in": "and", "meters": "meter", "the": "a"}  # fmt: skip


def as_heard(text: str, chance: Random) -> str:
    """The sentence, sometimes changed as by a hesitant speaker or a recogniser: no articles, other words, one missing, one repeated."""
    return " ".join(word for word, _ in heard_words(text.split(), chance))


def heard_words(words: Sequence[str], chance: Random) -> list[tuple[str, int]]:
    """The words, sometimes changed as above, each with its index in `words`, −1 for a filler."""
    said, draw = list(zip(words, range(len(words)), strict=True)), chance.random()
    if draw < 0.55 or not words:
        return said
    if draw < 0.70:
        return [pair for pair in said if pair[0] not in ARTICLES] or said
    if draw < 0.80:
        return [(HOMOPHONES.get(word, word) if chance.random() < 0.4 else word, place) for word, place in said]
    if draw < 0.88:
        at = chance.randrange(len(said))
        return said[:at] + said[at + 1 :] or said
    if draw < 0.94:
        return [(chance.choice(FILLERS), -1), *said]
    at = chance.randrange(len(said))
    return [*said[: at + 1], *said[at:]]
