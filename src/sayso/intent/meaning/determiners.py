"""The words before a noun that say how many are meant: "the", "all of my", "the other two", "a couple of", "anna's"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.normalise import UNITS
from sayso.representation import QuantityName

MOST = 6  # digits of a number of things


@dataclass(frozen=True, slots=True)
class Determiner:
    """Quantity and span of the words before a noun. Indices count words; an empty span means a bare noun."""

    end: int  # one past the last word
    first: int = -1
    quantity: QuantityName = "the"
    count: int = 1
    owners: tuple[str, ...] = ()  # "anna's"
    others: bool = False  # "all the other …": except those spoken of
    definite: bool = False  # an order may follow: "the biggest"
    pronoun_follows: bool = False  # "all of them"

    def __post_init__(self) -> None:
        if self.first < 0:
            object.__setattr__(self, "first", self.end)


def determiner(text: Sequence[str], at: int, possessive: Callable[[Sequence[str], int], bool]) -> Determiner:
    """The determiner that begins at that word; an empty one if there is none.

    Args:
        text: the words of the sentence.
        at: index of the first word.
        possessive: whether the word at an index is an owner: "anna's" before a noun.
    """
    if text[at] == "minus" and at + 1 < len(text) and text[at + 1].isdigit() and len(text[at + 1]) <= MOST:
        return Determiner(at + 2, at, "exactly", -int(text[at + 1]))
    found = _quantity(text, at)
    end, owners = found.end, list(found.owners)
    while end < len(text):
        word = text[end]
        if word in lexicon.POSSESSIVES and (word != "her" or end + 1 < len(text)):
            end += 1
        elif possessive(text, end):
            owners.append(word)
            end += 1
        elif (word in {"other", "others"} and end > at and found.quantity in {"all", "every", "both", "the", "exactly"}) or (
            word == "remaining" and end > at
        ):
            found = replace(found, others=True)
            end += 1
        elif word.isdigit() and len(word) <= MOST and not (end + 1 < len(text) and text[end + 1] in UNITS):
            quantity: QuantityName = "exactly"
            found = replace(found, quantity=quantity, count=int(word), others=found.others or found.quantity == "other")
            end += 1
            if text[end : end + 1] == ["of"] and end + 1 < len(text):  # "two of the cups"
                end += 2 if text[end + 1] in {"the", "my", "your", "these", "those", "our"} else 1
                found = replace(found, pronoun_follows=True)
        else:
            break
    definite = end > at and found.quantity not in {"a", "some", "any", "no", "other"}
    return replace(found, first=at, end=end, owners=tuple(owners), definite=definite)


def _quantity(text: Sequence[str], at: int) -> Determiner:
    for phrase, count in lexicon.COUNTS.items():
        if tuple(text[at : at + len(phrase)]) == phrase:
            if count:
                return Determiner(at + len(phrase), at, "exactly", count)
            return Determiner(at + len(phrase), at, "a" if phrase[0] == "a" else "the")
    if text[at] == "one" and at + 1 < len(text) and text[at + 1] not in {"of", ","}:
        return Determiner(at + 1, at, "exactly", 1)
    for size in range(min(lexicon.LONGEST_QUANTITY, len(text) - at), 0, -1):
        quantity = lexicon.QUANTITIES.get(tuple(text[at : at + size]))
        if quantity is not None:
            last = text[at + size - 1]
            return Determiner(at + size, at, quantity, pronoun_follows=last == "of" or (last in {"all", "both"} and size == 1))
    return Determiner(at)
