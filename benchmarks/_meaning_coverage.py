"""How often the conformal set of an unclear sentence holds what was meant, judged as the calibration judges it.

A set is about one member of a clause, and holds goals: actions with the same effect. So a source that only says where a thing is doesn't
count, a role that is missing will be asked for, and of a free choice ("a cup") any is right. If no candidate is right, something else was
meant. Sentences that the robot takes for talk, answers or looks first for have no set: no question is about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from _meaning_actions import Interpretation, option_fits
from _meaning_judge import JudgedSentence
from _meaning_labels import LabelledAct
from _meaning_share import Share
from sayso.console.bench import Row
from sayso.domain import Domain, load_domain
from sayso.domain.vocabulary import parse_literal
from sayso.selection.choosing.calibration import stored
from sayso.selection.choosing.conformal import ConformalSet, kind_of
from sayso.training.selection.meanings import Goal, goal_of
from sayso.types import Action, ActionCandidate


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """The conformal set of a member of a clause."""

    kind: str
    covered: bool  # it holds what was meant
    among: bool  # what was meant is a candidate in the set, and not something else
    size: int  # actions in it
    others: bool  # it holds something else


def coverage_row(judged: Sequence[JudgedSentence]) -> Row:
    """How often the conformal set of an unclear sentence about the default home holds what was meant."""
    domain = load_domain()
    options, stale = stored(domain)
    measure = "coverage of the conformal sets on unclear sentences"
    if options is None:
        return Row(measure, None, "%", "higher", 95.0, reason=stale or "the home was never calibrated")
    sets = [held for each in judged for held in judged_sets(domain, options, each)]
    promised = 100.0 * (1.0 - options.epsilon)
    row = Share(sum(each.covered for each in sets), len(sets)).row(f"{measure}, ε = {options.epsilon:g}", "higher", promised)
    row.baselines["promised"] = promised
    for kind in ("unclear", "doubtful"):
        of_kind = [each.covered for each in sets if each.kind == kind]
        row.baselines.update({kind: 100.0 * float(np.mean(of_kind))} if of_kind else {})
    if sets:
        row.baselines["meant action named"] = 100.0 * float(np.mean([each.among for each in sets]))
        row.baselines["holding something else"] = 100.0 * float(np.mean([each.others for each in sets]))
        row.baselines["actions"] = float(np.mean([each.size for each in sets]))
    return row


def judged_sets(domain: Domain, options: ConformalSet, each: JudgedSentence) -> Iterator[JudgedSet]:
    """The sets of a sentence whose label has an act for each member of each clause."""
    belief = each.understanding.action_belief
    if belief.then or each.understanding.decision == "answer":
        return
    clauses = each.understanding.clauses
    places = sorted({(candidate.clause, candidate.part) for candidate in belief.candidates})
    given = Interpretation(domain, each.understanding)
    sequences = [sequence for sequence in each.label.do if len(sequence) == len(places)]
    for index, place in enumerate(places):
        held = [candidate for candidate in belief.candidates if (candidate.clause, candidate.part) == place]
        acts = [sequence[index] for sequence in sequences]
        mass: dict[Goal, float] = {}
        for candidate in held:
            goal = goal_of(domain, candidate.action)
            mass[goal] = mass.get(goal, 0.0) + candidate.probability
        p = np.array(list(mass.values()), np.float64)
        if acts and clauses[place[0]].out_of_scope <= 0.0 and kind_of(p) != "clear":
            yield _judged(given, options, acts, held, mass)


def _judged(
    given: Interpretation, options: ConformalSet, acts: Sequence[LabelledAct], held: Sequence[ActionCandidate], mass: dict[Goal, float]
) -> JudgedSet:
    p = np.array(list(mass.values()), np.float64)
    inside = {goal for goal, member in zip(mass, options(p), strict=True) if member}
    meant = {goal_of(given.domain, each.action) for each in held if any(_fits(given, act, each.action) for act in acts)}
    among, others = bool(meant & inside), options.holds_others(p)
    return JudgedSet(kind_of(p), among or (not meant and others), among, len(inside), others)


def _fits(given: Interpretation, act: LabelledAct, action: Action) -> bool:
    """Whether the action's goal is the wanted one, or will be once missing roles are given."""
    spec = given.domain.actions.get(action.name)
    in_goal = {role for literal in (spec.goal if spec else ()) for role in parse_literal(literal)[1]} & {*dict(action.arguments)}
    roles = tuple((names, values) for names, values in act.roles if {*names} & in_goal)
    return option_fits(given, LabelledAct(act.names, roles), action)
