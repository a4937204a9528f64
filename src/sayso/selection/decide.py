r"""Execute, confirm, ask or reject: whichever is worth most in expectation.

One unit is the worth of doing the right thing. With p_a the posterior mass of everything that has the goal of action a (bring and
give the cup to Anna are one thing done), D the mass of what cannot be done at all (no skill, or a name that nothing bears), w_a the
action's `wrong` times the `care` its things need, and c, q, r the domain's costs `confirm`, `ask` and `reject`:

    execute a          p_a − w_a (1 − p_a)                  it is right, or it is a mistake
    confirm a          p_a − r (1 − p_a − D) − c            "yes": right; "no": what was meant stays undone, which for D is right
    ask among S        p_S − r (1 − p_S − D) − q,  p_S = Σ_{a∈S} p_a       the answer is one of them, or none
    reject             p_0 − r (1 − D)                      right if the most probable thing cannot be done: p_0 is its mass, and it
                                                            is declined by name (p_0 = 0 where it can); else it stays undone

So a is executed rather than confirmed when 1 − p_a ≤ c / (w_a − r) (at D = 0): the costlier the mistake, the surer it must be.
An action that lacks an argument can only be asked about; the answer completes it, so S is that action alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain
from sayso.domain.wording import spoken_action
from sayso.selection.outcomes import Abilities, Outcomes, gathered, missing_roles
from sayso.selection.questions import choice_question, confirm_question, open_question
from sayso.selection.table import CandidateTable
from sayso.selection.values import Ids
from sayso.types import Action, ActionCandidate, Decision, FloatArray

Options = Callable[[FloatArray], NDArray[np.bool_]]  # (G,) posterior of what may be done → which of it a question should offer
OPTION_FLOOR = 0.15  # without conformal sets, an option is offered when it is at least so probable, against the best one
CARE: tuple[Decision, ...] = ("execute", "confirm", "ask", "reject")  # the last is the most careful


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do about one clause."""

    decision: Decision
    utility: float  # expected, of the decision
    reason: str  # one line for a person
    question: str = ""
    options: tuple[Action, ...] = ()
    weighed: tuple[tuple[Decision, float], ...] = ()  # every decision that was open and what it is worth, best first


def decide(domain: Domain, candidates: Sequence[ActionCandidate], objections: Mapping[Action, str] | None = None) -> Verdict:
    """The verdict on a clause with these candidates; `objections` says of some why they cannot be done as said."""
    against = objections or {}
    lines = ("", *dict.fromkeys(against.values()))
    objected = np.array([lines.index(against.get(candidate.action, "")) for candidate in candidates], np.int64)
    table = CandidateTable.of(domain, [candidate.action for candidate in candidates])
    p = np.array([candidate.probability for candidate in candidates])
    outcomes = gathered(Abilities.of(domain), table, p, objected)
    return decide_among(domain, table, outcomes, lines[objected[outcomes.peak[0]]])


def decide_among(domain: Domain, table: CandidateTable, outcomes: Outcomes, objection: str, options: Options | None = None) -> Verdict:
    """The verdict on a clause with these outcomes.

    Args:
        domain: what mistakes and questions cost.
        table: the candidates.
        outcomes: what they bring about.
        objection: why the most probable candidate cannot be done as said, or nothing.
        options: which outcomes a question should offer; None: those that are not far behind the best.
    """
    ways = [_reject(domain, table, outcomes, objection), *_acting(domain, table, outcomes), *_asking(domain, table, outcomes, options)]
    ways.sort(key=lambda way: -way.worth)
    worth = {way.decision: way.worth for way in reversed(ways)}
    weighed = tuple(sorted(worth.items(), key=lambda pair: -pair[1]))
    return Verdict(ways[0].decision, ways[0].worth, *ways[0].told(), weighed)


