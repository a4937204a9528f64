"""Which content words of a clause nothing explains: they lower the probability that the clause was understood.

A word is explained by the act (the intent's own vocabulary), by a role (the name, kind or attributes of what it denotes), by a
restriction, a condition, a time or a marker, or because it is a function word that binds nothing (binding.py).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from sayso.domain.intents import IntentSpec
from sayso.intent.clauses import Word
from sayso.intent.gazetteer import ANYTHING, singular
from sayso.intent.grammar import ADVERBS, DETERMINERS, FUNCTION_WORDS, LEAD_INS, PREPOSITIONS, WISHES, word_set
from sayso.intent.meaning.binding import unbound
from sayso.intent.meaning.describe import NounPhrase
from sayso.intent.meaning.noun_forms import SIDE_ADVERBS
from sayso.intent.meaning.noun_words import ORDINALS, PLACING_RELATIONS, SIDES, SUPERLATIVES
from sayso.representation import Description
from sayso.types import Role

NAMED = 0.95  # least score of a name whose words are all known
# What people add without changing the request: forms of address, haste, small measures.
_ASIDES = word_set(
    "love darling sweetheart sweetie honey hun babe pal buddy boss guys folks chap there's sec secs moment tick bit "
    "touch tad quick quickly fast asap pronto urgently hurry gently nicely careful actually basically honestly anyway though yet oh ah "
    "aw wow yeah yep alright right cheers ta pretty lovely great nice perfect favour favor worries trouble mind problem possible possibly "
    "chance"
)
HIDDEN = frozenset(("behind", "under", "above"))  # where the robot does not go
# Verbs, and how much of it is wanted: the robot opens and switches on as a whole.
_DEGREES = (
    (word_set("turn turning crank"), word_set("up down")),
    (word_set("open opening close closing shut"), word_set("bit")),
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


def left_over(
    words: Sequence[Word],
    phrases: Sequence[NounPhrase],
    intent: IntentSpec,
    roles: Sequence[Role],
    act: Collection[str],
    explained: Collection[Word],
) -> tuple[str, ...]:
    """The content words of a clause that nothing explains, in order.

    Args:
        words: of the clause, with those of its restrictions and modifiers.
        phrases: of the clause.
        intent: of the clause.
        roles: of the clause.
        act: the vocabulary of the intent, singular.
        explained: words that restrictions, conditions, times and markers explain.
    """
    spans = [(role.start, role.end) for role in roles]
    marks = [mark for role in roles if role.description for relation in role.description.relations for mark in relation.landmarks]
    spans += [(mark.start, mark.end) for mark in marks if mark.candidates]
    unknown = {word for role in roles for word in (_unknown_in(role) if role.entity or role.candidates else _unknown_marks(role))}
    # "open the back door", of a home that has only a front door
    sides = {word for role in roles if role.description is not None for word in role.description.unknown if word in SIDE_ADVERBS}
    heard = frozenset(explained)
    unbound_words = unbound(words, roles, act, heard)
    return (
        *_unexplained(words, spans, unknown, sides, act, heard, unbound_words),
        *_elsewhere(phrases, intent, roles),
        *_degrees(words, roles),
        *one_of_its_parts(roles),
    )


def _elsewhere(phrases: Sequence[NounPhrase], intent: IntentSpec, roles: Sequence[Role]) -> Iterator[str]:
    """The prepositions of places where the robot puts and goes nothing: it puts things on the couch, and neither beside nor under it."""
    goals = {role.start: intent.roles[role.name] for role in roles if role.name == "goal" and role.kind == "place" and role.entity}
    for phrase in phrases:
        goal = goals.get(phrase.description.start)
        if goal is None or phrase.relation in (None, "from") or phrase.description.pronoun:  # "over there"
            continue
        if phrase.relation in HIDDEN or (goal.surface and phrase.relation not in PLACING_RELATIONS):
            yield from phrase.preposition.split()


def _degrees(words: Sequence[Word], roles: Sequence[Role]) -> Iterator[str]:
    """How much of the act is wanted: "turn the tv up", "open the fridge a bit"."""
    for theme in (role for role in roles if role.name == "theme" and role.entity):
        for verbs, degrees in _DEGREES:
            if any(word.text in verbs for word in words):
                yield from (word.text for word in words if word.text in degrees and not theme.start <= word.start < theme.end)


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


def _unexplained(
    words: Sequence[Word],
    spans: Sequence[tuple[int, int]],
    unknown: Collection[str],
    sides: Collection[str],
    act: Collection[str],
    explained: Collection[Word],
    binding: Collection[Word],
) -> Iterator[str]:
    for word in words:
        if word in binding:
            yield word.text
            continue
        if word in explained and word.text not in unknown:
            continue
        if word.text not in sides and (not content(word.text) or singular(word.text) in act or word.text in act):
            continue
        filled = any(start <= word.start and word.end <= end for start, end in spans)
        if not filled or word.text in unknown:
            yield word.text


def _unknown_in(role: Role) -> frozenset[str]:
    """The unknown words of a role's description, without those of an exact name: "the kitchen" of "the floor of the kitchen"."""
    named = role.text.split() if role.score >= NAMED else ()
    return frozenset(_unknown(role.description)).difference(named)


def _unknown_marks(role: Role) -> frozenset[str]:
    """The unknown words beside which a thing without a name is said to be: "the stuff you put on toast"."""
    relations = role.description.relations if role.description is not None else ()
    return frozenset(word for relation in relations for mark in relation.landmarks for word in _unknown(mark))


def _unknown(description: Description | None) -> Iterator[str]:
    """The unknown words anywhere in a description."""
    if description is None:
        return
    yield from description.unknown
    for below in (*description.parts, *description.excluded, *(mark for relation in description.relations for mark in relation.landmarks)):
        yield from _unknown(below)
