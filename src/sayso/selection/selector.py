"""Intent belief + context → posterior over grounded actions, and the decision based on it (eq. 13, 14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain
from sayso.domain.wording import phrase_for, spoken_action
from sayso.selection.candidates import ActionReadings, ClauseReader, candidates
from sayso.selection.decide import CARE, Options, Verdict, decide_among, worth_of_executing
from sayso.selection.learnt import FACTOR
from sayso.selection.outcomes import Abilities, outcomes_of
from sayso.selection.posterior import bayes, intents_of_actions, likelihood_of_candidates, likelihood_of_intents
from sayso.selection.priors import Prior, prior
from sayso.selection.replies import is_reply
from sayso.selection.resuming import confirm_unless_explicit, says_resume
from sayso.selection.table import CandidateTable
from sayso.selection.values import Values
from sayso.types import Action, ActionBelief, ActionCandidate, Clause, Context, FloatArray, IntentBelief

NEGLIGIBLE = 1e-3  # an intent whose P(c|k) is below this share of the best one gets no candidates
SHOWN = 24  # best candidates of a clause that the belief carries; all are scored
LEARNT_AMONG = 1000  # best candidates for which the learnt prior is evaluated
NOT_FOR_ME = "I don't think that was meant for me."


class Learnt(Protocol):
    """The domain's P(a|ctx) → P(a|ctx) learnt from confirmed commands."""

    def __call__(self, base: FloatArray, actions: Sequence[Action], context: Context) -> FloatArray:
        """(N,) from (N,); both sum to 1."""
        ...


@dataclass(frozen=True, slots=True)
class _ScoredClause:
    """The candidates of one clause and the verdict on it."""

    candidates: tuple[ActionCandidate, ...]
    verdict: Verdict


