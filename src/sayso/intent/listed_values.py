"""Roles filled by one of the values that the domain file lists: "small", "medium roast"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sayso.domain import Domain
from sayso.domain.intents import IntentSpec
from sayso.intent.normalise import normalise
from sayso.types import Clause, Role


def with_listed_values(domain: Domain, text: str, clauses: Sequence[Clause]) -> list[Clause]:
    """The clauses with the values that they name. A clause reaches to the next one: "a latte | with some milk" holds the milk."""
    ends = [*(clause.start for clause in clauses), len(text)][1:]
    return [_with_values(domain.intents[clause.intent], text, clause, end) for clause, end in zip(clauses, ends, strict=True)]


def _with_values(spec: IntentSpec, text: str, clause: Clause, end: int) -> Clause:
    found = listed_values(spec, text, clause.start, end)
    if not found:
        return clause
    names, words = {role.name for role in found}, {word for role in found for word in role.text.split()}
    roles = sorted((*(role for role in clause.roles if role.name not in names), *found), key=lambda role: (role.start, role.name))
    left_over = tuple(word for word in clause.left_over if word not in words)
    return replace(clause, roles=tuple(roles), left_over=left_over)


def listed_values(spec: IntentSpec, text: str, start: int, end: int) -> list[Role]:
    """The roles whose values stand in that part of the normalised text; a role takes the first of its values.

    Where values overlap, the longest wins: "medium roast" is no "medium".
    """
    named = {normalise(value): name for name, role in spec.roles.items() for value in role.values}
    if not named:
        return []
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(named, key=len, reverse=True)))})\b")
    found: dict[str, Role] = {}
    for match in pattern.finditer(text, start, end):
        name = named[match[0]]
        found.setdefault(name, Role(name, match[0], match.start(), match.end(), kind="words", score=1.0))
    return list(found.values())
