"""What a clause may ask for: actions with their arguments, from its roles, the domain and the context."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.domain.model import Domain, RoleSpec
from sayso.domain.wording import called, definite
from sayso.selection.deeds import is_a
from sayso.selection.table import CandidateTable, Ids, grouped
from sayso.types import Clause, Context, FloatArray, Role

NAME_SCALE = 0.05  # of score: a name that fits so much worse than the best one is e times less probable
P_UNUSED_ROLE = 0.1  # of a phrase in the clause that the intent has no role for, against one that it has
P_MISSING_ROLE = 0.3  # of leaving out what the intent requires, against saying it
VAGUE = frozenset({"something", "anything", "it", "that", "this", "them", "one", "thing", "stuff", "somewhere", "there", "someone"})
P_STRAY = 0.05  # of naming a source where the thing never is
READINGS = 100_000  # at most, of one clause by one intent: its best-fitting names first


@dataclass(frozen=True, slots=True)
class Readings:
    """A clause read as one intent, in the M ways in which its roles can be filled."""

    roles: tuple[str, ...]  # (R,)
    arguments: Ids  # (M, R) numbers of values; 0 is a role that is missing
    match: FloatArray  # (M,) λ: how well the words fit, up to a factor common to the clause
    objection: str = ""  # why it cannot be done as said: "I don't know the garage."


@dataclass(frozen=True, slots=True)
class Meant:
    """Readings taken to mean one action."""

    action: int  # number in the domain
    intent: int
    readings: Readings


class Values:
    """Values by number: 0 is "", the others in the order in which they came up."""

    def __init__(self) -> None:
        self._numbers = {"": 0}

    def number(self, value: str) -> int:
        """The value's number, a new one where it is new."""
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def names(self) -> tuple[str, ...]:
        """(V,) the values."""
        return tuple(self._numbers)


def readings(domain: Domain, clause: Clause, intent: str, context: Context, values: Values) -> Readings:
    """Every way to fill the roles of that intent from the clause."""
    specs = domain.intents[intent].roles if intent in domain.intents else {}
    match = math.prod((P_UNUSED_ROLE * _by_chance(role) for role in clause.roles if role.name not in specs), start=1.0)
    objection = ""
    fillings: list[dict[str, float]] = []
    for name, spec in specs.items():
        role = clause.role(name)
        if role and not role.candidates and role.text in VAGUE:
            # It names nothing that was spoken of: what is in the hand, or else as good as not said.
            options = {context.holding: 1.0} if context.holding and "object" in spec.kinds else _default(domain, spec, context)
            role = None
        else:
            options = _filled(domain, role, spec) if role else _default(domain, spec, context)
        if role and not options:
            objection = objection or _objection(domain, role, spec)
        elif not options and spec.required:
            match *= P_MISSING_ROLE
        fillings.append(options or {"": 1.0})
    return Readings(tuple(specs), *_product(domain, tuple(specs), fillings, match, values), objection)


def _product(
    domain: Domain, roles: Sequence[str], fillings: list[dict[str, float]], match: float, values: Values
) -> tuple[Ids, FloatArray]:
    """(M, R) every combination of what fills each role, and (M,) its λ."""
    fillings = _bounded(fillings)
    shape = tuple(len(options) for options in fillings)
    picked = dict(zip(roles, np.unravel_index(np.arange(math.prod(shape)), shape), strict=True)) if roles else {}
    arguments = np.zeros((math.prod(shape), len(roles)), np.int64)
    fit = np.full(len(arguments), match)
    for index, (role, options) in enumerate(zip(roles, fillings, strict=True)):
        arguments[:, index] = np.array([values.number(value) for value in options], np.int64)[picked[role]]
        if len(options) > 1:
            fit *= np.array(list(options.values()))[picked[role]]
    said = dict(zip(roles, fillings, strict=True))
    if "theme" in said and said.get("source", {"": 1.0}) != {"": 1.0}:
        agreement = np.array([[_agreement(domain, theme, source) for source in said["source"]] for theme in said["theme"]])
        fit *= agreement[picked["theme"], picked["source"]]
    return arguments, fit


