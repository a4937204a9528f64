"""Groups candidates by goal, and tells which goals the robot's skills can achieve.

Actions with the same goal are one outcome: bring the cup to Anna, give the cup to Anna.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain
from sayso.domain.vocabulary import parse_literal
from sayso.selection.choosing.table import CandidateTable, grouped
from sayso.selection.choosing.values import KIND, Ids
from sayso.types import Action, FloatArray


@dataclass(frozen=True, slots=True)
class Abilities:
    """The goals of a domain's actions and the effects of its skills, parsed once."""

    goals: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]  # action → its goal's predicates with their roles, sorted
    skills: Mapping[tuple[str, int], Sequence[tuple[str, ...]]]  # predicate and arity → argument kinds, one tuple per skill
    needed: Mapping[str, tuple[str, ...]]  # action → the roles without which it is not complete, see `needed_roles`
    able: Mapping[str, Mapping[str, frozenset[str]]]  # action → role → the only entities with which a skill can do it: what opens

    @classmethod
    def of(cls, domain: Domain) -> Abilities:
        """The abilities of the domain."""
        skills: dict[tuple[str, int], list[tuple[str, ...]]] = {}
        for skill in domain.skills.values():
            for effect in skill.effects:
                predicate, names = parse_literal(effect)
                skills.setdefault((predicate, len(names)), []).append(tuple(skill.arguments.get(argument, "") for argument in names))
        goals = {name: tuple(sorted(map(parse_literal, spec.goal))) for name, spec in domain.actions.items()}
        able = {name: able_with(domain, goal) for name, goal in goals.items()}
        return cls(goals, skills, {name: needed_roles(domain, name) for name in domain.actions}, able)


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The candidates of a clause grouped into G outcomes, ordered by their most probable candidate."""

    of: Ids  # (N,) the outcome of each candidate
    peak: Ids  # (G,) the most probable candidate of each outcome
    p: FloatArray  # (G,) total probability of the outcome's candidates
    possible: NDArray[np.bool_]  # (G,) a skill achieves it, and there is no objection
    complete: NDArray[np.bool_]  # (G,) no argument is missing
    ready: Ids  # outcomes that are possible and complete, in order
    impossible: float  # total probability of the outcomes that are not possible
    order: Ids  # (N,) the candidates, most probable first


def outcomes_of(abilities: Abilities, table: CandidateTable, p: FloatArray, objected: Ids) -> Outcomes:
    """The outcomes of candidates with these (N,) probabilities; `objected` is (N,), not 0 for a candidate with an objection."""
    # Ordered by best candidate, not by mass: the decision must be about ActionBelief.chosen, which is that candidate.
    descending = np.argsort(-p, kind="stable")
    leads, outcome = grouped([column[descending] for column in (*_goals(abilities, table), objected)])
    peak, of = descending[leads], np.empty(len(table), np.int64)
    of[descending] = outcome
    mass: FloatArray = np.bincount(outcome, weights=p[descending]).astype(np.float64)
    possible = _achievable(abilities, table)[peak] & (objected[peak] == 0)
    complete = _complete(abilities, table)[peak]
    return Outcomes(of, peak, mass, possible, complete, np.flatnonzero(possible & complete), float(mass[~possible].sum()), descending)


def able_with(domain: Domain, goal: Sequence[tuple[str, tuple[str, ...]]]) -> dict[str, frozenset[str]]:
    """Role of the goal → the places or objects that its skills can do it with, for skills that need an ability of it."""
    found: dict[str, frozenset[str]] = {}
    for predicate, roles in goal:
        for skill in domain.skills.values():
            for effect, names in map(parse_literal, skill.effects):
                if effect != predicate or len(names) != len(roles):
                    continue
                for role, name in zip(roles, names, strict=True):
                    if name in skill.needs:
                        able = frozenset(each for each in (*domain.places, *domain.objects) if domain.able(each, skill.needs[name]))
                        found[role] = found.get(role, frozenset()) | able
    return found


def missing_roles(domain: Domain, action: Action) -> tuple[str, ...]:
    """The roles that the action needs and that have no value."""
    arguments = dict(action.arguments)
    return tuple(role for role in needed_roles(domain, action.name) if role not in arguments)


def needed_roles(domain: Domain, action: str) -> tuple[str, ...]:
    """The roles in the action's goal, and those that every intent for it requires: "vacuum" alone asks for the room."""
    in_goal = [role for literal in domain.actions[action].goal for role in parse_literal(literal)[1]]
    if not domain.actions[action].goal:
        return ()  # it is declined, so nothing is asked
    meant = [intent.roles for intent in domain.intents.values() if intent.actions.get(action)]
    required = [role for role, spec in meant[0].items() if spec.required] if meant else []
    common = [role for role in required if all(role in roles and roles[role].required for roles in meant)]
    return tuple(dict.fromkeys((*in_goal, *common)))


