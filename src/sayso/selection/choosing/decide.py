r"""Execute, confirm, ask or reject: the decision with the highest expected utility.

One unit is the utility of doing the right thing. Let p_a be the posterior mass of all candidates with the goal of action a (bring the
cup to Anna, give the cup to Anna), D the mass of everything impossible (no skill, or an unknown name), w_a the action's cost `wrong`
times the `care` of its objects, and c, q, r the domain's costs `confirm`, `ask` and `reject`:

    execute a          p_a − w_a (1 − p_a)                  right, or a mistake
    confirm a          p_a − r (1 − p_a − D) − c            "yes": right; "no": the intended action stays undone, which is right for D
    ask among S        p_S − r (1 − p_S − D) − q,  p_S = Σ_{a∈S} p_a       the answer is in S, or not
    reject             p_0 − r (1 − D)                      p_0: mass of the most probable outcome if it is impossible (the robot then
                                                            declines it by name, which is right), else 0

So the robot executes a rather than confirming it when 1 − p_a ≤ c / (w_a − r) (at D = 0): costlier mistakes need more certainty.
However little a mistake costs, an action that is less probable than LEAST is not executed: something else was more probably meant.
For an action that lacks an argument it can only ask. The answer completes the action, so S is that action alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sayso.domain.model import Domain
from sayso.domain.wording import declined_action, spoken_action
from sayso.selection.choosing.outcomes import Abilities, Outcomes, missing_roles, outcomes_of
from sayso.selection.choosing.questions import choice_question, confirm_question, open_question
from sayso.selection.choosing.table import CandidateTable
from sayso.selection.choosing.values import Ids
from sayso.types import Action, ActionCandidate, Decision, FloatArray

Options = Callable[[FloatArray], NDArray[np.bool_]]  # (G,) posterior of the outcomes → which of them a question offers
OPTION_FLOOR = 0.15  # without conformal sets, offer options at least this probable relative to the best
LEAST = 0.5  # P(a) below which no action is executed
UNCLEAR = "I did not understand that well enough."
CARE: tuple[Decision, ...] = ("execute", "confirm", "ask", "reject")  # least careful first


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision about one clause."""

    decision: Decision
    utility: float  # expected utility of the decision
    reason: str  # one line for a person
    question: str = ""
    options: tuple[Action, ...] = ()
    weighed: tuple[tuple[Decision, float], ...] = ()  # every available decision with its expected utility, best first
    words: tuple[str, ...] = ()  # of a question about what was said: those of each option
    doubt: str = ""  # why it asks, said before the question

    @property
    def said(self) -> str:
        """The whole question: its doubt first."""
        return f"{self.doubt} {self.question}".strip()


def decide(domain: Domain, candidates: Sequence[ActionCandidate], objections: Mapping[Action, str] | None = None) -> Verdict:
    """The verdict on a clause with these candidates; `objections` maps an action to why it cannot be done as said."""
    against = objections or {}
    lines = ("", *dict.fromkeys(against.values()))
    objected = np.array([lines.index(against.get(candidate.action, "")) for candidate in candidates], np.int64)
    table = CandidateTable.of(domain, [candidate.action for candidate in candidates])
    p = np.array([candidate.probability for candidate in candidates])
    outcomes = outcomes_of(Abilities.of(domain), table, p, objected)
    return decide_among(domain, table, outcomes, lines[objected[outcomes.peak[0]]])


def decide_among(domain: Domain, table: CandidateTable, outcomes: Outcomes, objection: str, options: Options | None = None) -> Verdict:
    """The verdict on a clause with these outcomes.

    Args:
        domain: provides the costs of mistakes and questions.
        table: the candidates.
        outcomes: the candidates grouped by goal.
        objection: why the most probable candidate cannot be done as said, or "".
        options: which outcomes a question offers; None: those above OPTION_FLOOR.
    """
    choices = [_reject(domain, table, outcomes, objection), *_acting(domain, table, outcomes), *_asking(domain, table, outcomes, options)]
    choices.sort(key=lambda choice: -choice.utility)
    best = choices[0]
    utility = {choice.decision: choice.utility for choice in reversed(choices)}
    weighed = tuple(sorted(utility.items(), key=lambda pair: -pair[1]))
    return Verdict(best.decision, best.utility, *best.wording(), weighed)


