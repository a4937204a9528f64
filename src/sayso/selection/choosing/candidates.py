"""The actions with arguments that a clause may ask for, from its roles, the domain and the context."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from sayso.agenda.places import inside
from sayso.domain.intents import RoleSpec
from sayso.domain.model import Domain
from sayso.domain.wording import called, definite
from sayso.selection.choosing.table import CandidateTable, grouped
from sayso.selection.choosing.topics import MESSAGE, is_topic
from sayso.selection.choosing.values import KIND, Ids, Values
from sayso.types import NAME_SCALE, Clause, Context, FloatArray, Role

DRIVES = frozenset(("move", "turn"))  # intents
STEERED = frozenset(
    ("forward", "backward", "left", "right")
)  # the directions of wheels; no wheel turns up, and no robot knows where north is
P_UNUSED_ROLE = 0.1  # relative likelihood of a phrase for which the intent has no role
P_MISSING_ROLE = 0.3  # relative likelihood of omitting a required role
VAGUE = frozenset(
    {
        "something",
        "anything",
        "it",
        "that",
        "this",
        "them",
        "one",
        "ones",
        "these",
        "those",
        "thing",
        "things",
        "stuff",
        "somewhere",
        "there",
        "someone",
    }
)
_POINTING = frozenset(("that", "this", "the", "those", "these"))
PERSONS = frozenset({"him", "her", "them", "they", "he", "she"})
P_STRAY = 0.05  # relative likelihood of naming a source where the object never is
READINGS = 100_000  # limit per clause and intent; keeps the best-fitting names


@dataclass(frozen=True, slots=True)
class Fillings:
    """The values that may fill a role."""

    values: Ids  # (F,) value numbers
    fit: FloatArray  # (F,) λ, how well the words fit each value

    def __len__(self) -> int:
        return len(self.values)


NOT_SAID = Fillings(np.zeros(1, np.int64), np.ones(1))
NOTHING_FITS = Fillings(np.zeros(1, np.int64), np.ones(1))  # the role has words, but they name no possible value


@dataclass(frozen=True, slots=True)
class Readings:
    """The M readings of a clause as one intent: one per combination of role values."""

    roles: tuple[str, ...]  # (R,)
    arguments: Ids  # (M, R) value numbers; 0 for a missing role
    match: FloatArray  # (M,) λ: how well the words fit, up to a factor common to the clause
    objection: str = ""  # why it cannot be done as said: "I don't know the garage."


@dataclass(frozen=True, slots=True)
class ActionReadings:
    """The readings of one intent, interpreted as one of its actions."""

    action: int  # index in the domain
    intent: int  # index in the domain
    readings: Readings


class ClauseReader:
    """Reads a clause as any given intent, with every filling of its roles that the domain and the context allow."""

    def __init__(self, domain: Domain, values: Values, clause: Clause, context: Context) -> None:
        self._domain, self._clause, self._context = domain, clause, context
        self.values = values  # the domain's, extended by literals from the clause
        # Caches: intents share most roles, so fill each role once and combine each set of roles once.
        self._filled: dict[tuple[str, tuple[str, ...], bool, str], Fillings] = {}
        self._combined: dict[tuple[tuple[str, int], ...], tuple[Ids, FloatArray]] = {}

    def number(self, value: str) -> int:
        """The value's number: 0 for "", a new number for a new value."""
        if value not in self.values.numbers:
            self.values = self.values.extended((value,))
        return self.values.numbers[value]

    def __call__(self, intent: str) -> Readings:
        """Every way to fill the roles of the intent."""
        specs = self._domain.intents[intent].roles if intent in self._domain.intents else {}
        match = math.prod((P_UNUSED_ROLE * _mean_fit(role) for role in self._clause.roles if role.name not in specs), start=1.0)
        objection = ""
        options: dict[str, Fillings] = {}
        for name, spec in specs.items():
            options[name] = self._options(name, spec)
            role = self._clause.role(name)
            if role and name == MESSAGE and spec.required and not spec.values and self._is_topic(role):
                objection, options[name] = f"I don't know what to say about “{role.text.removeprefix('about ')}”.", NOTHING_FITS
            elif role and intent in DRIVES and role.kind == "direction" and role.entity not in STEERED:
                objection, options[name] = f"I can't {intent} {role.entity}.", NOTHING_FITS
            elif role and options[name] is NOTHING_FITS:
                objection = objection or _objection(self._domain, role, spec)
            elif options[name] is NOT_SAID and spec.required:
                match *= P_MISSING_ROLE
        arguments, fit = self._combinations(options)
        return Readings(tuple(specs), arguments, match * fit, objection)

    def _is_topic(self, message: Role) -> bool:
        told, speaker = self._clause.role("recipient"), self._context.speaker or self._domain.speaker
        if any(event.start <= message.start < event.end for event in self._clause.modifiers.conditions):
            return False  # "tell me when the bus comes"
        return is_topic(message.text, self._clause.text, to_speaker=told is None or told.entity == speaker)

    def _options(self, name: str, spec: RoleSpec) -> Fillings:
        key = (name, spec.kinds, spec.surface, spec.default)
        if key not in self._filled:
            self._filled[key] = self._fillings(self._clause.role(name), spec)
        return self._filled[key]

    def _fillings(self, role: Role | None, spec: RoleSpec) -> Fillings:
        """The possible values of a role, given its words; `role` is None if the clause does not mention it."""
        if role is None:
            return self._default(spec)
        if not role.candidates and _is_vague(role):
            # A pronoun without an antecedent: take the held object; it was mentioned, so that no default fills the role.
            held = self._context.holding if "object" in spec.kinds else ""
            return self._only(held) if held else (NOTHING_FITS if spec.default else NOT_SAID)
        if role.kind == "quantity" and not math.isfinite(role.value):
            return NOT_SAID  # "move forward for ten seconds": the amount is of another dimension, and the usual one was not meant
        if role.kind not in KIND:
            value = f"{role.value:g}" if math.isfinite(role.value) else role.entity or role.text
            return self._only(value) if role.kind in spec.kinds or "words" in spec.kinds else NOTHING_FITS
        named = self._named(role, spec)
        if len(named):
            return self._surfaces(named) if spec.surface else named
        return self._only(role.text) if "words" in spec.kinds else NOTHING_FITS

    def _named(self, role: Role, spec: RoleSpec) -> Fillings:
        """The phrase's candidate entities of the role's kinds, with λ = exp((score − best) / scale)."""
        names, scores = zip(*(role.candidates or ((role.entity, role.score),)), strict=True)
        values = np.fromiter(map(self.values.numbers.get, names, repeat(0)), np.int64, len(names))
        kinds, fitting = self.values.kinds[values], np.zeros(len(names), np.bool_)
        for kind in KIND.keys() & spec.kinds:
            fitting |= kinds == KIND[kind]
        return Fillings(values[fitting], _relative(np.array(scores, np.float64)[fitting]))

    def _surfaces(self, named: Fillings) -> Fillings:
        """Each place that is a surface; any other place is replaced by the surfaces inside it ("put it in the kitchen")."""
        found: dict[int, float] = {}
        values = self.values.names
        for entity, match in zip(named.values.tolist(), named.fit.tolist(), strict=True):
            for value in _surfaces_of(self._domain, values[entity]):
                number = self.number(value)
                found[number] = found.get(number, 0.0) + match
        return Fillings(np.array([*found], np.int64), np.array([*found.values()])) if found else NOTHING_FITS

    def _default(self, spec: RoleSpec) -> Fillings:
        value = (self._context.speaker or self._domain.speaker) if spec.default == "speaker" else spec.default
        return self._only(value) if value else NOT_SAID

    def _only(self, value: str) -> Fillings:
        return Fillings(np.array([self.number(value)], np.int64), np.ones(1))

    def _combinations(self, options: dict[str, Fillings]) -> tuple[Ids, FloatArray]:
        """(M, R) every combination of role values, and (M,) its λ."""
        key = tuple((role, id(fillings)) for role, fillings in options.items())
        if key not in self._combined:
            self._combined[key] = self._combine(_bounded(options))
        return self._combined[key]

    def _combine(self, options: dict[str, Fillings]) -> tuple[Ids, FloatArray]:
        shape = [len(fillings) for fillings in options.values()]  # one axis per role
        arguments, fit = np.empty((*shape, len(shape)), np.int64), np.ones(shape)
        for axis, fillings in enumerate(options.values()):
            along = [1] * axis + [-1] + [1] * (len(shape) - axis - 1)
            arguments[..., axis] = fillings.values.reshape(along)
            fit *= fillings.fit.reshape(along)
        if "theme" in options and "source" in options and options["source"].values.any():
            picked = dict(zip(options, np.indices(shape), strict=True))
            fit *= self._agreements(options["theme"], options["source"])[picked["theme"], picked["source"]]
        return arguments.reshape(fit.size, len(shape)), fit.reshape(-1)

    def _agreements(self, themes: Fillings, sources: Fillings) -> FloatArray:
        """(F, G) λ of naming each source for each theme."""
        values = self.values.names
        return np.array([[_agreement(self._domain, values[theme], values[source]) for source in sources.values] for theme in themes.values])


