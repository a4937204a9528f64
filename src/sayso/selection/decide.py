r"""Execute, confirm, ask or reject: whichever is worth most in expectation.

One unit is the worth of doing the right thing. With p_a the posterior mass of everything that has the goal of action a (bring and
give the cup to Anna are one thing done), D the mass of what cannot be done at all (no skill, or a name that nothing bears), w_a the
action's `wrong`, and c, q, r the domain's costs `confirm`, `ask` and `reject`:

    execute a          p_a − w_a (1 − p_a)                  it is right, or it is a mistake
    confirm a          p_a − r (1 − p_a − D) − c            "yes": right; "no": what was meant stays undone, which for D is right
    ask among S        p_S − r (1 − p_S − D) − q,  p_S = Σ_{a∈S} p_a       the answer is one of them, or none
    reject             p_0 − r (1 − D)                      right if the most probable thing cannot be done: p_0 is its mass, and it
                                                            is declined by name (p_0 = 0 where it can); else it stays undone

So a is executed rather than confirmed when 1 − p_a ≤ c / (w_a − r) (at D = 0): the costlier the mistake, the surer it must be.
An action that lacks an argument can only be asked about; the answer completes it, so S is that action alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sayso.domain.model import Domain
from sayso.domain.wording import spoken_action
from sayso.selection.candidates import achievable, goal, missing_roles
from sayso.selection.questions import choice_question, confirm_question, open_question
from sayso.types import Action, ActionCandidate, Decision

OPTION_FLOOR = 0.15  # an option is offered when it is at least so probable, against the best one
CARE: tuple[Decision, ...] = ("execute", "confirm", "ask", "reject")  # the last is the most careful


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to do about one clause."""

    decision: Decision
    utility: float  # expected, of the decision
    reason: str  # one line for a person
    question: str = ""
    options: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True)
class _Deed:
    """All candidates with one goal."""

    action: Action  # the most probable of them
    probability: float
    possible: bool
    missing: tuple[str, ...]
    peak: float  # probability of `action` alone

    @property
    def ready(self) -> bool:
        """Could it be done now?"""
        return self.possible and not self.missing


def utility_of_executing(domain: Domain, actions: Sequence[Action], probabilities: Sequence[float]) -> tuple[float, ...]:
    """p_a − w_a (1 − p_a) of each candidate."""
    goals = [goal(domain, action) or action for action in actions]
    mass: dict[object, float] = {}
    for key, p in zip(goals, probabilities, strict=True):
        mass[key] = mass.get(key, 0.0) + p
    return tuple(mass[key] - domain.actions[action.name].wrong * (1.0 - mass[key]) for action, key in zip(actions, goals, strict=True))


def decide(domain: Domain, candidates: Sequence[ActionCandidate], objections: Mapping[Action, str] | None = None) -> Verdict:
    """The verdict on a clause with these candidates; `objections` says of some why they cannot be done as said."""
    deeds = _deeds(domain, candidates, objections or {})
    impossible = sum(deed.probability for deed in deeds if not deed.possible)
    refusal = _reject(domain, deeds[0], impossible, objections or {})
    return max((refusal, *_acting(domain, deeds, impossible), *_asking(domain, deeds, impossible)), key=lambda verdict: verdict.utility)


def _reject(domain: Domain, best: _Deed, impossible: float, objections: Mapping[Action, str]) -> Verdict:
    undone = -domain.decisions.reject * (1.0 - impossible)
    if best.possible:
        return Verdict("reject", undone, "it may mean too many things", "I did not understand that well enough.")
    line = objections.get(best.action) or f"I can't {spoken_action(domain, best.action)}."
    return Verdict("reject", best.probability + undone, line, line)


def _acting(domain: Domain, deeds: Sequence[_Deed], impossible: float) -> Iterator[Verdict]:
    """Execute or confirm the most probable deed that can be done."""
    deed = next((deed for deed in deeds if deed.ready), None)
    if deed is None:
        return
    said, p = spoken_action(domain, deed.action), deed.probability
    wrong = domain.actions[deed.action.name].wrong
    if deed is deeds[0]:
        yield Verdict("execute", p - wrong * (1.0 - p), f"{said}: {p:.0%} sure")
    worth = _worth_of_asking(domain, p, impossible) - domain.decisions.confirm
    question = confirm_question(domain, deed.action)
    yield Verdict("confirm", worth, f"{said}: {p:.0%} sure, too little to just do it", question, (deed.action,))


def _asking(domain: Domain, deeds: Sequence[_Deed], impossible: float) -> Iterator[Verdict]:
    """Ask which of several, or for what is missing."""
    ready = [deed for deed in deeds if deed.ready]
    offered = [deed for deed in ready if deed.probability >= OPTION_FLOOR * ready[0].probability][: domain.decisions.options]
    if len(offered) > 1:
        worth = _worth_of_asking(domain, sum(deed.probability for deed in offered), impossible) - domain.decisions.ask
        options = tuple(deed.action for deed in offered)
        yield Verdict("ask", worth, f"it may mean {len(offered)} things", choice_question(domain, options), options)
    best = deeds[0]
    if best.possible and best.missing:
        worth = _worth_of_asking(domain, best.probability, impossible) - domain.decisions.ask
        question = open_question(domain, best.action, best.missing[0])
        yield Verdict("ask", worth, f"{spoken_action(domain, best.action)}: the {best.missing[0]} was not said", question, (best.action,))


def _worth_of_asking(domain: Domain, p: float, impossible: float) -> float:
    """What a question about deeds of mass p is worth, before its own cost: p − r (1 − p − D)."""
    return p - domain.decisions.reject * max(0.0, 1.0 - p - impossible)


def _deeds(domain: Domain, candidates: Sequence[ActionCandidate], objections: Mapping[Action, str]) -> list[_Deed]:
    """Candidates gathered by goal, most probable first."""
    gathered: dict[object, list[ActionCandidate]] = {}
    for candidate in candidates:
        same = goal(domain, candidate.action) or candidate.action
        gathered.setdefault((same, candidate.action in objections), []).append(candidate)
    deeds = []
    for group in gathered.values():
        peak = max(group, key=lambda candidate: candidate.probability)
        possible = peak.action not in objections and achievable(domain, peak.action)
        mass = sum(candidate.probability for candidate in group)
        deeds.append(_Deed(peak.action, mass, possible, missing_roles(domain, peak.action), peak.probability))
    # By its best candidate, not by its mass: that candidate is ActionBelief.chosen, and what is decided must be that.
    return sorted(deeds, key=lambda deed: -deed.peak)
