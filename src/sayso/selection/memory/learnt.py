"""P(a|ctx) learnt from confirmed commands: closed-form posteriors, shrunk towards the domain's own prior (eq. 15).

An action is a name and its arguments: P(a|ctx) = P(name|ctx) P(arguments|name, ctx).

Arguments: over the G candidates, with the domain's prior b and counts n, the posterior mean of θ ~ Dir(κ b) is m = (n + κ b) / (N + κ).
For each feature of the situation (room, time of day, …), the counts of its present value v are shrunk towards m:
m_v = (n_v + κ' m) / (N_v + κ').

The relevant feature is unknown and varies: cups may depend on the time of day, places on the speaker. The result is therefore a mixture of
m and all m_v, weighted by how well each explains the counts of the present candidates. The evidence of a feature assumes one θ ~ Dir(κ b)
per value, that of m a single θ (Dirichlet-multinomial distribution; averaging over contexts as in Willems, Shtarkov and Tjalkens 1995).
A joint key of all features would leave most situations without counts; a product over features would count each command several times.

Names: clear commands run without a question, so few confirmations of "stop" are no evidence against it. A name's count n is therefore
compared with its expected count over the commands that led to a question, e = Σ P(name|c, ctx) before the answer. Its prior is multiplied
by (n + κ) / (e + κ), the posterior mean of a rate with prior Gamma(κ, κ).
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sayso.domain.model import Domain
from sayso.selection.memory.situation import FEATURES, Situation, situation_of
from sayso.types import Action, ActionCandidate, Context, FloatArray

# Strength of each prior, as a number of confirmed commands.
KAPPA = 1.5  # of the domain's prior over arguments
KAPPA_SITUATION = 2.0  # of the counts over all situations, against those in this situation
KAPPA_NAME = 2.0  # of the domain's prior over names, in expected commands
KAPPA_SHARED = 4.0  # as KAPPA, for arguments confirmed with other actions: the cup to be found is also the cup to be brought
P_EVERYWHERE = 0.5  # prior that a habit holds in all situations; the features share the rest
NEWEST = 200  # confirmed commands per name that count, the newest: habits change

Pair = tuple[str, str]  # (role, value) or (feature, value)
Arguments = tuple[Pair, ...]
Counts = Mapping[int, Counter[Pair]]  # candidate index → count per (feature, value)
_TINY = float(np.finfo(np.float64).tiny)
Expected = Mapping[str, float]  # name → P(name|c, ctx) under the domain's prior, before learning
FACTOR = "learnt from confirmed commands"  # its name in ActionCandidate.factors
ALWAYS = ("", "")  # key of the total count, over all situations


class Habits:
    """Counts of confirmed actions by situation, and the resulting P(a|ctx)."""

    def __init__(self, learnt: Iterable[tuple[Action, Situation, Expected]] = ()) -> None:
        """Start from the confirmed commands so far, oldest first; each holds the arguments of `learn`."""
        self._newest: dict[str, deque[tuple[Action, Situation, Expected]]] = {}
        self._arguments: dict[str, dict[Arguments, Counter[Pair]]] = {}  # name → arguments → (feature, value) → count
        self._values: dict[str, Counter[Pair]] = {}  # name → (role, value) → count
        self._all_values: Counter[Pair] = Counter()  # the same over all names
        self._meant: Counter[str] = Counter()  # name → count of commands with known expectations
        self._expected: dict[str, float] = {}  # name → expected count of the same commands
        for event in learnt:
            self.learn(*event)

    def __len__(self) -> int:
        """Number of confirmed commands that count."""
        return sum(map(len, self._newest.values()))

    def learn(self, action: Action, situation: Situation, expected: Expected | None = None) -> None:
        """Count an action that was confirmed or corrected in this situation; `expected` is from before the answer (`expected_names`)."""
        newest = self._newest.setdefault(action.name, deque())
        if len(newest) == NEWEST:
            self._count(*newest.popleft(), -1)
        newest.append((action, situation, expected or {}))
        self._count(*newest[-1], 1)

    def given(self, base: FloatArray, actions: Sequence[Action], situation: Situation) -> FloatArray:
        """(N,) learnt P(a|ctx) from the domain's (N,) one; both sum to 1. Zeros stay 0; without counts, nothing changes."""
        if not self._newest:
            return base
        rows: dict[str, list[int]] = {}
        for row, action in enumerate(actions):
            rows.setdefault(action.name, []).append(row)
        p = base.copy()
        for name, of_name in rows.items():
            mass = float(base[of_name].sum())
            if mass > 0.0 and len(of_name) > 1:
                p[of_name] = mass * self._of_arguments(name, base[of_name] / mass, [actions[row].arguments for row in of_name], situation)
        return self._by_name(p, rows)

    def _of_arguments(self, name: str, base: FloatArray, arguments: Sequence[Arguments], situation: Situation) -> FloatArray:
        """(G,) P(arguments|name, ctx): the counts of other actions shape the prior for the counts of this one."""
        p = self._shared(name, base, arguments)
        own = self._arguments.get(name)
        if not own:
            return p
        counts = {row: own[pairs] for row, pairs in enumerate(arguments) if p[row] > 0.0 and pairs in own and own[pairs]}
        return learnt_posterior(p, counts, situation, KAPPA)

    def _shared(self, name: str, base: FloatArray, arguments: Sequence[Arguments]) -> FloatArray:
        """(G,) the base reweighted by how often other actions had each role's values."""
        own = self._values.get(name, Counter())
        counts = {pair: count - own.get(pair, 0) for pair, count in self._all_values.items() if count > own.get(pair, 0)}
        if not counts:
            return base
        rows: dict[Pair, list[int]] = {}
        for row, pairs in enumerate(arguments):
            for pair in pairs:
                if pair in counts and base[row] > 0.0:
                    rows.setdefault(pair, []).append(row)
        p = base
        for role in dict.fromkeys(role for role, _ in rows):
            of_role = [pair for pair in rows if pair[0] == role]
            total = sum(counts[pair] for pair in of_role)
            factor = np.full(len(p), float(KAPPA_SHARED))
            for pair in of_role:
                factor[rows[pair]] += counts[pair] / float(p[rows[pair]].sum())
            p = p * factor / (total + KAPPA_SHARED)
        return p if p is base else np.asarray(p / p.sum())

    def _by_name(self, p: FloatArray, rows: Mapping[str, list[int]]) -> FloatArray:
        """(N,) the posterior with P(name|ctx) as learnt."""
        if not self._meant or len(rows) < 2:
            return p
        p = p.copy()
        for name, of_name in rows.items():
            expected = max(0.0, self._expected.get(name, 0.0))  # rounding may leave it slightly negative
            p[of_name] *= (self._meant.get(name, 0) + KAPPA_NAME) / (expected + KAPPA_NAME)
        return np.asarray(p / p.sum())

    def _count(self, action: Action, situation: Situation, expected: Expected, times: int) -> None:
        cells = (ALWAYS, *situation.features())
        _add(self._arguments.setdefault(action.name, {}).setdefault(action.arguments, Counter()), cells, times)
        _add(self._values.setdefault(action.name, Counter()), action.arguments, times)
        _add(self._all_values, action.arguments, times)
        for name, share in expected.items():
            self._expected[name] = self._expected.get(name, 0.0) + times * share
        if expected:
            self._meant[action.name] += times