def utility_of_executing(domain: Domain, actions: Sequence[Action], probabilities: Sequence[float]) -> tuple[float, ...]:
    """p_a − w_a (1 − p_a) of each candidate."""
    table = CandidateTable.of(domain, actions)
    p = np.array(probabilities, np.float64)
    outcomes = outcomes_of(Abilities.of(domain), table, p, np.zeros(len(table), np.int64))
    return tuple(worth_of_executing(domain, action, p) for action, p in zip(actions, outcomes.p[outcomes.of].tolist(), strict=True))


def worth_of_executing(domain: Domain, action: Action, p: float) -> float:
    """p_a − w_a (1 − p_a), where p is the mass of all candidates with the action's goal."""
    care = [domain.objects[value].care for _, value in action.arguments if value in domain.objects]
    return p - domain.actions[action.name].wrong * max(care, default=1.0) * (1.0 - p)


class _Wording(NamedTuple):
    """A decision put into words."""

    reason: str
    question: str = ""
    options: tuple[Action, ...] = ()


class _Choice(NamedTuple):
    """An available decision. Only the best one is put into words, hence the callable."""

    decision: Decision
    utility: float
    wording: Callable[[], _Wording]


def _reject(domain: Domain, table: CandidateTable, outcomes: Outcomes, objection: str) -> _Choice:
    undone = -domain.decisions.reject * (1.0 - outcomes.impossible)
    if outcomes.possible[0]:
        return _Choice("reject", undone, lambda: _Wording("it may mean too many things", UNCLEAR))

    def declined() -> _Wording:
        line = objection or f"I can't {declined_action(domain, table.action(int(outcomes.peak[0])))}."
        return _Wording(line, line)

    return _Choice("reject", float(outcomes.p[0]) + undone, declined)


def _acting(domain: Domain, table: CandidateTable, outcomes: Outcomes) -> Iterator[_Choice]:
    """Execute or confirm the most probable outcome that can be done."""
    if not len(outcomes.ready):
        return
    outcome = outcomes.ready[0]
    row = int(outcomes.peak[outcome])
    action, p = table.action(row), float(outcomes.p[outcome])

    def sure() -> str:
        return f"{spoken_action(domain, action)}: {p:.0%} sure"

    if outcome == 0 and p >= LEAST:
        yield _Choice("execute", worth_of_executing(domain, action, p), lambda: _Wording(sure()))
    worth = _worth_of_asking(domain, p, outcomes.impossible) - domain.decisions.confirm
    yield _Choice(
        "confirm", worth, lambda: _Wording(f"{sure()}, not enough to act without asking", confirm_question(domain, action), (action,))
    )


def _asking(domain: Domain, table: CandidateTable, outcomes: Outcomes, options: Options | None) -> Iterator[_Choice]:
    """Ask which of several outcomes is meant, or for a missing argument."""
    offered = _offered(domain, outcomes, options)
    if len(offered) > 1:
        worth = _worth_of_asking(domain, float(outcomes.p[offered].sum()), outcomes.impossible) - domain.decisions.ask

        def which() -> _Wording:
            actions = tuple(table.actions(outcomes.peak[offered]))
            return _Wording(f"it may mean {len(offered)} things", choice_question(domain, actions), actions)

        yield _Choice("ask", worth, which)
    if outcomes.possible[0] and not outcomes.complete[0]:
        best = table.action(int(outcomes.peak[0]))
        missing = missing_roles(domain, best)[0]
        worth = _worth_of_asking(domain, float(outcomes.p[0]), outcomes.impossible) - domain.decisions.ask

        def lacking() -> _Wording:
            return _Wording(f"{spoken_action(domain, best)}: the {missing} was not said", open_question(domain, best, missing), (best,))

        yield _Choice("ask", worth, lacking)


def _offered(domain: Domain, outcomes: Outcomes, options: Options | None) -> Ids:
    """The outcomes that a question offers, in order of their best candidates."""
    ready = outcomes.ready
    if not len(ready):
        return ready
    near = outcomes.p[ready] >= OPTION_FLOOR * outcomes.p[ready[0]] if options is None else options(outcomes.p)[ready]
    return ready[near][: domain.decisions.options]


def _worth_of_asking(domain: Domain, p: float, impossible: float) -> float:
    """Expected utility of a question about outcomes of mass p, before its own cost: p − r (1 − p − D)."""
    return p - domain.decisions.reject * max(0.0, 1.0 - p - impossible)
