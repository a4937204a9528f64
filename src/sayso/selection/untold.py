"""What is said of the only thing of its kind, and the home does not know: "the wooden desk", where there is one desk.

It cannot matter which thing is meant, so the robot does not ask. It says that it can't tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sayso.domain.model import Domain
from sayso.domain.wording import called, is_plural, listed
from sayso.representation import Description
from sayso.selection.members import kin
from sayso.types import Clause


@dataclass(frozen=True, slots=True)
class Untold:
    """A thing, with attributes of which the home says nothing."""

    role: str
    entity: str
    words: tuple[str, ...]

    def said(self, domain: Domain) -> str:
        """Say "I can't tell whether the desk is wooden."."""
        verb = "are" if is_plural(domain, self.entity) else "is"
        return f"I can't tell whether {called(domain, self.entity)} {verb} {listed(self.words)}."


def untold(domain: Domain, clause: Clause) -> Iterator[Untold]:
    """The things of a clause that are the only ones of their kind, with what is said of them and the home does not know."""
    for role in clause.roles:
        if role.description is None or not role.entity:
            continue
        for part in role.description.parts or (role.description,):
            if part.untold and _is_only_one(domain, part):
                yield Untold(role.name, part.candidates[0][0], part.untold)


def _is_only_one(domain: Domain, described: Description) -> bool:
    """Whether what the home knows of it, "the red cup", or its noun alone, fits nothing else."""
    told = [word for word in described.attributes if word not in described.unknown]
    return len(described.candidates) == 1 and (bool(told) or {described.candidates[0][0]}.issuperset(kin(domain, described.head)))
