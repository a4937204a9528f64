"""What actions bring about, and whether the robot can: actions with one goal are one outcome (bring and give the cup to Anna)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain, parse_literal
from sayso.selection.table import CandidateTable, grouped
from sayso.selection.values import KIND, Ids
from sayso.types import Action, FloatArray


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the actions of a domain are for, and what its skills can bring about: read once, asked of every clause."""

    goals: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]  # of each action: predicates with the roles that they are of, sorted
    skills: Mapping[tuple[str, int], Sequence[tuple[str, ...]]]  # predicate and arity → kinds of arguments of each skill for it

    @classmethod
    def of(cls, domain: Domain) -> Abilities:
        """Those of that domain."""
        skills: dict[tuple[str, int], list[tuple[str, ...]]] = {}
        for skill in domain.skills.values():
            for effect in skill.effects:
                predicate, names = parse_literal(effect)
                skills.setdefault((predicate, len(names)), []).append(tuple(skill.arguments.get(argument, "") for argument in names))
        goals = {name: tuple(sorted(map(parse_literal, spec.goal))) for name, spec in domain.actions.items()}
        return cls(goals, skills)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The candidates of a clause gathered by what they bring about: G outcomes, that of the most probable candidate first."""

    of: Ids  # (N,) the outcome of each candidate
    peak: Ids  # (G,) its most probable candidate
    p: FloatArray  # (G,) its mass: of all its candidates together
    possible: NDArray[np.bool_]  # (G,) is there a skill for it, and nothing said against it?
    complete: NDArray[np.bool_]  # (G,) is no argument missing?
    ready: Ids  # those that are both, in order
    impossible: float  # the mass of what cannot be done at all
    order: Ids  # (N,) the candidates, most probable first


def gathered(able: Abilities, table: CandidateTable, p: FloatArray, objected: Ids) -> Outcomes:
    """The outcomes of candidates with these probabilities; `objected` is (N,), not 0 where something said stands against it."""
    # By its best candidate, not by its mass: that candidate is ActionBelief.chosen, and what is decided must be that.
    descending = np.argsort(-p, kind="stable")
    leads, outcome = grouped([column[descending] for column in (*_goals(able, table), objected)])
    peak, of = descending[leads], np.empty(len(table), np.int64)
    of[descending] = outcome
    mass: FloatArray = np.bincount(outcome, weights=p[descending]).astype(np.float64)
    possible = _achievable(able, table)[peak] & (objected[peak] == 0)
    complete = _complete(able, table)[peak]
    return Outcomes(of, peak, mass, possible, complete, np.flatnonzero(possible & complete), float(mass[~possible].sum()), descending)


def missing_roles(domain: Domain, action: Action) -> tuple[str, ...]:
    """The roles of its goal that the action has no value for."""
    held = dict(action.arguments)
    needed = dict.fromkeys(role for literal in domain.actions[action.name].goal for role in parse_literal(literal)[1])
    return tuple(role for role in needed if role not in held)


def _goals(able: Abilities, table: CandidateTable) -> tuple[Ids, ...]:
    """Columns in which two candidates agree if and only if they have one goal; without a goal, if they are the same action."""
    shapes: dict[tuple[str, ...], int] = {}
    shape: list[int] = []  # of each name: which predicates its goal has
    columns: list[list[int]] = []  # of each name: where the arguments of its goal stand; the last column has none
    for name in table.names:
        literals = able.goals[name]
        roles = [role for _, roles in literals for role in roles] if literals else list(table.roles)
        form = tuple(f"{predicate}/{len(roles)}" for predicate, roles in literals) if literals else ("", name)
        shape.append(shapes.setdefault(form, len(shapes)))
        columns.append([table.roles.index(role) if role in table.roles else -1 for role in roles])
    width = max(map(len, columns))
    where = np.array([row + [-1] * (width - len(row)) for row in columns], np.int64).reshape(len(columns), width)
    padded = np.column_stack((table.arguments, np.zeros(len(table), np.int64)))
    rows = np.arange(len(table))
    return np.array(shape, np.int64)[table.name], *(padded[rows, column[table.name]] for column in where.T)


def _complete(able: Abilities, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) has it a value for each role of its goal?"""
    bit = {role: 1 << place for place, role in enumerate(table.roles)}
    lacking = 1 << len(bit)  # of a role that the table does not have
    needed = [sum(bit.get(role, lacking) for role in {role for _, roles in able.goals[name] for role in roles}) for name in table.names]
    held = (table.arguments != 0) @ np.array([*bit.values()], np.int64)
    complete: NDArray[np.bool_] = (np.array(needed, np.int64)[table.name] & ~held) == 0
    return complete


def _achievable(able: Abilities, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) is there a skill for every part of its goal, and for things of this kind? ("find" looks for objects, not for people.)"""
    kinds = table.values.kinds[table.arguments]
    first, group = grouped((table.name, *kinds.T))  # few: candidates differ in what they are about, hardly in its kind
    answers = [_has_skills(able, table.names[table.name[row]], dict(zip(table.roles, kinds[row].tolist(), strict=True))) for row in first]
    achievable: NDArray[np.bool_] = np.array(answers, np.bool_)[group]
    return achievable


def _has_skills(able: Abilities, name: str, kinds: Mapping[str, int]) -> bool:
    return bool(able.goals[name]) and all(
        any(
            all(kind not in KIND or kinds.get(role, 0) in (0, KIND[kind]) for role, kind in zip(roles, wanted, strict=True))
            for wanted in able.skills.get((predicate, len(roles)), ())
        )
        for predicate, roles in able.goals[name]
    )