def utility_of_executing(domain: Domain, actions: Sequence[Action], probabilities: Sequence[float]) -> tuple[float, ...]:
    """p_a − w_a (1 − p_a) of each candidate."""
    table = CandidateTable.of(domain, actions)
    p = np.array(probabilities, np.float64)
    outcomes = gathered(Abilities.of(domain), table, p, np.zeros(len(table), np.int64))
    return tuple(worth_of_executing(domain, action, p) for action, p in zip(actions, outcomes.p[outcomes.of].tolist(), strict=True))


def worth_of_executing(domain: Domain, action: Action, p: float) -> float:
    """p_a − w_a (1 − p_a), with p the mass of everything that has its goal."""
    care = [domain.objects[value].care for _, value in action.arguments if value in domain.objects]
    return p - domain.actions[action.name].wrong * max(care, default=1.0) * (1.0 - p)


class _Told(NamedTuple):
    """What a decision says to a person."""

    reason: str
    question: str = ""
    options: tuple[Action, ...] = ()


class _Way(NamedTuple):
    """A decision that is open; it is put into words only where it is worth most."""

    decision: Decision
    worth: float
    told: Callable[[], _Told]


def _reject(domain: Domain, table: CandidateTable, outcomes: Outcomes, objection: str) -> _Way:
    undone = -domain.decisions.reject * (1.0 - outcomes.impossible)
    if outcomes.possible[0]:
        return _Way("reject", undone, lambda: _Told("it may mean too many things", "I did not understand that well enough."))

    def declined() -> _Told:
        line = objection or f"I can't {spoken_action(domain, table.action(int(outcomes.peak[0])))}."
        return _Told(line, line)

    return _Way("reject", float(outcomes.p[0]) + undone, declined)


def _acting(domain: Domain, table: CandidateTable, outcomes: Outcomes) -> Iterator[_Way]:
    """Execute or confirm the most probable outcome that can be done."""
    if not len(outcomes.ready):
        return
    outcome = outcomes.ready[0]
    row = int(outcomes.peak[outcome])
    action, p = table.action(row), float(outcomes.p[outcome])

    def sure() -> str:
        return f"{spoken_action(domain, action)}: {p:.0%} sure"

    if outcome == 0:
        yield _Way("execute", worth_of_executing(domain, action, p), lambda: _Told(sure()))
    worth = _worth_of_asking(domain, p, outcomes.impossible) - domain.decisions.confirm
    yield _Way("confirm", worth, lambda: _Told(f"{sure()}, too little to just do it", confirm_question(domain, action), (action,)))


def _asking(domain: Domain, table: CandidateTable, outcomes: Outcomes, options: Options | None) -> Iterator[_Way]:
    """Ask which of several, or for what is missing."""
    offered = _offered(domain, outcomes, options)
    if len(offered) > 1:
        worth = _worth_of_asking(domain, float(outcomes.p[offered].sum()), outcomes.impossible) - domain.decisions.ask

        def which() -> _Told:
            actions = tuple(table.actions(outcomes.peak[offered]))
            return _Told(f"it may mean {len(offered)} things", choice_question(domain, actions), actions)

        yield _Way("ask", worth, which)
    if outcomes.possible[0] and not outcomes.complete[0]:
        best = table.action(int(outcomes.peak[0]))
        missing = missing_roles(domain, best)[0]
        worth = _worth_of_asking(domain, float(outcomes.p[0]), outcomes.impossible) - domain.decisions.ask

        def lacking() -> _Told:
            return _Told(f"{spoken_action(domain, best)}: the {missing} was not said", open_question(domain, best, missing), (best,))

        yield _Way("ask", worth, lacking)


def _offered(domain: Domain, outcomes: Outcomes, options: Options | None) -> Ids:
    """The outcomes that a question offers, most probable first."""
    ready = outcomes.ready
    if not len(ready):
        return ready
    near = outcomes.p[ready] >= OPTION_FLOOR * outcomes.p[ready[0]] if options is None else options(outcomes.p)[ready]
    return ready[near][: domain.decisions.options]


def _worth_of_asking(domain: Domain, p: float, impossible: float) -> float:
    """What a question about outcomes of mass p is worth, before its own cost: p − r (1 − p − D)."""
    return p - domain.decisions.reject * max(0.0, 1.0 - p - impossible)