class LearntPrior(Habits):
    """The domain's P(a|ctx) → as learnt. Update it only with confirmed or corrected commands, never with commands that merely ran."""

    def __init__(self, domain: Domain, learnt: Iterable[tuple[Action, Situation, Expected]] = ()) -> None:
        """`learnt` as in Habits."""
        super().__init__(learnt)
        self._domain = domain

    def update(self, action: Action, context: Context, expected: Expected | None = None) -> None:
        """Count an action that was confirmed or corrected in this context; `expected` as in `learn`."""
        self.learn(action, situation_of(self._domain, context), expected)

    def __call__(self, base: FloatArray, actions: Sequence[Action], context: Context) -> FloatArray:
        """(N,) → (N,): see `given`."""
        return self.given(base, actions, situation_of(self._domain, context))


def expected_names(candidates: Iterable[ActionCandidate], clause: int = 0) -> Expected:
    """P(name|c, ctx) of one clause's candidates under the domain's prior, without shares below 1 %."""
    mass: dict[str, float] = {}
    for each in candidates:
        if each.clause == clause and each.prior > 0.0:
            p = each.likelihood * each.prior / dict(each.factors).get(FACTOR, 1.0)
            mass[each.action.name] = mass.get(each.action.name, 0.0) + p
    total = sum(mass.values())
    return {name: round(share / total, 4) for name, share in mass.items() if share >= 0.01 * total} if total > 0.0 else {}


def _add(counter: Counter[Pair], keys: Iterable[Pair], times: int) -> None:
    for key in keys:
        counter[key] += times
        if not counter[key]:
            del counter[key]  # dropped from the newest


def learnt_posterior(base: FloatArray, counts: Counts, situation: Situation, kappa: float) -> FloatArray:
    """(G,) the mixture described in the module's docstring.

    Args:
        base: (G,) the prior b, sums to 1
        counts: by index, for candidates with any counts
        situation: the present situation
        kappa: κ
    """
    if not counts:
        return base
    log_p = _log_evidence(base, counts, kappa)
    everywhere = _shrunk(base, {number: cells[ALWAYS] for number, cells in counts.items()}, kappa)
    mixed = [everywhere]
    log_weight = [math.log(P_EVERYWHERE) + log_p[ALWAYS[0]]]
    for feature, value in situation.features():
        if not value:
            continue  # the feature is unknown at present
        here = {number: cells[feature, value] for number, cells in counts.items() if (feature, value) in cells}
        mixed.append(_shrunk(everywhere, here, KAPPA_SITUATION))
        log_weight.append(math.log((1.0 - P_EVERYWHERE) / len(FEATURES)) + log_p[feature])
    weight = np.exp(np.array(log_weight) - max(log_weight))
    return np.asarray(weight @ np.array(mixed) / weight.sum())


def _shrunk(base: FloatArray, counts: Mapping[int, int], kappa: float) -> FloatArray:
    """(G,) (n + κ b) / (N + κ)"""
    p = kappa * base
    for number, count in counts.items():
        p[number] += count
    return np.asarray(p / (kappa + sum(counts.values())))


def _log_evidence(base: FloatArray, counts: Counts, kappa: float) -> dict[str, float]:
    """By feature, ln P(counts) with one θ ~ Dir(κ b) per value (Dirichlet-multinomial, probability of the sequence)."""
    log_p = dict.fromkeys((ALWAYS[0], *FEATURES), 0.0)
    total: Counter[Pair] = Counter()
    for number, cells in counts.items():
        alpha = max(kappa * float(base[number]), _TINY)
        log_gamma = math.lgamma(alpha)
        for cell, count in cells.items():
            log_p[cell[0]] += math.lgamma(count + alpha) - log_gamma
            total[cell] += count
    log_gamma = math.lgamma(kappa)
    for (feature, _), count in total.items():
        log_p[feature] += log_gamma - math.lgamma(count + kappa)
    return log_p
