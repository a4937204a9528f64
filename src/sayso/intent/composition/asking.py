"""What a question says besides its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.intent.composition.sentence import SpannedWords
from sayso.intent.meaning.accounting import content as carries_content
from sayso.intent.meaning.questions import is_lead
from sayso.intent.parser.tree import SpanNode


def only_asks(node: SpanNode, named: Sequence[SpanNode], words: SpannedWords) -> bool:
    """Whether a question says nothing but what its parts do, and what leads to it: "tell me the biggest thing on the counter"."""
    first = min((child.first for child in named), default=node.last + 1)
    lead = [word.text for word in words.words[node.first : first]]
    rest = words.of(replace(node, first=first), named) if named else ()
    return (is_lead(lead) or not any(map(carries_content, lead))) and not any(carries_content(word.text) for word in rest)
