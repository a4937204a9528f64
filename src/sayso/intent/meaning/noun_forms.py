"""Forms of English noun phrases that are longer than a word: "lying down people", "the back door", "the desk's center"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sayso.intent.grammar import DETERMINERS
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.determiners import Determiner
from sayso.intent.meaning.heads import LinkedHead
from sayso.representation import Description, QuantityName

SPOKEN_OF = Description("others", 0, 0, pronoun="them")  # "all the other cups": not those spoken of
SIDE_ADVERBS = frozenset(("back",))  # before a noun it is a side: "the back door"
_LONGEST_OWNER = 3  # words


def before_noun(text: Sequence[str], at: int, stops: Callable[[str], bool]) -> int:
    """Number of words there that only before a noun belong to its phrase: "lying down" people, the "back" door; 0 for none."""
    return _posture(text, at) or int(_is_side(text, at, stops))


def _posture(text: Sequence[str], at: int) -> int:
    """Number of words of a posture with its particle that stands before a noun: "lying down" of "lying down people"; 0 for none."""
    particle = text[at + 1 : at + 2]
    noun = text[at + 2 : at + 3]
    known = text[at] in lexicon.PARTICIPLES and bool(particle) and particle[0] in lexicon.POSTURE_PARTICLES
    return 2 if known and noun and noun[0] in lexicon.PEOPLE else 0


def _is_side(text: Sequence[str], at: int, stops: Callable[[str], bool]) -> bool:
    """Whether a word that is otherwise an adverb is a side of the noun after it: "the back door"."""
    after = text[at + 1] if at + 1 < len(text) else ""
    led = at > 0 and text[at - 1] in DETERMINERS
    return text[at] in SIDE_ADVERBS and led and after.isalpha() and not stops(after) and after not in DETERMINERS


def part_of_owner(text: Sequence[str], at: int) -> int:
    """Index after the owner of "the desk's center", of which the part that follows is a part; 0 if the words have another form."""
    for end in range(at, min(at + _LONGEST_OWNER, len(text) - 1)):
        if text[end].endswith("'s") and text[end] not in lexicon.NOT_POSSESSIVE:
            return end + 1 if text[end + 1] in lexicon.PARTS | lexicon.SIDES.keys() else 0
    return 0


def asked_predicate(text: Sequence[str], at: int, first: int) -> bool:
    """Whether the verb there says something of what is counted: "are" of "how many people in the kitchen are sitting"."""
    counted = first > 0 and tuple(text[first - 1 : first + 1]) == ("how", "many")
    return counted and text[at] in lexicon.COPULAS and text[at + 1 : at + 2] != ["there"]


def quantity_of(lead: Determiner, head: LinkedHead, count: int) -> tuple[QuantityName, tuple[Description, ...]]:
    """The quantity with what the noun's number implies ("the books" are all of them, "cups" are some), and what "other" excludes."""
    quantity = lead.quantity
    others = lead.others or (quantity == "other" and (head.plural or count > 0))
    if count:
        quantity = "exactly"
    elif head.plural and quantity == "the":
        quantity = "some" if lead.end == lead.first else "all"
    elif head.plural and quantity == "other":
        quantity = "all"
    return quantity, (SPOKEN_OF,) if others else ()


def superlative(word: str) -> bool:
    """Whether a word has the form of a superlative."""
    return len(word) > 5 and word.endswith("est") and word not in {"forest", "request", "interest", "harvest", "contest", "protest"}
