"""Intent belief + context → posterior over grounded actions and the decision that follows from it (eq. 13, 14)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from sayso.domain.model import Domain
from sayso.domain.wording import phrase_for, spoken_action
from sayso.selection.candidates import completed, readings
from sayso.selection.decide import CARE, Verdict, decide, utility_of_executing
from sayso.selection.posterior import bayes, intents_of_actions, likelihood_of_candidates, likelihood_of_intents
from sayso.selection.priors import prior
from sayso.selection.replies import is_reply
from sayso.types import Action, ActionBelief, ActionCandidate, Clause, Context, FloatArray, IntentBelief

NEGLIGIBLE = 1e-3  # an intent whose P(c|k) is below this share of the best one gets no candidates
NOT_FOR_ME = "I don't think that was meant for me."


@dataclass(frozen=True, slots=True)
class _Weighed:
    """One clause, weighed."""

    candidates: tuple[ActionCandidate, ...]
    verdict: Verdict


class ActionSelector:
    """What is to be done about an utterance: P(a|c, ctx) ∝ P(a|ctx) Σ_k P(k|a) P(c|k) λ(role words), then expected utility."""

    def __init__(self, domain: Domain, p_train: Mapping[str, float] | None = None) -> None:
        """`p_train` is the intent classifier's own prior P_train(k), by intent; uniform where it is not given."""
        self.domain = domain
        self._intents = tuple(domain.intents)
        self._actions = tuple(domain.actions)
        self._p_train = np.array([(p_train or {}).get(intent, 1.0) for intent in self._intents])
        table = np.array([[domain.intents[intent].actions.get(action, 0.0) for intent in self._intents] for action in self._actions])
        weights = np.array([domain.intents[intent].prior for intent in self._intents])
        self._p_k_given_a = intents_of_actions(table, weights / weights.sum())

    def __call__(self, belief: IntentBelief, context: Context) -> ActionBelief:
        """The posterior of each clause; the decision on the whole is the most careful one of its clauses."""
        nothing = ActionBelief(belief.utterance_id, belief.stamp, (), "reject", "")
        if belief.rejected or not belief.clauses:
            reason = belief.rejected or "nothing was said"
            return replace(nothing, reason=reason, question=reason)
        if is_reply(belief.text):
            return replace(nothing, reason="an answer, but nothing was asked", question="I have not asked anything.")
        weighed = [self._weigh(index, clause, belief.intents, context) for index, clause in enumerate(belief.clauses)]
        verdict = most_careful([clause.verdict for clause in weighed])
        candidates = tuple(candidate for clause in weighed for candidate in clause.candidates)
        return concluded(self.domain, replace(nothing, candidates=candidates), verdict)

    def _weigh(self, index: int, clause: Clause, intents: tuple[str, ...], context: Context) -> _Weighed:
        candidates, objections = self._candidates(index, clause, intents, context)
        if clause.out_of_scope > 0.0:
            return _Weighed(candidates, Verdict("reject", 0.0, f"not a command: {clause.out_of_scope:.1f} nats out of scope", NOT_FOR_ME))
        if not candidates:
            return _Weighed((), Verdict("reject", 0.0, "no action of this domain is meant by that", "I don't know what to do about that."))
        if clause.negated:
            said = spoken_action(self.domain, candidates[0].action)
            return _Weighed(candidates, Verdict("reject", 0.0, f"told not to {said}", f"All right, I won't {said}."))
        return _Weighed(candidates, decide(self.domain, candidates, objections))

    def _candidates(
        self, index: int, clause: Clause, intents: tuple[str, ...], context: Context
    ) -> tuple[tuple[ActionCandidate, ...], dict[Action, str]]:
        """The clause's candidates, most probable first, and what stands against some of them."""
        p_c = self._likelihood_of_intents(clause, intents)
        numbers: dict[Action, int] = {}
        objections: dict[Action, str] = {}
        rows: list[tuple[int, int, int]] = []  # (candidate, action name, intent)
        match: list[float] = []
        for intent in np.flatnonzero(p_c > NEGLIGIBLE * p_c.max()):
            meant = np.flatnonzero(self._p_k_given_a[:, intent])
            for reading in readings(self.domain, clause, self._intents[intent], context) if len(meant) else ():
                for number in meant:
                    action = completed(self.domain, self._actions[number], reading.arguments)
                    rows.append((numbers.setdefault(action, len(numbers)), int(number), int(intent)))
                    match.append(reading.match)
                    if reading.objection:
                        objections.setdefault(action, reading.objection)
        if not rows:
            return (), {}
        likelihood = likelihood_of_candidates(np.array(rows, dtype=np.int64), np.array(match), self._p_k_given_a, p_c)
        actions = tuple(numbers)
        p_prior = prior(self.domain, actions, context)
        posterior = bayes(likelihood, p_prior)
        utility = utility_of_executing(self.domain, actions, posterior.tolist())
        found = zip(actions, likelihood.tolist(), p_prior.tolist(), posterior.tolist(), utility, strict=True)
        candidates = (ActionCandidate(index, *values) for values in found)
        return tuple(sorted(candidates, key=lambda candidate: -candidate.probability)), objections

    def _likelihood_of_intents(self, clause: Clause, intents: tuple[str, ...]) -> FloatArray:
        """(K,) P(c|k) in the domain's order of intents, whatever the classifier's; 0 for one it does not know."""
        given = dict(zip(intents, clause.probabilities.tolist(), strict=True))
        return likelihood_of_intents(np.array([given.get(intent, 0.0) for intent in self._intents]), self._p_train)


def most_careful(verdicts: list[Verdict]) -> Verdict:
    """The verdict on an utterance whose clauses have these: the first of the most careful kind; done are all, or none."""
    careful = max(verdicts, key=lambda verdict: CARE.index(verdict.decision))
    return careful if careful.decision != "execute" else replace(careful, reason="; ".join(verdict.reason for verdict in verdicts))


def concluded(domain: Domain, belief: ActionBelief, verdict: Verdict) -> ActionBelief:
    """The belief with that verdict, and the words for the visual grounder of every object that may be meant."""
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
        referents=tuple((thing, phrase_for(domain, thing)) for thing in objects),
    )
