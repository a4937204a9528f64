"""Dataclass → message, for descriptions, conditions and times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sayso_msgs import msg

from sayso.bags.meaning import EXCLUDED, PART
from sayso.representation import Condition, Description, Timing
from sayso_nodes.conversions.basic import to_message


@to_message.register
def _(condition: Condition) -> msg.Condition:
    return msg.Condition(
        kind=condition.kind,
        text=condition.text,
        start=condition.start,
        end=condition.end,
        event=condition.event,
        attribute=condition.attribute,
        negated=condition.negated,
        has_subject=condition.subject is not None,
        subject=nodes([condition.subject] if condition.subject else []),
        relation=condition.relation.name if condition.relation else "",
        relation_negated=condition.relation.negated if condition.relation else False,
        landmarks=nodes(condition.relation.landmarks if condition.relation else ()),
    )


@to_message.register
def _(timing: Timing) -> msg.Timing:
    return msg.Timing(
        kind=timing.kind,
        text=timing.text,
        start=timing.start,
        end=timing.end,
        seconds=float(timing.seconds),
        day=timing.day,
        problem=timing.problem,
    )


def nodes(trees: Iterable[Description]) -> list[msg.Description]:
    """The trees as one list of nodes, parents first."""
    result: list[msg.Description] = []
    for tree in trees:
        _add(result, tree, msg.Description(parent=-1))
    return result


def _add(result: list[msg.Description], tree: Description, node: msg.Description) -> None:
    """Fill the node, which knows its place in the tree, and append it and what is below it."""
    index = len(result)
    result.append(node)
    node.text, node.start, node.end = tree.text, tree.start, tree.end
    node.head, node.attributes, node.order = tree.head, list(tree.attributes), tree.order
    node.quantity, node.count, node.purpose = tree.quantity, tree.count, tree.purpose
    node.joined, node.pronoun, node.unknown = tree.joined, tree.pronoun, list(tree.unknown)
    node.candidate_entities = [entity for entity, _ in tree.candidates]
    node.candidate_scores = [float(score) for _, score in tree.candidates]
    for child, link, relation, negated in _below(tree):
        _add(result, child, msg.Description(parent=index, link=link, relation=relation, negated=negated))


def _below(tree: Description) -> Iterator[tuple[Description, str, int, bool]]:
    yield from ((part, PART, 0, False) for part in tree.parts)
    yield from ((excluded, EXCLUDED, 0, False) for excluded in tree.excluded)
    for number, relation in enumerate(tree.relations):
        yield from ((landmark, relation.name, number, relation.negated) for landmark in relation.landmarks)
