"""Roles filled by one of the values that the domain file lists: "small", "medium roast"."""

from __future__ import annotations

import re

from sayso.domain.model import IntentSpec
from sayso.intent.clauses import ClauseSpan
from sayso.intent.normalise import normalise
from sayso.types import Role


def listed_values(text: str, piece: ClauseSpan, spec: IntentSpec) -> list[Role]:
    """The roles whose values the clause names, in the order of the words; a role takes the first of its values.

    Where values overlap, the longest wins: "medium roast" is no "medium".
    """
    named = {normalise(value): name for name, role in spec.roles.items() for value in role.values}
    if not named:
        return []
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(named, key=len, reverse=True)))})\b")
    found: dict[str, Role] = {}
    for match in pattern.finditer(text, piece.start, piece.end):
        name = named[match[0]]
        found.setdefault(name, Role(name, match[0], match.start(), match.end(), kind="words", score=1.0))
    return list(found.values())
