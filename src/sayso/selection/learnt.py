"""P(a|ctx) as confirmed commands have shown it: posteriors shrunk to the domain's own prior, in closed form (eq. 15).

An action is a name and its arguments, P(a|ctx) = P(name|ctx) P(arguments|name, ctx).

Arguments: over the G that may be meant, with the domain's prior b and counts n, the posterior mean of θ ~ Dir(κ b) is
m = (n + κ b) / (N + κ). For each feature of the situation (the room, the time of day, …) the counts of its present value v are shrunk to
that: m_v = (n_v + κ' m) / (N_v + κ').

Which feature matters is not known, and differs: cups by the time of day, places by who speaks. The prior is therefore the mixture of m and
all m_v, weighted by how well each explains the counts of the very things that may be meant now: the evidence of a feature is that of one
θ ~ Dir(κ b) for each of its values, that of m the one of a single θ (the Dirichlet-multinomial distribution; contexts averaged as Willems,
Shtarkov and Tjalkens do, 1995). One key of all features together would leave most situations without counts; a product over the features
would count each command once for every feature.

Names: what is said clearly is done without a question, so that few counts of "stop" mean nothing. A name is therefore compared with how
often it was expected in the very commands that were asked about, e = Σ P(name|c, ctx) before the answer: its prior is multiplied by the
posterior mean (n + κ) / (e + κ) of a rate with the prior Gamma(κ, κ).
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sayso.domain.model import Domain
from sayso.selection.situation import FEATURES, Situation, situation_of
from sayso.types import Action, ActionCandidate, Context, FloatArray

KAPPA = 1.5  # so many confirmed commands weigh as much as the domain's prior
KAPPA_SITUATION = 2.0  # so many in this situation as much as those in all situations
KAPPA_NAME = 2.0  # so many expected commands of a name weigh as much as the domain's prior
KAPPA_SHARED = 4.0  # as KAPPA, for arguments that were confirmed in other actions: who wants the red cup found wants it brought
P_EVERYWHERE = 0.5  # that a habit is the same in all situations; the features share the rest
NEWEST = 200  # confirmed commands of each name that count: habits change

Pair = tuple[str, str]  # (role, value) or (feature, value)
Arguments = tuple[Pair, ...]
Counts = Mapping[int, Counter[Pair]]  # of each thing by its number: how often with each feature's value
_TINY = float(np.finfo(np.float64).tiny)
Expected = Mapping[str, float]  # name → P(name|c, ctx), the domain's prior in it and nothing learnt
FACTOR = "learnt from confirmed commands"  # what ActionCandidate.factors calls it
ALWAYS = ("", "")  # the value of no feature: how often at all


class Habits:
    """What was confirmed in which situations, counted, and the P(a|ctx) that follows from it."""

    def __init__(self, learnt: Iterable[tuple[Action, Situation, Expected]] = ()) -> None:
        """`learnt` is what was confirmed up to now, oldest first, as of `learn`."""
        self._newest: dict[str, deque[tuple[Action, Situation, Expected]]] = {}
        self._arguments: dict[str, dict[Arguments, Counter[Pair]]] = {}  # name → arguments → (feature, value) → how often
        self._values: dict[str, Counter[Pair]] = {}  # name → (role, value) → how often
        self._all_values: Counter[Pair] = Counter()  # of all names together
        self._meant: Counter[str] = Counter()  # name → how often, where it is known how often it was expected
        self._expected: dict[str, float] = {}  # name → how often
        for event in learnt:
            self.learn(*event)

    def __len__(self) -> int:
        """How many confirmed commands count."""
        return sum(map(len, self._newest.values()))

    def learn(self, action: Action, situation: Situation, expected: Expected | None = None) -> None:
        """That action was confirmed, or put right, in that situation; `expected` is what was thought before (`expected_names`)."""
        newest = self._newest.setdefault(action.name, deque())
        if len(newest) == NEWEST:
            self._count(*newest.popleft(), -1)
        newest.append((action, situation, expected or {}))
        self._count(*newest[-1], 1)

    def given(self, base: FloatArray, actions: Sequence[Action], situation: Situation) -> FloatArray:
        """(N,) P(a|ctx) from the domain's (N,) over the same actions; both sum to 1. What is 0 stays 0; without counts nothing changes."""
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
        """(G,) P(arguments|name, ctx): what was confirmed of other actions first, as the prior of what was confirmed of this one."""
        p = self._shared(name, base, arguments)
        own = self._arguments.get(name)
        if not own:
            return p
        counts = {row: own[held] for row, held in enumerate(arguments) if p[row] > 0.0 and held in own and own[held]}
        return learnt_posterior(p, counts, situation, KAPPA)

    def _shared(self, name: str, base: FloatArray, arguments: Sequence[Arguments]) -> FloatArray:
        """(G,) the same, with each role's values as often as other actions had them."""
        own = self._values.get(name, Counter())
        counts = {pair: count - own.get(pair, 0) for pair, count in self._all_values.items() if count > own.get(pair, 0)}
        if not counts:
            return base
        rows: dict[Pair, list[int]] = {}
        for row, held in enumerate(arguments):
            for pair in held:
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
        """(N,) the same with P(name|ctx) as learnt."""
        if not self._meant or len(rows) < 2:
            return p
        p = p.copy()
        for name, of_name in rows.items():
            expected = max(0.0, self._expected.get(name, 0.0))  # a sum from which shares were taken may be a hair below 0
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
    """P(a|ctx) of the domain → as learnt. Feed it with what was confirmed or corrected, and with nothing that merely ran."""

    def __init__(self, domain: Domain, learnt: Iterable[tuple[Action, Situation, Expected]] = ()) -> None:
        """`learnt` as of Habits."""
        super().__init__(learnt)
        self._domain = domain

    def update(self, action: Action, context: Context, expected: Expected | None = None) -> None:
        """That action was confirmed, or put right, in that context; `expected` as of `learn`."""
        self.learn(action, situation_of(self._domain, context), expected)

    def __call__(self, base: FloatArray, actions: Sequence[Action], context: Context) -> FloatArray:
        """(N,) from (N,): see `given`."""
        return self.given(base, actions, situation_of(self._domain, context))


def expected_names(candidates: Iterable[ActionCandidate], clause: int = 0) -> Expected:
    """P(name|c, ctx) of a belief's candidates, those of one clause, as the domain's prior has it; without shares below 1 %."""
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
            del counter[key]  # no longer among the newest


def learnt_posterior(base: FloatArray, counts: Counts, situation: Situation, kappa: float) -> FloatArray:
    """(G,) the mixture that the module describes.

    Args:
        base: (G,) the prior b, sums to 1
        counts: by number of those among the G that have any
        situation: the present one
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
            continue  # a feature that is not known now has nothing to say
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
    """Of each feature, ln P(counts) where each of its values has a θ ~ Dir(κ b) of its own (Dirichlet-multinomial, of the sequence)."""
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
