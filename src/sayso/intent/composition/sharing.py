"""Clauses that share what only one of them names: "find and bring me the cup", "spoon in the drawer, fork too", "otherwise the juice"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.intent.composition.filling import in_order
from sayso.intent.composition.sentence import SpannedWords
from sayso.intent.meaning.accounting import content
from sayso.intent.parser.tree import SpanNode
from sayso.types import Clause


def is_elliptic(act: SpanNode, words: SpannedWords) -> bool:
    """Whether the act has no content of its own besides its roles: "(otherwise) the juice", "the juice as well"."""
    return not any(content(word.text) for word in words.of(act, act.children))


def completed(clause: Clause, before: Clause) -> Clause:
    """A clause without a verb, with what the one before says and it does not."""
    named = {role.name for role in clause.roles}
    shared = [role for role in before.roles if role.name not in named] if clause.intent == before.intent else []
    return replace(clause, roles=in_order((*clause.roles, *shared)))


def with_needed(domain: Domain, clauses: Sequence[Clause], before: Clause) -> tuple[Clause, ...]:
    """The same, with what they can't do without: "spoon in the drawer, fork too", but not the angle of "left by 30 degrees, then right".

    Who was named is meant again, not the speaker: "bring Anna the milk, and the bread".
    """
    specs = domain.intents[before.intent].roles if before.intent in domain.intents else {}
    kept = {name for name, spec in specs.items() if spec.required or "person" in spec.kinds}
    needed = replace(before, roles=tuple(role for role in before.roles if role.name in kept))
    return tuple(completed(clause, needed) for clause in clauses)


def sharing(domain: Domain, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses, each without a thing of its own with that of the next or the last one."""
    found: list[Clause] = []
    for clause in reversed(clauses):
        found.append(_with_thing(domain, clause, found[-1] if found else None))
    shared: list[Clause] = []
    for clause in reversed(found):
        shared.append(_with_thing(domain, clause, shared[-1] if shared else None))
    return shared


def _with_thing(domain: Domain, clause: Clause, other: Clause | None) -> Clause:
    """The clause, if it lacks a thing, with that of the other."""
    spec = domain.intents[clause.intent].roles.get("theme") if clause.modifiers.mood == "request" else None
    theme = other.role("theme") if other is not None else None
    shares = spec is not None and spec.required and not clause.roles and theme is not None and theme.kind in spec.kinds
    return replace(clause, roles=(theme,)) if shares and theme is not None else clause