class ActionSelector:
    """Decides what to do about an utterance: P(a|c, ctx) ∝ P(a|ctx) Σ_k P(k|a) P(c|k) λ(role words), then expected utility."""

    def __init__(self, domain: Domain, learnt: Learnt | None = None, options: Options | None = None) -> None:
        """Of that domain.

        Args:
            domain: what may be done, and what mistakes and questions cost.
            learnt: what confirmed commands have shown of P(a|ctx).
            options: the conformal set that a question should offer; without it, the candidates not far behind the best.
        """
        self.domain = domain
        self._abilities, self._values = Abilities.of(domain), Values.of(domain)
        self._learnt = learnt
        self._options = options
        self._intents = tuple(domain.intents)
        self._actions = tuple(domain.actions)
        table = np.array([[domain.intents[intent].actions.get(action, 0.0) for intent in self._intents] for action in self._actions])
        weights = np.array([domain.intents[intent].prior for intent in self._intents])
        self._p_k_given_a = intents_of_actions(table, weights / weights.sum())

    def __call__(self, belief: IntentBelief, context: Context | None) -> ActionBelief:
        """The posterior of each clause, and one decision: the most careful one among the clauses.

        If the context is missing, or was out of date when the words were said, the prior is neutral: the weights of the domain file
        alone. `notes` says so.
        """
        nothing = ActionBelief(belief.utterance_id, belief.stamp, (), "reject", "")
        if belief.rejected or not belief.clauses:
            reason = belief.rejected or "nothing was said"
            return replace(nothing, reason=reason, question=reason)
        if is_reply(belief.text) and not says_resume(self.domain, belief.text):  # "go on" is also a yes
            return replace(nothing, reason="an answer, but nothing was asked", question="I have not asked anything.")
        known, note = self._up_to_date(belief, context)
        weighed = [self._weigh(index, belief, known) for index in range(len(belief.clauses))]
        verdict = most_careful([clause.verdict for clause in weighed])
        found = tuple(candidate for clause in weighed for candidate in clause.candidates)
        decided = replace(nothing, candidates=found, notes=(note,) if note else ())
        return with_verdict(self.domain, decided, confirm_unless_explicit(self.domain, belief.text, decided.chosen, verdict))

    def _up_to_date(self, belief: IntentBelief, context: Context | None) -> tuple[Context | None, str]:
        """The context if it is recent, else None and a note. A context without a stamp was given by hand and counts as recent."""
        if context is None:
            return None, "the robot's context is unknown: neutral prior"
        age = belief.stamp - context.stamp
        if context.stamp and belief.stamp and age > self.domain.priors.context_within:
            return None, f"the robot's context is {age:.0f} s old: neutral prior"
        return context, ""

    def _weigh(self, index: int, belief: IntentBelief, context: Context | None) -> _ScoredClause:
        clause = belief.clauses[index]
        p = clause.probabilities
        if not (np.isfinite(p).all() and p.sum() > 0.0) or np.isnan(clause.out_of_scope) or not (belief.p_train > 0.0).all():
            return _ScoredClause((), Verdict("reject", 0.0, "the intent classifier gave no numbers", "I can't think just now."))
        found, verdict = self._candidates(index, belief, context)
        if clause.out_of_scope > 0.0:
            return _ScoredClause(found, Verdict("reject", 0.0, f"not a command: {clause.out_of_scope:.1f} nats out of scope", NOT_FOR_ME))
        if clause.negated and found:
            said = spoken_action(self.domain, found[0].action)
            return _ScoredClause(found, Verdict("reject", 0.0, f"told not to {said}", f"All right, I won't {said}."))
        return _ScoredClause(found, verdict)

    def _candidates(self, index: int, belief: IntentBelief, context: Context | None) -> tuple[tuple[ActionCandidate, ...], Verdict]:
        """The clause's best candidates, most probable first, and the verdict on all of them."""
        clause = belief.clauses[index]
        p_c = self._likelihood_of_intents(clause, belief)
        read = ClauseReader(self.domain, self._values, clause, context or Context())
        meant = self._action_readings(p_c, read)
        if not meant:
            return (), Verdict("reject", 0.0, "no action of this domain matches", "I don't know what to do about that.")
        table, candidate = candidates(self.domain, self._actions, meant, read)  # (M,) readings → N candidates
        sizes = [len(each.readings.match) for each in meant]
        action, intent = (np.repeat(numbers, sizes) for numbers in zip(*((each.action, each.intent) for each in meant), strict=True))
        match = np.concatenate([each.readings.match for each in meant])
        likelihood = likelihood_of_candidates(np.array((candidate, action, intent)), match, self._p_k_given_a, p_c)
        expected = self._prior(table, likelihood, context)
        posterior = bayes(likelihood, expected.p)
        if not posterior.any():
            return (), Verdict("reject", 0.0, "every matching action is ruled out: its prior is 0", "I won't do that now.")
        lines = ("", *dict.fromkeys(each.readings.objection for each in meant if each.readings.objection))
        objected = np.zeros(len(table), np.int64)
        if len(lines) > 1:
            np.maximum.at(objected, candidate, np.repeat([lines.index(each.readings.objection) for each in meant], sizes))
        outcomes = outcomes_of(self._abilities, table, posterior, objected)
        best = outcomes.order[:SHOWN]
        actions, mass = table.actions(best), outcomes.p[outcomes.of[best]].tolist()
        worth = [worth_of_executing(self.domain, action, p) for action, p in zip(actions, mass, strict=True)]
        columns = (column[best].tolist() for column in (likelihood, expected.p, posterior))
        figures = zip(actions, *columns, worth, expected.why(best), strict=True)
        shown = tuple(ActionCandidate(index, *values) for values in figures)
        return shown, decide_among(self.domain, table, outcomes, lines[objected[outcomes.peak[0]]], self._options)

    def _action_readings(self, p_c: FloatArray, read: ClauseReader) -> list[ActionReadings]:
        """The clause read as every likely intent, and each intent interpreted as every action it may mean."""
        found = []
        for intent in np.flatnonzero(p_c > NEGLIGIBLE * p_c.max()):
            actions = np.flatnonzero(self._p_k_given_a[:, intent])
            if len(actions):
                readings = read(self._intents[intent])
                found += [ActionReadings(int(action), int(intent), readings) for action in actions]
        return found

    def _prior(self, table: CandidateTable, likelihood: FloatArray, context: Context | None) -> Prior:
        """P(a|ctx) from the domain file, then as learnt; with very many candidates, the learnt prior covers the best ones only."""
        expected = prior(self.domain, table, context)
        if self._learnt is None or context is None or not expected.p.any():
            return expected
        rows: NDArray[np.int64] = np.arange(len(table))
        if len(rows) > LEARNT_AMONG:
            rows = np.argpartition(-likelihood * expected.p, LEARNT_AMONG)[:LEARNT_AMONG]
        mass = float(expected.p[rows].sum())
        if mass <= 0.0:
            return expected
        p = expected.p.copy()
        p[rows] = mass * self._learnt(p[rows] / mass, table.actions(rows), context)
        return expected.times(FACTOR, p)

    def _likelihood_of_intents(self, clause: Clause, belief: IntentBelief) -> FloatArray:
        """(K,) P(c|k) in the domain's order of intents, whatever the classifier's; 0 for one it does not know."""
        given = dict(zip(belief.intents, clause.probabilities.tolist(), strict=True))
        p_train = dict(zip(belief.intents, belief.p_train.tolist(), strict=True)) if len(belief.p_train) else {}
        p, prior_of_training = ([of.get(intent, absent) for intent in self._intents] for of, absent in ((given, 0.0), (p_train, 1.0)))
        return likelihood_of_intents(np.array(p), np.array(prior_of_training))


def most_careful(verdicts: list[Verdict]) -> Verdict:
    """The verdict on a whole utterance: the first of the most careful ones, since its clauses are executed all or none."""
    careful = max(verdicts, key=lambda verdict: CARE.index(verdict.decision))
    return careful if careful.decision != "execute" else replace(careful, reason="; ".join(verdict.reason for verdict in verdicts))


def with_verdict(domain: Domain, belief: ActionBelief, verdict: Verdict) -> ActionBelief:
    """The belief with the verdict, and a phrase for the visual grounder for every object that may be meant."""
    asked = verdict.decision in ("confirm", "ask")
    meant = belief.chosen if verdict.decision in ("execute", "confirm") else verdict.options if asked else ()
    objects = dict.fromkeys(value for action in meant for _, value in action.arguments if value in domain.objects)
    return ActionBelief(
        utterance_id=belief.utterance_id,
        stamp=belief.stamp,
        candidates=belief.candidates,
        decision=verdict.decision,
        reason=verdict.reason,
        question="" if verdict.decision == "execute" else verdict.question,
        options=verdict.options if asked else (),
        utilities=verdict.weighed,
        notes=belief.notes,
        referents=tuple((thing, phrase_for(domain, thing)) for thing in objects),
    )
