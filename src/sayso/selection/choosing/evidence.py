"""Evidence that a clause was not understood: words that nothing explains, and what fits badly."""

from __future__ import annotations

from dataclasses import dataclass, field

from sayso.domain.model import Domain
from sayso.meaning.untold import untold
from sayso.types import Clause, IntentBelief, Support

QUITE = 0.88  # least score of a name that fits: kind and attributes, or a name that is spelt alike


@dataclass(frozen=True, slots=True)
class Doubt:
    """What speaks against the understanding of a clause; nothing, for one that is fully explained."""

    left_over: tuple[str, ...] = ()  # content words that nothing explains: an aside, or a part of the meaning
    untold: bool = False  # attributes of the only thing of its kind, of which the home says nothing
    misnamed: bool = False  # a name that is not quite the one that was said
    hinted: bool = False  # a need that was only hinted at: "I'm thirsty"
    several: bool = False  # one of several clauses
    support: Support = field(default_factory=Support)

    @property
    def unexplained(self) -> bool:
        """Whether words are left that nothing explains. More of them are no further evidence: asides are long."""
        return bool(self.left_over) or self.misnamed


def doubt_about(domain: Domain, belief: IntentBelief, index: int) -> Doubt:
    """The evidence about a clause."""
    clause = belief.clauses[index]
    known = {each.role: each.words for each in untold(domain, clause)}
    idle = {word for words in known.values() for word in words}
    return Doubt(
        left_over=tuple(word for word in clause.left_over if word not in idle),
        untold=bool(known),
        misnamed=_is_misnamed(clause, frozenset(known)),
        hinted=clause.modifiers.mood == "hint",
        several=len(belief.clauses) > 1,
        # Words that are left in another clause are why the readers differ.
        support=Support() if any(other.left_over for other in belief.clauses if other is not clause) else clause.support,
    )


def _is_misnamed(clause: Clause, explained: frozenset[str]) -> bool:
    named = (role for role in clause.roles if role.kind in ("place", "object", "person") and role.entity and role.name not in explained)
    return any(role.score < QUITE for role in named)
