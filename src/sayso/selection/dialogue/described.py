"""Answers that describe: "the one next to the bread", "the bigger one". They choose among the actions of the question, by the belief."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from sayso.domain.model import Domain
from sayso.domain.wording import arguments_that_differ
from sayso.meaning.denotation import denotation
from sayso.meaning.naming import placed
from sayso.meaning.world_view import WorldView
from sayso.representation import Description
from sayso.types import Action

EVEN = 1e-3  # difference of probabilities below which the description distinguishes nothing


class Describe(Protocol):
    """Reads an answer. Selection knows no grammar: the pipeline and the node pass a parser."""

    def __call__(self, text: str, /) -> Description | None:
        """The noun phrase that the text consists of; None if it is anything else."""
        ...

    def amount(self, action: str, role: str, text: str, /) -> float:
        """The quantity that the text consists of, in the SI unit of that role; NaN if it is anything else."""
        ...


class _NoParser:
    """Reads nothing: names and places alone are understood."""

    def __call__(self, _text: str) -> Description | None:
        return None

    def amount(self, _action: str, _role: str, _text: str) -> float:
        return math.nan


@dataclass(frozen=True, slots=True)
class AnswerKnowledge:
    """What the words of an answer are compared with, besides the question."""

    view: WorldView = field(default_factory=WorldView)
    describe: Describe = field(default_factory=_NoParser)


@dataclass(frozen=True, slots=True)
class DescribedActions:
    """The actions that a description picks."""

    p: dict[Action, float] = field(default_factory=dict)  # sums to 1; empty if it fits none of them
    unsettled: bool = False  # it may fit each of them equally well: the robot doesn't know their sizes, or where they are


def described(domain: Domain, among: Sequence[Action], phrase: str, known: AnswerKnowledge) -> DescribedActions:
    """P(action | description), by the entities in which the actions differ."""
    description = known.describe(phrase)
    roles = arguments_that_differ(among) if len(among) > 1 else ()
    if description is None or description.parts or not (description.relations or description.order or description.excluded):
        return DescribedActions(placed(domain, among, phrase, known.view.whereabouts))
    entities = {action: next(filter(None, map(action.argument, roles)), "") for action in among}
    scores = dict(description.candidates) or dict.fromkeys(entities.values(), 1.0)
    fitting = tuple((entity, score) for entity, score in scores.items() if entity and entity in entities.values())
    if not fitting or (description.unknown and not description.candidates):
        return DescribedActions()
    meant = denotation(domain, replace(description, candidates=fitting, quantity="the"), known.view)
    chances = {entities_of[0]: p for entities_of, p in meant.referents if len(entities_of) == 1}
    p = {action: chances[entity] for action, entity in entities.items() if chances.get(entity, 0.0) > 0.0}
    total = sum(p.values())
    if total <= 0.0:
        return DescribedActions()
    even = len(p) == len(among) and max(p.values()) - min(p.values()) < EVEN
    return DescribedActions({} if even else {action: chance / total for action, chance in p.items()}, unsettled=even)
