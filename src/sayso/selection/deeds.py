"""What actions bring about, and whether the robot can: actions with one goal are one deed (bring and give the cup to Anna)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain, parse_literal
from sayso.selection.table import CandidateTable, Ids, grouped
from sayso.types import Action, FloatArray


@dataclass(frozen=True, slots=True)
class Deeds:
    """The candidates of a clause gathered by what they bring about: G deeds, that of the most probable candidate first."""

    of: Ids  # (N,) the deed of each candidate
    peak: Ids  # (G,) its most probable candidate
    p: FloatArray  # (G,) its mass: of all its candidates together
    possible: NDArray[np.bool_]  # (G,) is there a skill for it, and nothing said against it?
    complete: NDArray[np.bool_]  # (G,) is no argument missing?

    @property
    def impossible(self) -> float:
        """The mass of what cannot be done at all."""
        return float(self.p[~self.possible].sum())

    @property
    def ready(self) -> Ids:
        """The deeds that could be done now, in order."""
        return np.flatnonzero(self.possible & self.complete)


def gathered(domain: Domain, table: CandidateTable, p: FloatArray, objected: Ids) -> Deeds:
    """The deeds of candidates with these probabilities; `objected` is (N,), not 0 where something said stands against it."""
    first, deed = grouped((*_goals(domain, table), objected))
    mass: FloatArray = np.bincount(deed, weights=p, minlength=len(first)).astype(np.float64)
    # By its best candidate, not by its mass: that candidate is ActionBelief.chosen, and what is decided must be that.
    descending = np.argsort(-p, kind="stable")
    best, at = np.unique(deed[descending], return_index=True)
    peak = descending[at]
    order = best[np.argsort(at)]
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    peak = peak[order]
    possible = _achievable(domain, table)[peak] & (objected[peak] == 0)
    return Deeds(rank[deed], peak, mass[order], possible, _complete(domain, table)[peak])


def missing_roles(domain: Domain, action: Action) -> tuple[str, ...]:
    """The roles of its goal that the action has no value for."""
    held = dict(action.arguments)
    return tuple(role for role in _needed(domain, action.name) if role not in held)


def _needed(domain: Domain, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(role for literal in domain.actions[name].goal for role in parse_literal(literal)[1]))


def _goals(domain: Domain, table: CandidateTable) -> tuple[Ids, ...]:
    """Columns in which two candidates agree if and only if they have one goal; without a goal, if they are the same action."""
    shapes: dict[tuple[str, ...], int] = {}
    shape = np.zeros(len(table), np.int64)
    columns: list[Ids] = []
    for number, name in enumerate(table.names):
        literals = sorted(parse_literal(literal) for literal in domain.actions[name].goal)
        roles = tuple(role for _, roles in literals for role in roles) if literals else table.roles
        form = tuple(f"{predicate}/{len(roles)}" for predicate, roles in literals) if literals else ("", name)
        rows = table.name == number
        shape[rows] = shapes.setdefault(form, len(shapes))
        for index, role in enumerate(roles):
            if index == len(columns):
                columns.append(np.zeros(len(table), np.int64))
            columns[index][rows] = table.column(role)[rows]
    return (shape, *columns)


def _complete(domain: Domain, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) has it a value for each role of its goal?"""
    complete = np.ones(len(table), np.bool_)
    for number, name in enumerate(table.names):
        for role in _needed(domain, name):
            complete &= (table.name != number) | (table.column(role) != 0)
    return complete


def _achievable(domain: Domain, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) is there a skill for every part of its goal, and for things of this kind? ("find" looks for objects, not for people.)"""
    achievable = np.zeros(len(table), np.bool_)
    kinds: dict[str, NDArray[np.bool_]] = {}
    for number, name in enumerate(table.names):
        goal = domain.actions[name].goal
        rows = table.name == number
        fits = rows & bool(goal)
        for literal in goal:
            predicate, roles = parse_literal(literal)
            some = np.zeros(len(table), np.bool_)
            for wanted in _skills_for(domain, predicate, len(roles)):
                each = rows.copy()
                for role, kind in zip(roles, wanted, strict=True):
                    if kind in _OWNERS:
                        each &= _of_kind(domain, table, kind, kinds)[table.column(role)]
                some |= each
            fits &= some
        achievable |= fits
    return achievable


def _skills_for(domain: Domain, predicate: str, arity: int) -> Sequence[tuple[str, ...]]:
    """The kinds of arguments of every skill that brings such a literal about."""
    found: dict[tuple[str, ...], None] = {}
    for skill in domain.skills.values():
        for effect in skill.effects:
            name, names = parse_literal(effect)
            if name == predicate and len(names) == arity:
                found[tuple(skill.arguments.get(argument, "") for argument in names)] = None
    return tuple(found)


_OWNERS = ("place", "object", "person")


def is_a(domain: Domain, value: str, kind: str) -> bool:
    """Can the value stand where that kind is wanted? An empty one still can."""
    owners: dict[str, Mapping[str, object]] = {"place": domain.places, "object": domain.objects, "person": domain.people}
    return not value or kind not in owners or value in owners[kind]


def _of_kind(domain: Domain, table: CandidateTable, kind: str, known: dict[str, NDArray[np.bool_]]) -> NDArray[np.bool_]:
    """(V,) can that value stand where the kind is wanted?"""
    if kind not in known:
        known[kind] = np.array([is_a(domain, value, kind) for value in table.values], np.bool_)
    return known[kind]
