"""The posterior over the grounded actions of one clause, and the decision it leads to (eq. 13, 14)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain
from sayso.selection.choosing.candidates import ActionReadings, ClauseReader, candidates
from sayso.selection.choosing.decide import Options, Verdict, decide_among, worth_of_executing
from sayso.selection.choosing.exchange import Exchange
from sayso.selection.choosing.outcomes import Abilities, outcomes_of
from sayso.selection.choosing.posterior import bayes, intents_of_actions, likelihood_of_candidates, likelihood_of_intents
from sayso.selection.choosing.priors import Prior, prior
from sayso.selection.choosing.table import CandidateTable
from sayso.selection.choosing.values import Values
from sayso.selection.memory.learnt import FACTOR
from sayso.selection.replies import plain
from sayso.types import Action, ActionCandidate, Clause, Context, FloatArray, IntentBelief

NEGLIGIBLE = 1e-3  # an intent whose P(c|k) is below this share of the best one gets no candidates
SHOWN = 24  # best candidates of a clause that the belief carries; all are scored
LEARNT_AMONG = 1000  # best candidates for which the learnt prior is evaluated


class Learnt(Protocol):
    """The domain's P(a|ctx) → P(a|ctx) learnt from confirmed commands."""

    def __call__(self, base: FloatArray, actions: Sequence[Action], context: Context) -> FloatArray:
        """(N,) from (N,); both sum to 1."""
        ...


class ClauseScorer:
    """P(a|c, ctx) ∝ P(a|ctx) Σ_k P(k|a) P(c|k) λ(role words), then expected utility."""

    def __init__(self, domain: Domain, learnt: Learnt | None = None, options: Options | None = None) -> None:
        """For a domain; `learnt` and `options` as for `ActionSelector`."""
        self.domain = domain
        self._abilities, self._values = Abilities.of(domain), Values.of(domain)
        self._exchange = Exchange(domain, self._values.numbers)
        self._learnt = learnt
        self._options = options
        self._intents = tuple(domain.intents)
        self._actions = tuple(domain.actions)
        table = np.array([[domain.intents[intent].actions.get(action, 0.0) for intent in self._intents] for action in self._actions])
        weights = np.array([domain.intents[intent].prior for intent in self._intents])
        self._p_k_given_a = intents_of_actions(table, weights / weights.sum())

    def __call__(
        self, index: int, clause: Clause, belief: IntentBelief, context: Context | None, understood: float = 1.0
    ) -> tuple[tuple[ActionCandidate, ...], Verdict]:
        """The clause's best candidates, most probable first, and the verdict on all of them.

        Args:
            index: of the clause in the utterance.
            clause: about one thing each; see `distribution`.
            belief: the utterance: its order of intents, and P_train.
            context: None for a neutral prior.
            understood: P(the words were understood); the posterior sums to this.
        """
        p_c = self._likelihood_of_intents(clause, belief)
        read = ClauseReader(self.domain, self._values, clause, context or Context())
        meant = self._action_readings(p_c, read, plain(clause.text).split())
        if not meant:
            return (), Verdict("reject", 0.0, "no action of this domain matches", "I don't know what to do about that.")
        table, candidate = candidates(self.domain, self._actions, meant, read)  # (M,) readings → N candidates
        sizes = [len(each.readings.match) for each in meant]
        action, intent = (np.repeat(numbers, sizes) for numbers in zip(*((each.action, each.intent) for each in meant), strict=True))
        match = np.concatenate([each.readings.match for each in meant])
        likelihood = likelihood_of_candidates(np.array((candidate, action, intent)), match, self._p_k_given_a, p_c)
        expected = self._prior(table, likelihood, context)
        posterior = bayes(likelihood, expected.p) * understood
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

    def _action_readings(self, p_c: FloatArray, read: ClauseReader, words: list[str]) -> list[ActionReadings]:
        """The clause read as every likely intent, and each intent interpreted as every action it may mean."""
        found = []
        for intent in np.flatnonzero(p_c > NEGLIGIBLE * p_c.max()):
            meant = self.domain.intents[self._intents[intent]].meant(words)
            actions = [action for action in np.flatnonzero(self._p_k_given_a[:, intent]) if self._actions[action] in meant]
            if actions:
                readings = self._exchange(self._intents[intent], read(self._intents[intent]))
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