def _bounded(fillings: list[dict[str, float]]) -> list[dict[str, float]]:
    """The same, the longest lists cut down to their best until all combinations are not too many."""
    fillings = list(fillings)
    while math.prod(len(options) for options in fillings) > READINGS:
        longest = max(range(len(fillings)), key=lambda index: len(fillings[index]))
        best = sorted(fillings[longest].items(), key=lambda option: -option[1])
        fillings[longest] = dict(best[: len(best) // 2])
    return fillings


def candidates(domain: Domain, names: Sequence[str], meant: Sequence[Meant], values: Values) -> tuple[CandidateTable, Ids]:
    """All that may be meant, each action with its arguments once; where the words give none, an action's defaults stand.

    Args:
        domain: for the defaults
        names: (A,) of its actions
        meant: readings by action and intent, M of them altogether
        values: what the numbers in them stand for

    Returns:
        N candidates in the order in which they first come, and (M,) the candidate of each reading.
    """
    used = sorted({each.action for each in meant})
    defaults = [(number, role, value) for number in used for role, value in domain.actions[names[number]].defaults.items()]
    roles = tuple(sorted({role for each in meant for role in each.readings.roles} | {role for _, role, _ in defaults}))
    size = sum(len(each.readings.match) for each in meant)
    arguments, name = np.zeros((size, len(roles)), np.int64), np.zeros(size, np.int64)
    start = 0
    for each in meant:
        end = start + len(each.readings.match)
        for index, role in enumerate(each.readings.roles):
            arguments[start:end, roles.index(role)] = each.readings.arguments[:, index]
        name[start:end] = used.index(each.action)
        start = end
    for number, role, value in defaults:
        column = arguments[:, roles.index(role)]
        column[(name == used.index(number)) & (column == 0)] = values.number(value)
    first, candidate = (np.arange(size), np.arange(size)) if len(meant) == 1 else grouped((name, *arguments.T))
    return CandidateTable(tuple(names[number] for number in used), roles, values.names, name[first], arguments[first]), candidate


def _filled(domain: Domain, role: Role, spec: RoleSpec) -> dict[str, float]:
    """The values that the phrase may mean, with λ = exp((score − best) / scale); none where it names nothing of these kinds."""
    if role.kind not in _ENTITIES:
        value = f"{role.value:g}" if math.isfinite(role.value) else role.entity or role.text
        return {value: 1.0} if role.kind in spec.kinds or "words" in spec.kinds else {}
    scored = list(role.candidates) or [(role.entity, role.score)]
    kinds = [kind for kind in spec.kinds if kind in _ENTITIES]
    fitting = [(entity, score) for entity, score in scored if entity and any(is_a(domain, entity, kind) for kind in kinds)]
    if not fitting:
        return {role.text: 1.0} if "words" in spec.kinds else {}
    best = max(score for _, score in fitting)
    found: dict[str, float] = {}
    for entity, score in fitting:
        for value in _bearing(domain, entity, spec):
            found[value] = found.get(value, 0.0) + math.exp((score - best) / NAME_SCALE)
    return found


_ENTITIES = ("place", "object", "person")


def _bearing(domain: Domain, entity: str, spec: RoleSpec) -> Iterator[str]:
    """The entity itself, or, where a surface is needed and it is none, the surfaces inside ("put it in the kitchen")."""
    place = domain.places.get(entity)
    if not spec.surface or place is None or place.surface:
        yield entity
        return
    yield from (inner for inner, inside in domain.places.items() if inside.surface and inside.inside == entity)


def _by_chance(role: Role) -> float:
    """λ of these words for anything that they may name, on average: what an action that has no such role explains them by."""
    best = max((score for _, score in role.candidates), default=0.0)
    fits = [math.exp((score - best) / NAME_SCALE) for _, score in role.candidates]
    return sum(fits) / len(fits) if fits else 1.0


def _objection(domain: Domain, role: Role, spec: RoleSpec) -> str:
    if role.entity in domain.places and spec.surface:
        return f"I can't put anything on {called(domain, role.entity)}."
    if domain.entity(role.entity):
        return f"I can't do that with {called(domain, role.entity)}."
    return f"I don't know {definite(role.text, role.kind)}."


def _default(domain: Domain, spec: RoleSpec, context: Context) -> dict[str, float]:
    value = (context.speaker or domain.speaker) if spec.default == "speaker" else spec.default
    return {value: 1.0} if value else {}


def _agreement(domain: Domain, theme: str, source: str) -> float:
    """λ of saying "from the kitchen" of a thing: how much of where it tends to be is there; 1 where nothing is known or said."""
    thing = domain.objects.get(theme)
    if thing is None or not thing.usual or source not in domain.places:
        return 1.0
    total = sum(thing.usual.values())
    inside = sum(weight for place, weight in thing.usual.items() if _inside(domain, place, source))
    return P_STRAY + (1.0 - P_STRAY) * inside / total


def _inside(domain: Domain, place: str, outer: str) -> bool:
    while place != outer and domain.places[place].inside:
        place = domain.places[place].inside
    return place == outer
