"""A description → the plain phrases to look for, and how many things it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sayso.representation import SIZES, Description

_HEADS = {"person": "person", "everyone": "person", "male": "man", "female": "woman"}
_FREE = frozenset(("a", "any"))
_ALL = frozenset(("all", "every", "some"))
MANY = 10**6


@dataclass(frozen=True, slots=True)
class HowMany:
    """How many things a description means."""

    least: int
    most: int
    free: bool = False  # any of them will do: "a cup"


def wanted(description: Description) -> HowMany:
    """How many things the description means."""
    match description.quantity:
        case "both":
            return HowMany(2, 2)
        case "exactly":
            return HowMany(max(description.count, 1), max(description.count, 1))
        case "no":
            return HowMany(0, MANY)
        case quantity if quantity in _ALL:
            return HowMany(1, MANY)
        case quantity if quantity in _FREE:
            return HowMany(1, MANY, free=True)
    return HowMany(1, 1)


def comparing(description: Description) -> Description:
    """The description with "the big cup" as "the biggest cup", since a picture shows no size that is big for a cup."""
    sizes = [word for word in description.attributes if word in SIZES]
    if not sizes:
        return description
    attributes = tuple(word for word in description.attributes if word not in SIZES)
    return replace(description, attributes=attributes, order=description.order or SIZES[sizes[0]])


def inherited(description: Description, whole: Description) -> Description:
    """The description of an excluded thing with the noun of the whole: "all cups but the red one" → "the red cup"."""
    return replace(description, head=whole.head, pronoun=whole.pronoun) if not description.head and not description.parts else description


def plain_phrase(description: Description) -> str:
    """Kind and attributes: "the biggest red cup left of the bowl" → "red cup"; without a noun "thing" or "person"."""
    described = comparing(description)
    named = [_HEADS[word] for word in described.attributes if word in ("male", "female")]
    words = [word for word in described.attributes if word not in ("male", "female", "visible")]
    head = described.head or (named or [_HEADS.get(described.pronoun, "thing")])[0]
    return " ".join((*words, head))


def plain_phrases(description: Description) -> tuple[str, ...]:
    """All that must be looked for to tell what the description means, each once."""
    return tuple(dict.fromkeys(_phrases(description)))


def _phrases(description: Description) -> Iterator[str]:
    if description.parts:
        for part in description.parts:
            yield from _phrases(part)
    else:
        yield plain_phrase(description)
    for relation in description.relations:
        for landmark in relation.landmarks:
            if not is_viewer(landmark):
                yield from _phrases(landmark)
    for other in description.excluded:
        yield from _phrases(inherited(other, description))


def is_viewer(landmark: Description) -> bool:
    """Whether a landmark is whoever looks at the picture: "the bear closest to us"."""
    return landmark.pronoun in ("me", "us", "you", "i", "here") and not landmark.head
