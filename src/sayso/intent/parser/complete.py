"""Structures in which no word loses its part.

Annotators leave no content word without a label; structures that do so are mistakes of the parser, which scores each span by itself. They
tell nothing about what was meant but that something was left out of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sayso.intent.parser.labels import group_of
from sayso.intent.parser.tree import ParsedSentence, SpanNode

# Groups of labels whose words belong to what lies within, but for a verb or a conjunction.
HOLDING = frozenset(("act", "fact", "question", "rule", "alternative", "condition"))
LISTED = frozenset(("item", "either"))  # labels: where one part of a coordination has one, all have


def complete(readings: Sequence[ParsedSentence]) -> tuple[ParsedSentence, ...]:
    """The readings without those that lack a part which the likeliest one has: P(structure | words, it lacks none).

    Args:
        readings: of one sentence, the likeliest first.
    """
    if not readings:
        return ()
    least = bare(readings[0])
    lacking = [bare(each) > least for each in readings]
    kept = 1.0 - math.fsum(each.p for each, lacks in zip(readings, lacking, strict=True) if lacks)
    return tuple(replace(each, p=min(each.p / kept, 1.0)) for each, lacks in zip(readings, lacking, strict=True) if not lacks)


def bare(reading: ParsedSentence) -> frozenset[int]:
    """The words that have no part of their own in what was said."""
    labelled = {at for node in reading.nodes for at in _labelled(node)}
    return frozenset(range(len(reading.words))) - labelled


def _labelled(node: SpanNode) -> Iterator[int]:
    if group_of()[node.label] not in HOLDING and not any(child.label in LISTED for child in node.children):
        yield from range(node.first, node.last + 1)
    else:
        for child in node.children:
            yield from _labelled(child)
