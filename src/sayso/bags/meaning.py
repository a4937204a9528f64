"""Messages → the dataclasses of `sayso.representation`. A description travels as a list of nodes, since messages cannot nest themselves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sayso.representation import Condition, Description, Modifiers, Relation, Timing

PART, EXCLUDED = "part", "excluded"  # links that are no relations


def description(nodes: Sequence[Any]) -> Description | None:
    """The tree of sayso_msgs/Description nodes; None without nodes."""
    found = descriptions(nodes)
    return found[0] if found else None


def descriptions(nodes: Sequence[Any]) -> tuple[Description, ...]:
    """Every tree of the list, in order.

    Raises:
        ValueError: a node comes before its parent.
    """
    children: dict[int, list[int]] = {}
    for index, node in enumerate(nodes):
        if not -1 <= node.parent < index:
            raise ValueError(f"node {index} of a description comes before its parent {node.parent}")
        children.setdefault(int(node.parent), []).append(index)
    return tuple(_tree(nodes, children, index) for index in children.get(-1, []))


def condition(message: Any) -> Condition:
    """sayso_msgs/Condition."""
    relation = Relation(message.relation, descriptions(message.landmarks), bool(message.relation_negated)) if message.relation else None
    return Condition(
        kind=message.kind,
        text=message.text,
        start=int(message.start),
        end=int(message.end),
        subject=description(message.subject) if message.has_subject else None,
        relation=relation,
        event=message.event,
        attribute=message.attribute,
        negated=bool(message.negated),
    )


def timing(message: Any) -> Timing:
    """sayso_msgs/Timing."""
    seconds, day = float(message.seconds), int(message.day)
    return Timing(message.kind, message.text, int(message.start), int(message.end), seconds, day, message.problem)


def modifiers(message: Any) -> Modifiers:
    """Of a sayso_msgs/Clause; the defaults if it was recorded before clauses had modifiers."""
    if not getattr(message, "mood", ""):
        return Modifiers()
    conditions, timings = tuple(map(condition, message.conditions)), tuple(map(timing, message.timings))
    return Modifiers(message.mood, message.question, conditions, timings, int(message.repeat), message.note)


def _tree(nodes: Sequence[Any], children: dict[int, list[int]], index: int) -> Description:
    node, below = nodes[index], children.get(index, [])
    linked: dict[str, list[Description]] = {PART: [], EXCLUDED: []}
    relations = []
    for (link, _), group in groupby(below, key=lambda child: (nodes[child].link, nodes[child].relation)):
        members = list(group)
        trees = [_tree(nodes, children, child) for child in members]
        if link in linked:
            linked[link] += trees
        else:
            relations.append(Relation(link, tuple(trees), bool(nodes[members[0]].negated)))
    return Description(
        text=node.text,
        start=int(node.start),
        end=int(node.end),
        head=node.head,
        attributes=tuple(node.attributes),
        relations=tuple(relations),
        order=node.order,
        quantity=node.quantity,
        count=int(node.count),
        purpose=node.purpose,
        excluded=tuple(linked[EXCLUDED]),
        parts=tuple(linked[PART]),
        joined=node.joined,
        pronoun=node.pronoun,
        candidates=tuple(zip(node.candidate_entities, map(float, node.candidate_scores), strict=True)),
        unknown=tuple(node.unknown),
    )
