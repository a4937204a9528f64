"""A parsed sentence with the places of its words in the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sayso.intent.clauses import Word
from sayso.intent.parser.labels import group_of
from sayso.intent.parser.tree import SpanNode
from sayso.representation import RelationName

WAYS = frozenset(("go_to", "stop", "wait"))  # intents of acts that may end a way
# Labels of words that change nothing that is to be done, and of those that the speaker took back.
UNHEARD = frozenset(("filler", "polite", "call", "join", "old", "retract"))
# Labels of restrictions by place → relations.
PLACED: dict[str, RelationName] = {
    "on": "on", "in": "in", "under": "under", "next_to": "next_to", "near": "next_to", "left_of": "left_of", "right_of": "right_of",
    "behind": "behind", "in_front_of": "in_front_of", "between": "between", "with": "with", "at": "at", "from": "from",
}  # fmt: skip
# Words that carry no meaning of their own: outside of all spans they are no part that was lost.
EMPTY = frozenset((",", "and", "then", "or", "but", "so", "the", "a", "an", "please", "of", "to"))


@dataclass(frozen=True, slots=True)
class SpannedWords:
    """The words of a sentence, by the nodes of its structure."""

    words: tuple[Word, ...]
    whole: str  # the normalised text

    def of(self, node: SpanNode, without: Iterable[SpanNode] = ()) -> tuple[Word, ...]:
        """The words of a node, without those of the given nodes in it."""
        left_out = {at for other in without for at in range(other.first, other.last + 1)}
        return tuple(self.words[at] for at in range(node.first, node.last + 1) if at not in left_out)

    def text(self, node: SpanNode) -> str:
        """The words of a node as text."""
        return said(self.of(node))

    def span(self, node: SpanNode) -> tuple[int, int]:
        """The characters of a node, [start, end)."""
        return self.words[node.first].start, self.words[node.last].end

    def content(self, node: SpanNode) -> tuple[str, ...]:
        """The words of a node that mean something."""
        return content(self.of(node))


def said(words: Sequence[Word]) -> str:
    """Words as text."""
    return " ".join(word.text for word in words).replace(" ,", ",")


def content(words: Iterable[Word]) -> tuple[str, ...]:
    """The words that mean something."""
    return tuple(word.text for word in words if word.text not in EMPTY)


def heard(nodes: Sequence[SpanNode], words: SpannedWords) -> tuple[tuple[SpanNode, ...], SpannedWords]:
    """The structure and the words without what changes nothing: "turn [old left], [retract i mean] [direction right]" → "turn right"."""
    unheard = [node for root in nodes for node in root.all(lambda each: each.label in UNHEARD)]
    lost = {at for node in (*unheard, *_starts(nodes)) for at in range(node.first, node.last + 1)}
    kept = [at for at in range(len(words.words)) if at not in lost]
    new = {old: at for at, old in enumerate(kept)}

    def moved(some: Sequence[SpanNode]) -> tuple[SpanNode, ...]:
        left = [(node, [new[at] for at in range(node.first, node.last + 1) if at in new]) for node in some]
        return tuple(replace(node, first=own[0], last=own[-1], children=moved(node.children)) for node, own in left if own)

    return moved(nodes), replace(words, words=tuple(words.words[at] for at in kept))


def _starts(nodes: Sequence[SpanNode]) -> Iterator[SpanNode]:
    """Where ways begin, which does not change where they end: "[leave the bathroom] and go to the hall", "go [from the sofa] to it"."""
    ends = max((node.first for node in nodes if node.value in WAYS and node.child("goal") is not None), default=-1)
    for node in nodes:
        if node.value not in WAYS or (start := node.child("source")) is None:
            continue
        if node.child("goal") is not None:
            yield start
        elif len(node.children) == 1 and node.first < ends:
            yield node


def is_around(node: SpanNode) -> bool:
    """Whether it is a condition or a time, which stands around an act."""
    return group_of()[node.label] in ("condition", "time")