def _goals(abilities: Abilities, table: CandidateTable) -> tuple[Ids, ...]:
    """Columns in which two candidates agree if and only if they have the same goal or, without a goal, are the same action."""
    shapes: dict[tuple[str, ...], int] = {}
    shape: list[int] = []  # per action name: number of its goal's combination of predicates
    columns: list[list[int]] = []  # per action name: columns of its goal's arguments; −1 is the empty column
    for name in table.names:
        literals = abilities.goals[name]
        roles = [role for _, roles in literals for role in roles] if literals else list(table.roles)
        form = tuple(f"{predicate}/{len(roles)}" for predicate, roles in literals) if literals else ("", name)
        shape.append(shapes.setdefault(form, len(shapes)))
        columns.append([table.roles.index(role) if role in table.roles else -1 for role in roles])
    width = max(map(len, columns))
    where = np.array([row + [-1] * (width - len(row)) for row in columns], np.int64).reshape(len(columns), width)
    padded = np.column_stack((table.arguments, np.zeros(len(table), np.int64)))
    rows = np.arange(len(table))
    return np.array(shape, np.int64)[table.name], *(padded[rows, column[table.name]] for column in where.T)


def _complete(abilities: Abilities, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) whether each needed role has a value."""
    bit = {role: 1 << place for place, role in enumerate(table.roles)}
    lacking = 1 << len(bit)  # bit of any role that the table lacks
    needed = [sum(bit.get(role, lacking) for role in abilities.needed[name]) for name in table.names]
    present = (table.arguments != 0) @ np.array([*bit.values()], np.int64)
    complete: NDArray[np.bool_] = (np.array(needed, np.int64)[table.name] & ~present) == 0
    return complete


def _achievable(abilities: Abilities, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) whether skills achieve every part of the goal for arguments of these kinds ("find" takes objects, not people)."""
    kinds = table.values.kinds[table.arguments]
    first, group = grouped((table.name, *kinds.T))  # few groups: candidates rarely differ in the kinds of their arguments
    has_skills = [
        _has_skills(abilities, table.names[table.name[row]], dict(zip(table.roles, kinds[row].tolist(), strict=True))) for row in first
    ]
    achievable: NDArray[np.bool_] = np.array(has_skills, np.bool_)[group]
    return achievable & _with_able(abilities, table)


def _with_able(abilities: Abilities, table: CandidateTable) -> NDArray[np.bool_]:
    """(N,) whether the thing is able to: a banana does not open, nor does a window that the home does not know."""
    able = np.ones(len(table), np.bool_)
    for number, name in enumerate(table.names):
        for role, entities in abilities.able[name].items():
            if role in table.roles:
                known = np.array([0, *(table.values.numbers[each] for each in entities if each in table.values.numbers)], np.int64)
                able &= (table.name != number) | np.isin(table.arguments[:, table.roles.index(role)], known)
    return able


def _has_skills(abilities: Abilities, name: str, kinds: Mapping[str, int]) -> bool:
    return bool(abilities.goals[name]) and all(
        any(
            all(kind not in KIND or kinds.get(role, 0) in (0, KIND[kind]) for role, kind in zip(roles, wanted, strict=True))
            for wanted in abilities.skills.get((predicate, len(roles)), ())
        )
        for predicate, roles in abilities.goals[name]
    )
