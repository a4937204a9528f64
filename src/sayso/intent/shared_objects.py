"""Verbs that share an object: "open and close the fridge", "pick up and bring me the apple"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.domain.model import Domain
from sayso.types import Clause

THEME = "theme"
_BARE = 2  # words of a verb, with its particle: "pick up"
_JOINED = " and "


def with_shared_objects(domain: Domain, clauses: Sequence[Clause], text: str) -> list[Clause]:
    """The clauses, where a verb without an object has that of the verb after it.

    Args:
        domain: tells which intents need a theme.
        clauses: of an utterance, in order.
        text: of the utterance.
    """
    found = list(clauses)
    for index in reversed(range(len(found) - 1)):
        first, then = found[index], found[index + 1]
        theme = then.role(THEME)
        spec = domain.intents.get(first.intent)
        needs = spec.roles.get(THEME) if spec is not None else None
        bare = not first.roles and len(first.text.split()) <= _BARE and first.modifiers.mood == "request"
        if theme is None or needs is None or not needs.required or not bare or theme.kind not in needs.kinds:
            continue
        if text[first.end : then.start] == _JOINED:
            found[index] = replace(first, roles=(theme,))
    return found
