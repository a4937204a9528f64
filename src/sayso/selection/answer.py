"""Interprets answers to the robot's questions and corrections of its actions: updates the belief and decides again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from sayso.domain.model import Domain
from sayso.domain.sentences import DIRECTIONS
from sayso.selection.corrections import Correction, correction
from sayso.selection.decide import Verdict, decide, utility_of_executing
from sayso.selection.naming import Whereabouts, changed, named, option, placed, with_value
from sayso.selection.outcomes import missing_roles
from sayso.selection.questions import only_one
from sayso.selection.replies import kind_of, plain
from sayso.selection.utterance import most_careful, with_verdict
from sayso.types import Action, ActionBelief

How = Literal["confirmed", "chosen", "corrected", "declined", "open", "repeated"]


@dataclass(frozen=True, slots=True)
class Answered:
    """The belief after an answer, and the kind of answer; the robot may learn from confirmed, chosen and corrected."""

    belief: ActionBelief  # with a new decision: execute, reject, or the next question
    # confirmed: yes; chosen: named or completed; corrected: other than understood; declined: no, never mind;
    # open: not settled, another question follows; repeated: the same question again
    how: How
    action: Action | None = None  # the action that the person wants for the clause in question; None: not known yet


def asks(belief: ActionBelief) -> bool:
    """Whether the belief ends in a question that an answer can settle."""
    return belief.decision in ("confirm", "ask") and bool(belief.options)


def answer(domain: Domain, belief: ActionBelief, text: str, whereabouts: Whereabouts | None = None) -> Answered | None:
    """The result of an answer to the belief's question; None if the text does not answer it."""
    if not asks(belief):
        return None
    reply, single = plain(text), len(belief.options) == 1
    kind, asked = kind_of(reply), belief.options[0]
    lacks = single and bool(missing_roles(domain, asked))
    if kind == "again":
        return Answered(belief, "repeated")
    if kind in ("no", "never_mind"):
        verdict = Verdict("reject", 0.0, f"the answer was “{reply}”", "All right, I won't.")
        return Answered(with_verdict(domain, belief, verdict), "declined")
    if kind == "both" and not single:
        return Answered(replace(belief, question=only_one(belief.question)), "repeated")
    if kind == "any" and not single:  # the person has no preference: nothing to learn
        return Answered(_settled(domain, belief, {asked: 1.0}, asked), "chosen")
    change = correction(reply)
    if change is not None:
        return _corrected(domain, belief, asked, change, whereabouts or {})
    if lacks:
        return _completed(domain, belief, asked, reply)
    if single and kind == "yes" and not (asked.argument("direction") and reply in DIRECTIONS):  # "right" to "Should I turn left?"
        return Answered(_settled(domain, belief, {asked: 1.0}, asked), "confirmed", asked)
    return _picked(domain, belief, reply.removeprefix("yes "), whereabouts or {})


def corrected(domain: Domain, belief: ActionBelief, text: str, whereabouts: Whereabouts | None = None) -> Answered | None:
    """The result of correcting a running command, as in "no, the blue one"; None if the text corrects nothing in it.

    Tries the last clause first.
    """
    change = correction(plain(text))
    if change is None or belief.decision != "execute":
        return None
    found = (_corrected(domain, belief, action, change, whereabouts or {}) for action in reversed(belief.chosen))
    return next((answered for answered in found if answered is not None), None)


def insists(domain: Domain, belief: ActionBelief, text: str) -> bool:
    """Whether the text insists on the running command: "I said the red cup"."""
    change = correction(plain(text))
    return change is not None and not change.ruled_out and any(named(domain, [action], change.instead) for action in belief.chosen)


def _picked(domain: Domain, belief: ActionBelief, reply: str, whereabouts: Whereabouts) -> Answered | None:
    """The option that the answer names, else another action of that name."""
    asked = belief.options[0]
    meant = option(domain, belief.options, _alternatives(belief, asked), reply)
    if meant is not None:
        how: How = "confirmed" if belief.options == (meant,) else "chosen" if meant in belief.options else "corrected"
        return Answered(_settled(domain, belief, {meant: 1.0}, asked), how, meant)
    p = placed(domain, belief.options, reply, whereabouts)
    if p and len(belief.options) > 1:
        settled = _settled(domain, belief, p, asked)
        likely = max(p, key=lambda action: p[action])
        return Answered(settled, "chosen", likely) if settled.decision == "execute" else Answered(settled, "open")
    if len(belief.options) == 1:
        others = changed(domain, asked, reply)
        return _put_instead(domain, belief, asked, others) if others else None
    return None


