"""Parts of a structure that the composer leaves to the rules: questions, standing rules, hints, and acts of showing and speaking.

The parser says that the words are such a part; the rules read what is in it. Where they read something else in it, it stays unread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.intent.composition.filling import MESSAGES
from sayso.intent.composition.sentence import SpannedWords
from sayso.intent.discourse import RecentMentions
from sayso.intent.errands import ANSWERED, TELLING
from sayso.intent.parser.tree import SpanNode
from sayso.intent.reconcile import is_known
from sayso.representation import Condition, Description, Modifiers, Relation, Timing
from sayso.types import Clause, Role

Rules = Callable[[str, RecentMentions], Sequence[Clause]]  # words → the clauses that the rules read in them
# Intents of a request for information: "check whether the milk is in the fridge" is a search.
INFORMING = ANSWERED | TELLING | {"find"}


def is_left_to_rules(domain: Domain, node: SpanNode) -> bool:
    """Whether the rules read this part."""
    if node.label != "act":
        return node.label in ("question", "never", "always", "hint")
    if node.value in ANSWERED or (node.value == "stop" and node.child("theme") is not None):
        return True  # to tell of things, to show and to point at them, and what is to stop: the rules tell these apart
    if sum(child.label == "recipient" for child in node.children) > 1 or (node.value == "greet" and node.child("theme") is not None):
        return True  # to introduce one person to another
    spec = domain.intents.get(node.value)
    words = spec is not None and any(set(role.kinds) == {"words"} and not role.default for role in spec.roles.values())
    return node.value == "answer" or (words and not any(child.label in MESSAGES for child in node.children))


def read_by_rules(rules: Rules, node: SpanNode, words: SpannedWords, recent: RecentMentions) -> tuple[Clause, ...]:
    """What the rules read in a part of a structure, if it is of that kind; none otherwise."""
    own = words.of(node)
    read = rules(words.text(node), recent)
    if not read or not all(_fits(node, clause) for clause in read):
        return ()
    return tuple(_moved(clause, own[0].start) for clause in read)


def _fits(node: SpanNode, clause: Clause) -> bool:
    """Whether a clause is what the label says."""
    mood = clause.modifiers.mood
    if clause.out_of_scope > 0.0:
        return False
    if node.label == "question":
        return (
            mood == "question"
            or bool(clause.modifiers.question)
            or (mood == "request" and clause.intent in INFORMING and all(map(is_known, clause.roles)))
        )
    if node.label == "never":
        return clause.negated or mood in ("rule", "prohibition")
    if node.label == "always":
        return mood == "rule" and not clause.negated
    if node.label == "hint":
        return mood == "hint"
    if node.value in TELLING:
        return clause.intent == node.value or clause.intent in INFORMING - {"repeat"}
    return mood == "request" or clause.intent in INFORMING


def _moved(clause: Clause, by: int) -> Clause:
    """The clause of words that begin that many characters later."""
    modifiers: Modifiers = replace(
        clause.modifiers,
        conditions=tuple(_condition(each, by) for each in clause.modifiers.conditions),
        timings=tuple(_timing(each, by) for each in clause.modifiers.timings),
    )
    roles = tuple(_role(role, by) for role in clause.roles)
    return replace(clause, start=clause.start + by, end=clause.end + by, roles=roles, modifiers=modifiers)


def _role(role: Role, by: int) -> Role:
    if role.start == role.end:
        return role  # not said
    return replace(role, start=role.start + by, end=role.end + by, description=_described(role.description, by))


def _timing(timing: Timing, by: int) -> Timing:
    return replace(timing, start=timing.start + by, end=timing.end + by)


def _condition(condition: Condition, by: int) -> Condition:
    relation = _relation(condition.relation, by) if condition.relation is not None else None
    return replace(
        condition, start=condition.start + by, end=condition.end + by, subject=_described(condition.subject, by), relation=relation
    )


def _relation(relation: Relation, by: int) -> Relation:
    marks = tuple(found for mark in relation.landmarks if (found := _described(mark, by)) is not None)
    return replace(relation, landmarks=marks)


def _described(description: Description | None, by: int) -> Description | None:
    if description is None:
        return None
    parts = [found for part in description.parts if (found := _described(part, by)) is not None]
    excluded = [found for part in description.excluded if (found := _described(part, by)) is not None]
    relations = tuple(_relation(each, by) for each in description.relations)
    start, end = description.start + by, description.end + by
    return replace(description, start=start, end=end, parts=tuple(parts), excluded=tuple(excluded), relations=relations)
