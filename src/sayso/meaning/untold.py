"""What is said of a thing, the home does not know, and cannot matter: "the wooden desk", if there is one; "a clean cup", if any will do.

The robot does not ask about it. It says that it can't tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sayso.domain.model import Domain
from sayso.domain.wording import called, is_or_are, listed
from sayso.meaning.members import kin
from sayso.representation import Description
from sayso.types import Action, Clause


@dataclass(frozen=True, slots=True)
class Untold:
    """What a thing may be, with attributes of which the home says nothing."""

    role: str
    entities: tuple[str, ...]  # best first
    words: tuple[str, ...]

    def said(self, domain: Domain, actions: Sequence[Action]) -> str:
        """Say "I can't tell whether the desk is wooden." of what the actions are about."""
        chosen = (action.argument(self.role) for action in actions)
        thing = next((each for each in chosen if each in self.entities), self.entities[0])
        return f"I can't tell whether {called(domain, thing)} {is_or_are(domain, thing)} {listed(self.words)}."


def untold(domain: Domain, clause: Clause) -> Iterator[Untold]:
    """The things of a clause of which something is said that the home does not know, and that cannot matter."""
    for role in clause.roles:
        if role.description is None or not role.entity:
            continue
        for part in role.description.parts or (role.description,):
            if part.untold and part.candidates and (_any_will_do(domain, part) or is_only_one(domain, part)):
                yield Untold(role.name, tuple(entity for entity, _ in part.candidates), part.untold)


def _any_will_do(domain: Domain, described: Description) -> bool:
    return described.quantity == "a" and all(entity in domain.objects for entity, _ in described.candidates)


def is_only_one(domain: Domain, described: Description) -> bool:
    """Whether what the home knows of it, "the red cup", or its noun alone, fits nothing else."""
    told = any(word not in described.unknown for word in described.attributes)
    return len(described.candidates) == 1 and (
        told or {described.candidates[0][0]}.issuperset(kin(domain, described.head, len(described.head.split())))
    )
