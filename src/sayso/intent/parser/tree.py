"""The structure of a sentence as a tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sayso.intent.parser.chart import Structure
from sayso.intent.parser.labels import JOIN

Place = tuple[int, int]  # first and last word
OUTERMOST = ""  # what a node lies in that lies in no other


@dataclass(frozen=True, slots=True)
class SpanNode:
    """Words that mean something together."""

    label: str
    first: int  # word
    last: int
    value: str = ""  # of an act or a hint: the intent; of a question: its kind
    children: tuple[SpanNode, ...] = ()

    def all(self, wanted: Callable[[SpanNode], bool]) -> Iterator[SpanNode]:
        """The nodes at or below this one that are wanted, outer ones first."""
        if wanted(self):
            yield self
        for child in self.children:
            yield from child.all(wanted)

    def child(self, label: str) -> SpanNode | None:
        """The first child with that label."""
        return next((child for child in self.children if child.label == label), None)


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """One way to read a sentence."""

    words: tuple[str, ...]
    nodes: tuple[SpanNode, ...]  # the outermost ones, in order
    p: float  # P(this structure with these values | words)

    def text(self, node: SpanNode) -> str:
        """The words of a node."""
        return " ".join(self.words[node.first : node.last + 1])

    def all(self, wanted: Callable[[SpanNode], bool]) -> Iterator[SpanNode]:
        """The nodes that are wanted, outer ones first."""
        for node in self.nodes:
            yield from node.all(wanted)

    def __str__(self) -> str:
        """In brackets, as sentences are marked."""
        return _bracketed(self.words, self.nodes, 0, len(self.words) - 1)


def tree_of(structure: Structure, values: Mapping[Place, str]) -> tuple[SpanNode, ...]:
    """The outermost nodes of a structure."""
    return _nested(sorted(structure, key=lambda place: (place[0], -place[1])), structure, values)


def nesting(nodes: Sequence[SpanNode], outer: str = OUTERMOST) -> Iterator[tuple[str, str]]:
    """The label that each node lies in, and its own."""
    for node in nodes:
        yield outer, node.label
        yield from nesting(node.children, node.label)


def _nested(places: Sequence[Place], structure: Structure, values: Mapping[Place, str]) -> tuple[SpanNode, ...]:
    found: list[SpanNode] = []
    at = 0
    while at < len(places):
        place = places[at]
        inside = at + 1
        while inside < len(places) and places[inside][1] <= place[1]:
            inside += 1
        children = _nested(places[at + 1 : inside], structure, values)
        for label in reversed(structure[place].split(JOIN)):
            value = values.get(place, "") if label in ("act", "question", "hint") else ""
            children = (SpanNode(label, *place, value, children),)
        found += children
        at = inside
    return tuple(found)


def _bracketed(words: Sequence[str], nodes: Sequence[SpanNode], first: int, last: int) -> str:
    found: list[str] = []
    at = first
    for node in nodes:
        found += words[at : node.first]
        tag = node.value if node.label == "act" else f"{node.label}:{node.value}" if node.value else node.label
        found.append(f"[{tag} {_bracketed(words, node.children, node.first, node.last)}]")
        at = node.last + 1
    return " ".join([*found, *words[at : last + 1]])