def _completed(domain: Domain, belief: ActionBelief, asked: Action, reply: str) -> Answered | None:
    """The action with its missing role filled from the answer; if several entities fit, the next question."""
    filled = with_value(domain, asked, missing_roles(domain, asked)[0], reply)
    if not filled:
        return None
    settled = _settled(domain, belief, dict.fromkeys(filled, 1.0 / len(filled)), asked)
    return Answered(settled, "chosen", filled[0]) if len(filled) == 1 else Answered(settled, "open")


def _corrected(domain: Domain, belief: ActionBelief, asked: Action, change: Correction, whereabouts: Whereabouts) -> Answered | None:
    """The action with the new value, if the correction names one; else what remains once a value is ruled out."""
    if change.instead:
        if missing_roles(domain, asked):
            completed = _completed(domain, belief, asked, change.instead)
            if completed is not None:
                return replace(completed, how="corrected") if completed.action else completed
        if len(belief.options) > 1:
            picked = _picked(domain, belief, change.instead, whereabouts)
            return replace(picked, how="corrected") if picked and picked.action else picked
        others = changed(domain, asked, change.instead)
        return _put_instead(domain, belief, asked, others) if others else None
    return _without(domain, belief, asked, change.ruled_out)


def _put_instead(domain: Domain, belief: ActionBelief, asked: Action, others: list[Action]) -> Answered:
    settled = _settled(domain, belief, dict.fromkeys(others, 1.0 / len(others)), asked)
    return Answered(settled, "corrected", others[0]) if len(others) == 1 else Answered(settled, "open")


def _without(domain: Domain, belief: ActionBelief, asked: Action, ruled_out: str) -> Answered | None:
    """The other candidates, renormalised, once the named ones are ruled out; if none is left, a question for another value."""
    alternatives = _alternatives(belief, asked)
    among = alternatives if len(alternatives) > 1 else [asked]
    out = named(domain, among, ruled_out)
    if not out or (len(belief.options) == 1 and asked not in out):
        return None
    posterior = {candidate.action: candidate.probability for candidate in belief.candidates}
    left = {action: posterior[action] for action in among if action not in out and posterior[action] > 0.0}
    if not left:
        return _emptied(domain, belief, asked, ruled_out)
    total = sum(left.values())
    settled = _settled(domain, belief, {action: p / total for action, p in left.items()}, asked)
    return Answered(settled, "corrected", next(iter(left))) if len(left) == 1 else Answered(settled, "open")


def _emptied(domain: Domain, belief: ActionBelief, asked: Action, ruled_out: str) -> Answered | None:
    """The action without the value that was ruled out, so that the robot asks for another."""
    for role, _ in asked.arguments:
        bare = replace(asked, arguments=tuple(pair for pair in asked.arguments if pair[0] != role))
        if role in missing_roles(domain, bare) and named(domain, [replace(asked, arguments=((role, asked.argument(role)),))], ruled_out):
            return Answered(_settled(domain, belief, {bare: 1.0}, asked), "open")
    return None


def _alternatives(belief: ActionBelief, asked: Action) -> list[Action]:
    """The candidate actions of the same clause and name."""
    place = _place(belief, asked)
    return [other.action for other in belief.candidates if (other.clause, other.part) == place and other.action.name == asked.name]


def _place(belief: ActionBelief, action: Action) -> tuple[int, int]:
    """The clause of the action, and its part of that clause."""
    return next((candidate.clause, candidate.part) for candidate in belief.candidates if candidate.action == action)


def _settled(domain: Domain, belief: ActionBelief, meant: Mapping[Action, float], asked: Action) -> ActionBelief:
    """The belief, decided again, with posterior `meant` for the clause of the action `asked`; other clauses keep theirs."""
    asked_at = _place(belief, asked)
    places = sorted({(candidate.clause, candidate.part) for candidate in belief.candidates if candidate.probability > 0.0})
    table = {place: [candidate for candidate in belief.candidates if (candidate.clause, candidate.part) == place] for place in places}
    previous = {candidate.action: candidate for candidate in table[asked_at]}
    worth = utility_of_executing(domain, tuple(meant), tuple(meant.values()))
    settled = [
        replace(previous.get(action, previous[asked]), action=action, probability=p, utility=utility)
        for (action, p), utility in zip(meant.items(), worth, strict=True)
    ]
    settled.sort(key=lambda candidate: -candidate.probability)
    others = [previous[action] for action in previous if action not in meant and not missing_roles(domain, action)]
    ruled_out = [replace(other, probability=0.0, utility=-domain.actions[other.action.name].wrong) for other in others]
    table[asked_at] = [*settled, *ruled_out]
    candidates = tuple(candidate for place in places for candidate in table[place])
    verdict = most_careful([decide(domain, table[place]) for place in places])
    return with_verdict(domain, replace(belief, candidates=candidates), verdict)
