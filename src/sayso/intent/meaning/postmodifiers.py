"""What follows a noun and restricts it without a clause of its own: sides, distances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.noun import Noun
from sayso.intent.meaning.nouns import NounReader
from sayso.representation import Description, Relation


@dataclass(frozen=True, slots=True)
class Restriction:
    """Words after a noun that restrict it. Indices count the words of the sentence."""

    kind: Literal["place", "clause", "purpose", "exclusion", "order"]
    first: int
    end: int  # one past the last word
    relations: tuple[Relation, ...] = ()
    attributes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    order: str = ""  # "-": counted from the other end
    purpose: str = ""
    named: tuple[str, ...] = ()  # words of what it is used for, which its name may hold: "you put flowers in", of a flower vase
    excluded: tuple[Description, ...] = ()
    preposition: tuple[str, ...] = ()  # of a phrase of place


def restricted(description: Description, restriction: Restriction) -> Description:
    """The description with a restriction added."""
    order = restriction.order or description.order
    if restriction.order == "-":
        order = str(-int(description.order)) if description.order.isdigit() else description.order
    return replace(
        description,
        relations=(*description.relations, *restriction.relations),
        attributes=(*description.attributes, *restriction.attributes),
        unknown=(*description.unknown, *restriction.unknown),
        excluded=(*description.excluded, *restriction.excluded),
        purpose=restriction.purpose or description.purpose,
        order=order,
    )


def negated(relations: Sequence[Relation]) -> tuple[Relation, ...]:
    """The relations, none of which may hold."""
    return tuple(replace(relation, negated=True) for relation in relations)


def nearness(nouns: NounReader, text: Sequence[str], at: int, noun: Noun) -> Restriction | None:
    """What an order by distance counts from: "the closest cup to the window", "the cup nearest to me"."""
    order = lexicon.SUPERLATIVES[text[at]] if text[at] in {"nearest", "closest", "farthest", "furthest"} else ""
    begin = at + bool(order)
    if order == "farthest" and tuple(text[begin : begin + 3]) in lexicon.SIDE_PHRASES:  # "the can furthest to the right"
        return Restriction("order", at, begin + 3, order=lexicon.SIDE_PHRASES[tuple(text[begin : begin + 3])])
    order = order or noun.description.order
    if order not in {"nearest", "farthest"} or (begin == at and text[at] not in {"to", "from"}):
        return None
    begin += text[begin : begin + 1] in (["to"], ["from"])
    if text[begin : begin + 1] == ["you"]:
        return Restriction("clause", at, begin + 1, order=order)
    landmark = nouns(text, begin)
    if landmark is None or (begin == at + 1 and order == "farthest"):
        return None
    return Restriction("clause", at, landmark.end, (Relation("next_to", (landmark.description,)),), order=order)


def side(nouns: NounReader, text: Sequence[str], at: int, noun: Noun) -> Restriction | None:
    """A side: "on the left"; or the side from which an order counts: "the second cup from the right"."""
    for size in range(lexicon.LONGEST_SIDE, 1, -1):
        phrase = tuple(text[at : at + size])
        if phrase in lexicon.FROM_SIDE and noun.description.order:
            return Restriction("order", at, at + len(phrase), order="-" if lexicon.FROM_SIDE[phrase] < 0 else noun.description.order)
        after = at + len(phrase)
        of_noun = after < len(text) and (text[after] in lexicon.SIDES or nouns.name(text, after) > 0)  # "at the bottom left shelf"
        if phrase in lexicon.SIDE_PHRASES and not of_noun and text[after : after + 1] not in (["of"], ["side"], ["hand"]):
            return Restriction("order", at, at + len(phrase), order=lexicon.SIDE_PHRASES[phrase])
    return None