def candidates(domain: Domain, names: Sequence[str], meant: Sequence[ActionReadings], read: ClauseReader) -> tuple[CandidateTable, Ids]:
    """The distinct grounded actions of all readings; an action's defaults fill the roles that the words leave open.

    Args:
        domain: provides the defaults
        names: (A,) names of its actions
        meant: readings by action and intent, M in total
        read: the reader that made the readings

    Returns:
        N candidates in order of first appearance, and (M,) the candidate of each reading.
    """
    used = sorted({each.action for each in meant})
    defaults = [(number, role, value) for number in used for role, value in domain.actions[names[number]].defaults.items()]
    roles = tuple(sorted({role for each in meant for role in each.readings.roles} | {role for _, role, _ in defaults}))
    size = sum(len(each.readings.match) for each in meant)
    arguments, name = np.zeros((size, len(roles)), np.int64), np.zeros(size, np.int64)
    start = 0
    for each in meant:
        end = start + len(each.readings.match)
        if each.readings.roles:
            arguments[start:end, [roles.index(role) for role in each.readings.roles]] = each.readings.arguments
        name[start:end] = used.index(each.action)
        start = end
    for number, role, value in defaults:
        column = arguments[:, roles.index(role)]
        column[(name == used.index(number)) & (column == 0)] = read.number(value)
    first, candidate = (np.arange(size), np.arange(size)) if len(used) == len(meant) else grouped((name, *arguments.T))
    return CandidateTable(tuple(names[number] for number in used), roles, read.values, name[first], arguments[first]), candidate


