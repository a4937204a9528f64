"""Which words carry content: those that nothing explains lower the probability that a clause was understood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sayso.intent.gazetteer import ANYTHING
from sayso.intent.grammar import ADVERBS, DETERMINERS, FUNCTION_WORDS, LEAD_INS, PREPOSITIONS, WISHES, word_set
from sayso.intent.meaning.noun_words import ORDINALS, SIDES, SUPERLATIVES
from sayso.types import Role

# What people add without changing the request: forms of address, haste, small measures.
_ASIDES = word_set(
    "love darling sweetheart sweetie honey hun babe pal buddy boss guys folks chap there's sec secs moment tick bit "
    "touch tad quick quickly fast asap pronto urgently hurry gently nicely careful actually basically honestly anyway though yet oh ah "
    "aw wow yeah yep alright right cheers ta pretty lovely great nice perfect favour favor worries trouble mind problem possible possibly "
    "chance"
)
ORDERS = SUPERLATIVES | ORDINALS
OTHERS = word_set("other another")
PICKING = frozenset((*SIDES.values(), *ORDINALS.values()))  # one of several beside or above each other
_EMPTY = (
    (FUNCTION_WORDS - WISHES)
    | DETERMINERS
    | ADVERBS
    | ANYTHING
    | _ASIDES
    | frozenset(LEAD_INS.replace(";", "").split())
    | frozenset(word for preposition in PREPOSITIONS for word in preposition.split())
    | word_set(
        "need needs want wants like would please kindly ok okay sir madam dear mate thank thanks you for me mine yours its as well so go"
    )
)


def one_of_its_parts(roles: Sequence[Role]) -> Iterator[str]:
    """Which of several is wanted, where the home has one: "the left door of the wardrobe", which opens as a whole, "the other lamp"."""
    for role in roles:
        told = role.description
        if role.kind == "place" and role.entity and told is not None and len(told.candidates) == 1:
            words = told.text.split()
            if told.quantity == "other":
                yield from (word for word in words if word in OTHERS)
            if told.order in PICKING:
                yield from (word for word in words if ORDERS.get(word) == told.order)


def content(word: str) -> bool:
    """Whether a word carries content: no function word, number or comma."""
    return word not in _EMPTY and word != "," and not word.replace(".", "").isdigit()
