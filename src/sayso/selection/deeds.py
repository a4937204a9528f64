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
    order: Ids  # (N,) the candidates, most probable first

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
    _, deed = grouped((*_goals(domain, table), objected))
    mass: FloatArray = np.bincount(deed, weights=p).astype(np.float64)
    # By its best candidate, not by its mass: that candidate is ActionBelief.chosen, and what is decided must be that.
    descending = np.argsort(-p, kind="stable")
    leads, rank = grouped((deed[descending],))  # deeds in the order of their best candidates
    peak, number = descending[leads], np.empty(len(table), np.int64)
    number[descending] = rank
    possible = _achievable(domain, table)[peak] & (objected[peak] == 0)
    return Deeds(number, peak, mass[deed[peak]], possible, _complete(domain, table)[peak], descending)


def missing_roles(domain: Domain, action: Action) -> tuple[str, ...]:
    """The roles of its goal that the action has no value for."""
    held = dict(action.arguments)
    return tuple(role for role in _needed(domain, action.name) if role not in held)


def _needed(domain: Domain, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(role for literal in domain.actions[name].goal for role in parse_literal(literal)[1]))


def _goals(domain: Domain, table: CandidateTable) -> tuple[Ids, ...]:
    """Columns in which two candidates agree if and only if they have one goal; without a goal, if they are the same action."""
    shapes: dict[tuple[str, ...], int] = {}
    shape: list[int] = []  # of each name: which predicates its goal has
    columns: list[list[int]] = []  # of each name: where the arguments of its goal stand; the last column has none
    for name in table.names:
        literals = sorted(parse_literal(literal) for literal in domain.actions[name].goal)
        roles = [role for _, roles in literals for role in roles] if literals else list(table.roles)
        form = tuple(f"{predicate}/{len(roles)}" for predicate, roles in literals) if literals else ("", name)
        shape.append(shapes.setdefault(form, len(shapes)))
        columns.append([table.roles.index(role) if role in table.roles else -1 for role in roles])
    width = max(map(len, columns))
    where = np.array([row + [-1] * (width - len(row)) for row in columns], np.int64).reshape(len(columns), width)
    padded = np.column_stack((table.arguments, np.zeros(len(table), np.int64)))
    return np.array(shape, np.int64)[table.name], *np.take_along_axis(padded, where[table.name], axis=1).T


def _complete(domain: Domain, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) has it a value for each role of its goal?"""
    needed = [_needed(domain, name) for name in table.names]
    absent = np.array([any(role not in table.roles for role in roles) for roles in needed], np.bool_)
    wanted = np.array([[role in roles for role in table.roles] for roles in needed], np.bool_).reshape(len(needed), len(table.roles))
    complete: NDArray[np.bool_] = ~(absent[table.name] | (wanted[table.name] & (table.arguments == 0)).any(axis=1))
    return complete


_KINDS = ("place", "object", "person")


def _achievable(domain: Domain, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) is there a skill for every part of its goal, and for things of this kind? ("find" looks for objects, not for people.)"""
    kind_of = np.array(_kinds(domain, table.values), np.int64)
    kinds = kind_of[table.arguments]
    first, group = grouped((table.name, *kinds.T))  # few: candidates differ in what they are about, hardly in its kind
    skills = _skills(domain)
    answers = [
        _has_skills(domain, skills, table.names[table.name[row]], dict(zip(table.roles, kinds[row].tolist(), strict=True))) for row in first
    ]
    achievable: NDArray[np.bool_] = np.array(answers, np.bool_)[group]
    return achievable


_Skills = Mapping[tuple[str, int], Sequence[tuple[str, ...]]]  # predicate and arity → kinds of arguments of each skill that brings it about


def _skills(domain: Domain) -> _Skills:
    found: dict[tuple[str, int], list[tuple[str, ...]]] = {}
    for skill in domain.skills.values():
        for effect in skill.effects:
            predicate, names = parse_literal(effect)
            found.setdefault((predicate, len(names)), []).append(tuple(skill.arguments.get(argument, "") for argument in names))
    return found


def _has_skills(domain: Domain, skills: _Skills, name: str, kinds: Mapping[str, int]) -> bool:
    goal = [parse_literal(literal) for literal in domain.actions[name].goal]
    return bool(goal) and all(
        any(
            all(kind not in _KINDS or kinds.get(role, 0) in (0, 1 + _KINDS.index(kind)) for role, kind in zip(roles, wanted, strict=True))
            for wanted in skills.get((predicate, len(roles)), ())
        )
        for predicate, roles in goal
    )


def _kinds(domain: Domain, values: Sequence[str]) -> list[int]:
    """1 + index into _KINDS of each value; 0 where there is none, 4 of a literal."""
    places, objects, people = domain.places, domain.objects, domain.people
    return [1 if value in places else 2 if value in objects else 3 if value in people else 4 if value else 0 for value in values]
