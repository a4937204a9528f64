"""The words before a noun that say how many are meant: "the", "all of my", "the other two", "a couple of", "anna's"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sayso.intent.grammar import DETERMINERS
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.normalise import UNITS
from sayso.representation import QuantityName

_FREE = frozenset(("whichever", "whatever"))
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
            if group := _group(text, end):  # "two of the cups", "two out of the three cups"
                end += group
                found = replace(found, pronoun_follows=True)
                break
        else:
            break
    definite = end > at and found.quantity not in {"a", "some", "any", "no", "other"}
    return replace(found, first=at, end=end, owners=tuple(owners), definite=definite)


def _group(text: Sequence[str], at: int) -> int:
    """Number of words before the noun of the group that some are taken from: "of the", "out of the three"; 0 for none."""
    size = next((n for n in (3, 2, 1) if tuple(text[at : at + n]) in lexicon.CHOOSING), 0)
    end = at + size
    if not size or end >= len(text) or (text[at] == "from" and size == 1):
        return 0
    end += text[end] == "all"
    marked = text[end : end + 1] and text[end] in lexicon.GROUP_DETERMINERS
    if not marked and text[at] != "of":
        return 0
    end += bool(marked)
    counted = end + 1 < len(text) and text[end].isdigit()
    return end + counted - at


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
            many = quantity == "some" and lexicon.SEVERAL_WORDS.intersection(text[at : at + size])
            count = lexicon.SEVERAL if many else 1
            return Determiner(at + size, at, quantity, count, pronoun_follows=last == "of" or (last in {"all", "both"} and size == 1))
    return Determiner(at)


def idle_words(text: Sequence[str], lead: Determiner, body: Sequence[int], noun: str) -> set[int]:
    """The words before a noun without which the plain clause means the same: "any one of" in "any one of the books", "nice".

    Args:
        text: the words of the sentence.
        lead: its determiner.
        body: the indices of its modifiers and head.
        noun: its head, as the home names it.
    """
    before = range(lead.first, lead.end)
    if "how" in text[max(0, lead.first - 1) : lead.first] or lead.quantity == "other":
        return set()  # "how many cups"; "the other one" is resolved by what was said before
    plain = [at for at in before if text[at] in DETERMINERS - _FREE or text[at].isdigit() or text[at].endswith("'s")]
    if any(text[at] == "of" for at in before):  # "two of the", "any one of the"
        plain = [at for at in plain if text[at].isdigit()][:1] or plain[-1:]
    elif (
        noun and not lead.others and lead.quantity in {"all", "both", "exactly", "the"}
    ):  # "all my", "the three": the number is in the noun
        plain = ([at for at in plain if not text[at].isdigit()] or plain)[-1:]
    named = noun.split()
    idle = {at for at in body[:-1] if text[at] in lexicon.IDLE_MODIFIERS - {"own", *named}} if noun else set[int]()
    return (set(before) - set(plain) if plain or noun else set[int]()) | idle
