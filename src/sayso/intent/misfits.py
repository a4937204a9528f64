"""Whether an intent has the roles that the words of a clause ask for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from sayso.domain.intents import IntentSpec
from sayso.intent.mentions import EVERY_KIND
from sayso.types import Role

_GIVEN = frozenset(("him", "her", "them", "me", "us"))
_ARTICLES = frozenset(("the", "a", "an", "some", "my", "your", "his", "their", "another", "one", "this", "that", "these", "those"))


def misfits(spec: IntentSpec, roles: Iterable[Role]) -> tuple[str, ...]:
    """The names of the roles that hold an entity of another kind: the theme of "pick up anna"."""
    filled = ((role, spec.roles[role.name].kinds) for role in roles if role.entity and role.name in spec.roles)
    return tuple(role.name for role, kinds in filled if role.kind in EVERY_KIND and role.kind not in kinds and "words" not in kinds)


def unserved(spec: IntentSpec, words: Sequence[str]) -> bool:
    """Whether the words give a thing to a person, "take him the milk", and the intent has no role for the person."""
    given = any(person in _GIVEN and article in _ARTICLES for person, article in pairwise(words[1:]))
    return given and not any("person" in role.kinds for role in spec.roles.values())
