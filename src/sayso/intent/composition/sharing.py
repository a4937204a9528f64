"""Clauses that share a thing which only one of them names: "find and bring me the cup", "switch the lamp on and off"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.types import Clause


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
