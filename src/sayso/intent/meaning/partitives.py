"""Two nouns as one: "the largest of the bottles", "the green one out of those bottles", "a piece of fruit", "the end of the table"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.intent.grammar import DETERMINERS, word_set
from sayso.intent.meaning import noun_words as lexicon
from sayso.intent.meaning.heads import HeadLinker, weakened
from sayso.intent.meaning.noun import Noun
from sayso.representation import Relation

Read = Callable[[Sequence[str], int], Noun | None]  # the noun phrase that begins at a word
_LONGEST = 3
_CHOSEN = word_set("one ones thing things object item")
# Nouns that only count what follows: "two pieces of fruit", "that set of books".
_MEASURES = word_set("piece pieces bit bits item items bunch lot lots set selection number amount kind kinds sort sorts type types load")


def joining(text: Sequence[str], at: int) -> int:
    """The number of words before a group, "of", "out of"; 0 for none."""
    return next((n for n in range(_LONGEST, 0, -1) if tuple(text[at : at + n]) in lexicon.CHOOSING), 0)


def with_whole(text: Sequence[str], noun: Noun, heads: HeadLinker, read: Read) -> Noun:
    """The noun phrase with the one that follows after "of" or "out of", if they denote something together."""
    size = joining(text, noun.end)
    if not size:
        return noun
    chosen = bool(noun.headless or noun.description.pronoun in _CHOSEN)
    if not chosen and text[noun.end] != "of":
        return noun
    inner = read(text, noun.end + size)
    if inner is None:
        return noun
    if chosen and not inner.description.pronoun and inner.kind == "object" and (inner.plural or len(inner.description.candidates) > 1):
        return among(text, noun, inner, heads)
    return _of_whole(text, noun, inner, heads) if text[noun.end] == "of" else noun


def among(text: Sequence[str], noun: Noun, group: Noun, heads: HeadLinker) -> Noun:
    """The thing that an order or attributes choose from a group: "the green one out of those bottles"."""
    outer, whole = noun.description, group.description
    first, end = min(noun.first, group.first), max(noun.end, group.end)
    candidates, unknown = whole.candidates, outer.unknown
    if outer.attributes:
        candidates, unknown = heads.attributed(candidates, group.kind, whole.head, outer.attributes)
    described = replace(
        whole,
        text=" ".join(text[first:end]),
        start=first,
        end=end,
        attributes=(*outer.attributes, *whole.attributes),
        order=outer.order,
        quantity=outer.quantity,
        count=outer.count,
        candidates=candidates,
        unknown=(*whole.unknown, *unknown),
    )
    core = {noun.first} if text[noun.first] in DETERMINERS else set[int]()
    core |= {at for at in range(noun.first, noun.end) if text[at] in outer.attributes}
    core |= {
        at for at in range(group.first, group.end) if text[at] in {*whole.head.split(), *whole.attributes} and text[at] not in DETERMINERS
    }
    core |= {group.end - 1}
    return replace(group, first=first, end=end, description=described, plural=noun.plural, apart=frozenset(range(first, end)) - core)


def _of_whole(text: Sequence[str], noun: Noun, inner: Noun, heads: HeadLinker) -> Noun:
    """Read "the end of the table", "a bottle of juice", "the picture of anna"."""
    outer, whole = noun.description, inner.description
    outer = replace(outer, text=" ".join(text[noun.first : inner.end]), end=inner.end)
    head = outer.head.split()[-1:] or [""]
    if noun.headless and outer.order:  # "the largest of the bottles"
        return among(text, noun, inner, heads)
    if head[0] in lexicon.PARTS and not outer.candidates:
        return replace(inner, first=noun.first, description=replace(whole, text=outer.text, start=outer.start))
    if head[0] in _MEASURES and not outer.candidates and (len(whole.candidates) > 1 or inner.plural):
        return _measured(text, noun, inner)
    if inner.kind == "place" and noun.kind in {"place", "object"}:
        return replace(noun, end=inner.end, description=replace(outer, relations=(*outer.relations, Relation("in", (whole,)))))
    if head[0] in lexicon.CONTAINERS and inner.kind == "object":
        named = heads.composed(outer.head, whole.head)
        if named:
            described = replace(outer, head=f"{outer.head} of {whole.head}", candidates=named, unknown=(*outer.unknown, *whole.unknown))
            return replace(noun, end=inner.end, description=described)
        candidates = tuple((entity, weakened(score)) for entity, score in whole.candidates)
        content = replace(outer, head=whole.head, attributes=(*outer.attributes, *whole.attributes), candidates=candidates)
        return replace(noun, end=inner.end, kind="object", description=replace(content, unknown=(*outer.unknown, *head)))
    words = tuple(word for word in text[inner.first : inner.end] if word not in DETERMINERS)
    candidates = tuple((entity, weakened(score)) for entity, score in outer.candidates)
    return replace(noun, end=inner.end, description=replace(outer, candidates=candidates, unknown=(*outer.unknown, *words)))


def _measured(text: Sequence[str], noun: Noun, inner: Noun) -> Noun:
    """The second noun with the quantity of the first: "two pieces of fruit" are two fruit."""
    outer, whole = noun.description, inner.description
    unknown = tuple(word for word in outer.unknown if word not in (*outer.head.split(), text[noun.end - 1]))
    described = replace(
        whole,
        text=" ".join(text[noun.first : inner.end]),
        start=noun.first,
        end=inner.end,
        quantity=outer.quantity,
        count=outer.count,
        unknown=(*unknown, *whole.unknown),
    )
    counted = noun.first if text[noun.first] in DETERMINERS or text[noun.first].isdigit() else -1
    apart = frozenset(at for at in range(noun.first, inner.first) if at != counted)
    plural = noun.plural or outer.quantity in {"some", "all"}
    return replace(inner, first=noun.first, description=described, plural=plural, apart=apart | inner.apart)
