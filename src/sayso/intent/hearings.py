"""What a recogniser's texts mean, and how probable each meaning is: P(t | audio, home) ∝ P(t | audio) e^{−w · f(t)}.

f counts what speaks against a text in this home: words that nothing explains, names of nothing, roles left open, a sentence said twice.
They make a text less probable, not impossible: people do speak of things that the home does not have. `scripts/fit_hearings.py` fits w.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from pathlib import Path

import numpy as np

from sayso.domain import Domain
from sayso.intent.errands import GIVING
from sayso.intent.gazetteer import ANYTHING
from sayso.intent.grammar import PERSON_PRONOUNS, PLACE_PRONOUNS, THING_PRONOUNS
from sayso.types import Clause, FloatArray, Hearing, Role
from sayso.yaml_source import read_plain

FEATURES = ("left_over", "unlinked", "incomplete", "twice", "no_command")
SAME = {"give": "bring"}  # acts with one goal
MOST_WORDS = 3  # unexplained words that count: an aside may be long
_NAMED = frozenset(("place", "object", "person"))
_POINTING = ANYTHING | PERSON_PRONOUNS | THING_PRONOUNS | PLACE_PRONOUNS


@dataclass(frozen=True, slots=True)
class TextReading:
    """A text as the classifier reads it."""

    text: str  # normalised
    clauses: tuple[Clause, ...]
    reason: str = ""  # why there is nothing to act on; empty if there is


@dataclass(frozen=True, slots=True)
class HearingModel:
    """The weights w of FEATURES, in nats."""

    weights: Mapping[str, float]

    @classmethod
    def shipped(cls) -> HearingModel:
        """The fitted weights."""
        return _shipped()

    def against(self, domain: Domain, reading: TextReading) -> float:
        """The nats by which a text is less probable than one that the home explains."""
        return float(sum(self.weights[name] * count for name, count in zip(FEATURES, misgivings(domain, reading), strict=True)))


def misgivings(domain: Domain, reading: TextReading) -> FloatArray:
    """(len(FEATURES),) what speaks against a text in this home."""
    if not reading.clauses:
        return np.array([0.0, 0.0, 0.0, 0.0, 1.0])
    left = sum(len(clause.left_over) for clause in reading.clauses)
    roles = [role for clause in reading.clauses for role in clause.roles]
    open_roles = sum(_open_roles(domain, clause) for clause in reading.clauses)
    acts = [_meaning(clause) for clause in reading.clauses]
    strange = any(clause.out_of_scope > 0.0 for clause in reading.clauses)
    return np.array([min(left, MOST_WORDS), sum(map(_is_unlinked, roles)), open_roles, len(set(acts)) < len(acts), strange], float)


def hearings(readings: Sequence[TextReading], log_p: FloatArray) -> tuple[Hearing, ...]:
    """The meanings of the texts, most probable first.

    Args:
        readings: of the texts.
        log_p: (N,) ln P(text | audio, home), up to a constant.
    """
    p = np.exp(log_p - np.logaddexp.reduce(log_p))
    groups: dict[tuple[object, ...], list[int]] = {}
    for at in map(int, np.argsort(-p, kind="stable")):
        groups.setdefault(meaning(readings[at].clauses), []).append(at)
    found = [Hearing(readings[group[0]].text, float(p[group].sum()), readings[group[0]].clauses) for group in groups.values()]
    return tuple(sorted(found, key=lambda hearing: -hearing.p))


def meaning(clauses: Sequence[Clause]) -> tuple[tuple[object, ...], ...]:
    """What two readings of a sentence must have in common to mean the same."""
    return tuple(_meaning(each, before) for before, clause in _errands(clauses) for each in _of_each(clause))


def count_of_acts(clauses: Sequence[Clause]) -> int:
    """How many acts the clauses are, one for each thing of a coordination."""
    return sum(1 for clause in clauses for _ in _of_each(clause))


def _of_each(clause: Clause) -> Iterator[Clause]:
    """The clause for each thing of a coordination: "bring me A and B" means the same as "bring me A and bring me B"."""
    joined = next((role for role in clause.roles if role.description is not None and role.description.joined == "and"), None)
    if joined is None or joined.description is None:
        yield clause
        return
    for part in joined.description.parts:
        role = replace(joined, text=part.text, candidates=part.candidates, description=part)
        yield replace(clause, roles=tuple(role if each is joined else each for each in clause.roles))


def _errands(clauses: Sequence[Clause]) -> Iterator[tuple[Clause | None, Clause]]:
    """(the taking of its thing, the clause): to take the cup and put it there means the same as to put it there."""
    taken: Clause | None = None
    for at, clause in enumerate(clauses):
        then = clauses[at + 1] if at + 1 < len(clauses) else None
        if clause.intent == "pick_up" and then is not None and then.intent in GIVING and clause.modifiers == then.modifiers:
            thing, given = clause.role("theme"), then.role("theme")
            if thing is not None and given is not None and thing.candidates and thing.candidates == given.candidates:
                taken = clause
                continue
        yield taken, clause
        taken = None


def _meaning(clause: Clause, taking: Clause | None = None) -> tuple[object, ...]:
    modifiers = clause.modifiers
    around = (*(each.text for each in modifiers.conditions), *(each.text for each in modifiers.timings))
    source = taking.role("source") if taking is not None and clause.role("source") is None else None
    roles = (*clause.roles, *((source,) if source is not None else ()))
    return (
        SAME.get(clause.intent, clause.intent),
        clause.negated,
        modifiers.mood,
        modifiers.question,
        modifiers.repeat,
        around,
        *sorted((*map(_filler, roles), *_told_from(clause)), key=itemgetter(0)),
    )


def _told_from(clause: Clause) -> Iterator[tuple[object, ...]]:
    """The source that an act without such a role tells its thing apart by: "give me the book from the desk"."""
    theme = clause.role("theme")
    if clause.role("source") is None and theme is not None and theme.description is not None:
        for relation in theme.description.relations:
            if relation.name == "from":
                yield "source", tuple(entity for entity, _ in relation.landmarks[0].candidates), (False, "")


def _filler(role: Role) -> tuple[object, ...]:
    """What fills a role; of several things that a name may mean, whether any of them will do."""
    described = role.description
    quantity = (described.plural, described.quantity if len(role.candidates) > 1 else "") if described is not None else (False, "")
    named = (
        (described.pronoun, described.head, described.attributes, described.order) if described is not None and not described.parts else ()
    )
    meant: object = tuple(entity for entity, _ in role.candidates) or role.entity
    if not meant:
        meant = (named if any(named) else role.text) if math.isnan(role.value) else role.value
    return role.name, meant, quantity


def _is_unlinked(role: Role) -> bool:
    """Whether the role names something that the home does not have."""
    linked = role.candidates or role.entity
    return role.kind in _NAMED and not linked and not set(role.text.split()) <= _POINTING


def _open_roles(domain: Domain, clause: Clause) -> int:
    """The number of required roles of which nothing is said."""
    spec = domain.intents.get(clause.intent)
    if spec is None or clause.modifiers.mood != "request":
        return 0
    return sum(role.required and not role.default and clause.role(name) is None for name, role in spec.roles.items())


@lru_cache(maxsize=1)
def _shipped() -> HearingModel:
    held = read_plain(Path(__file__).with_name("hearings.yaml"))
    weights = {name: float(held["weights"][name]) for name in FEATURES}
    return HearingModel(weights)