def _bounded(options: dict[str, Fillings]) -> dict[str, Fillings]:
    """The same options; halves the longest list, keeping its best, until there are at most READINGS combinations."""
    while math.prod(len(fillings) for fillings in options.values()) > READINGS:
        longest = max(options, key=lambda role: len(options[role]))
        values, fit = options[longest].values, options[longest].fit
        best = np.argsort(-fit, kind="stable")[: len(fit) // 2]
        options = {**options, longest: Fillings(values[best], fit[best])}
    return options


def _surfaces_of(domain: Domain, entity: str) -> Iterator[str]:
    place = domain.places.get(entity)
    if place is None or place.takes:
        yield entity
        return
    yield from (inner for inner, inside in domain.places.items() if inside.surface and inside.inside == entity)


def _mean_fit(role: Role) -> float:
    """Mean λ of the words over their candidates: the likelihood of the words under an action that lacks the role."""
    return float(_relative(np.array([score for _, score in role.candidates])).mean()) if role.candidates else 1.0


def _relative(scores: FloatArray) -> FloatArray:
    """(N,) λ of names with these scores; the best is 1."""
    relative: FloatArray = np.exp((scores - scores.max(initial=-math.inf)) / NAME_SCALE)
    return relative


def _is_vague(role: Role) -> bool:
    """Whether the words name nothing by themselves: "it", "that one"."""
    words = role.text.split()
    described = role.description
    restricted = described is not None and (described.restricted or described.attributes)
    return bool(words) and words[-1] in VAGUE and all(word in _POINTING for word in words[:-1]) and not (len(words) > 1 and restricted)


def _objection(domain: Domain, role: Role, spec: RoleSpec) -> str:
    if role.entity in domain.places and spec.surface:
        return f"I can't put anything on {called(domain, role.entity)}."
    if domain.entity(role.entity):
        return f"I can't do that with {called(domain, role.entity)}."
    pronoun = role.description.pronoun if role.description is not None else ""
    if role.text in PERSONS or pronoun == "person":
        return f"I don't know who you mean by “{role.text}”."
    if role.description is not None and pronoun and role.description.unknown:  # "where you were"
        return f"I don't know what you mean by “{role.text}”."
    return f"I don't know {definite(role.text, role.kind)}."


def _agreement(domain: Domain, theme: str, source: str) -> float:
    """λ of naming the source for the theme: the share of the theme's usual places inside the source; 1 if either is unknown."""
    thing = domain.objects.get(theme)
    if thing is None or not thing.usual or source not in domain.places:
        return 1.0
    total = sum(thing.usual.values())
    there = sum(weight for place, weight in thing.usual.items() if inside(domain, place, source))
    return P_STRAY + (1.0 - P_STRAY) * there / total
