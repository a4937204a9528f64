"""The order of the parts of a structure: what a condition belongs to, and which acts "before" and "after" order."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.intent.composition.sentence import SpannedWords
from sayso.intent.composition.standing import BANS
from sayso.intent.parser.tree import SpanNode

ORDERING = frozenset(("before", "after", "while"))
STANDING = BANS | {"always"}
NOT_COMPOSED = STANDING | {"act", "otherwise"}  # within an act
ASKING = STANDING | {"act", "question", "hint"}  # labels of what is wanted of the robot


def orders_acts(node: SpanNode) -> bool:
    """Whether a condition holds an act that it does not order, or an act holds another, a ban or an alternative."""
    if node.label in ORDERING:
        return ordered(node) is None and next(node.all(lambda each: each.label == "act" and bool(each.children)), None) is not None
    return node.label == "act" and any(child.label in NOT_COMPOSED for child in node.children)


def ordered(node: SpanNode) -> SpanNode | None:
    """The act that is to be done before or after the others: "after going to the kitchen"; None for a condition: "before you charge"."""
    act = node.child("act") if node.label in ("before", "after") else None
    return act if act is not None and act.children else None


def begins(nodes: Sequence[SpanNode], words: SpannedWords, node: SpanNode) -> bool:
    """Whether a condition belongs to what follows: at the beginning or after a join, with an act after it."""
    follows = any(other.label in ASKING and other.first > node.last for other in nodes)
    return follows and (node.first == 0 or words.words[node.first - 1].text in (",", "and", "then"))
