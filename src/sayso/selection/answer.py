"""What an answer to the robot's question, or a correction of what it does, means: the belief once that is known, decided anew."""

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
from sayso.selection.selector import concluded, most_careful
from sayso.types import Action, ActionBelief

How = Literal["confirmed", "chosen", "corrected", "declined", "open", "repeated"]


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer made of the belief that asked, and how: what was confirmed, chosen or corrected may be learnt from."""

    belief: ActionBelief  # decided anew: execute, reject, or the next question
    # confirmed: yes; chosen: named, or completed; corrected: something else than was understood; declined: no, never mind;
    # open: not settled yet, the next question is another; repeated: the same question again
    how: How
    action: Action | None = None  # what the person now is known to want of the clause that was asked about; None: it is not known


def asks(belief: ActionBelief) -> bool:
    """Does that belief end in a question which an answer can settle?"""
    return belief.decision in ("confirm", "ask") and bool(belief.options)


def answer(domain: Domain, belief: ActionBelief, text: str, whereabouts: Whereabouts | None = None) -> Answered | None:
    """What becomes of the belief after that answer; None where the text does not answer the question."""
    if not asks(belief):
        return None
    said, single = plain(text), len(belief.options) == 1
    kind, asked = kind_of(said), belief.options[0]
    lacks = single and bool(missing_roles(domain, asked))
    if kind == "again":
        return Answered(belief, "repeated")
    if kind in ("no", "never_mind"):
        verdict = Verdict("reject", 0.0, f"the answer was “{said}”", "All right, I won't.")
        return Answered(concluded(domain, belief, verdict), "declined")
    if kind == "both" and not single:
        return Answered(replace(belief, question=only_one(belief.question)), "repeated")
    if kind == "any" and not single:  # it is all the same to the person: nothing to learn from
        return Answered(_settled(domain, belief, {asked: 1.0}, asked), "chosen")
    opposed = correction(said)
    if opposed is not None:
        return _corrected(domain, belief, asked, opposed, whereabouts or {})
    if lacks:
        return _completed(domain, belief, asked, said)
    if single and kind == "yes" and not (asked.argument("direction") and said in DIRECTIONS):  # "right" to "Should I turn left?"
        return Answered(_settled(domain, belief, {asked: 1.0}, asked), "confirmed", asked)
    return _picked(domain, belief, said.removeprefix("yes "), whereabouts or {})


def corrected(domain: Domain, belief: ActionBelief, text: str, whereabouts: Whereabouts | None = None) -> Answered | None:
    """What becomes of a belief that is being carried out, after "no, the blue one"; None where the text corrects nothing of it.

    The clause that was said last is the first to be looked at.
    """
    opposed = correction(plain(text))
    if opposed is None or belief.decision != "execute":
        return None
    found = (_corrected(domain, belief, action, opposed, whereabouts or {}) for action in reversed(belief.chosen))
    return next((answered for answered in found if answered is not None), None)


def agrees(domain: Domain, belief: ActionBelief, text: str) -> bool:
    """Does the text insist on what is being carried out: "I said the red cup"?"""
    opposed = correction(plain(text))
    return opposed is not None and not opposed.ruled_out and any(named(domain, [action], opposed.instead) for action in belief.chosen)


def _picked(domain: Domain, belief: ActionBelief, said: str, whereabouts: Whereabouts) -> Answered | None:
    """The option that the answer names, or else another action of the same kind."""
    asked = belief.options[0]
    meant = option(domain, belief.options, _kin(belief, asked), said)
    if meant is not None:
        how: How = "confirmed" if belief.options == (meant,) else "chosen" if meant in belief.options else "corrected"
        return Answered(_settled(domain, belief, {meant: 1.0}, asked), how, meant)
    p = placed(domain, belief.options, said, whereabouts)
    if p and len(belief.options) > 1:
        settled = _settled(domain, belief, p, asked)
        likely = max(p, key=lambda action: p[action])
        return Answered(settled, "chosen", likely) if settled.decision == "execute" else Answered(settled, "open")
    if len(belief.options) == 1:
        others = changed(domain, asked, said)
        return _put_instead(domain, belief, asked, others) if others else None
    return None


def _completed(domain: Domain, belief: ActionBelief, asked: Action, said: str) -> Answered | None:
    """The action with what was missing filled in from the answer; several things of that name make the next question."""
    filled = with_value(domain, asked, missing_roles(domain, asked)[0], said)
    if not filled:
        return None
    settled = _settled(domain, belief, dict.fromkeys(filled, 1.0 / len(filled)), asked)
    return Answered(settled, "chosen", filled[0]) if len(filled) == 1 else Answered(settled, "open")


def _corrected(domain: Domain, belief: ActionBelief, asked: Action, opposed: Correction, whereabouts: Whereabouts) -> Answered | None:
    """Another value where one is given; else what is left when one is ruled out."""
    if opposed.instead:
        if missing_roles(domain, asked):
            completed = _completed(domain, belief, asked, opposed.instead)
            if completed is not None:
                return replace(completed, how="corrected") if completed.action else completed
        if len(belief.options) > 1:
            picked = _picked(domain, belief, opposed.instead, whereabouts)
            return replace(picked, how="corrected") if picked and picked.action else picked
        others = changed(domain, asked, opposed.instead)
        return _put_instead(domain, belief, asked, others) if others else None
    return _without(domain, belief, asked, opposed.ruled_out)


def _put_instead(domain: Domain, belief: ActionBelief, asked: Action, others: list[Action]) -> Answered:
    settled = _settled(domain, belief, dict.fromkeys(others, 1.0 / len(others)), asked)
    return Answered(settled, "corrected", others[0]) if len(others) == 1 else Answered(settled, "open")


def _without(domain: Domain, belief: ActionBelief, asked: Action, ruled_out: str) -> Answered | None:
    """What remains once that is ruled out: the others, in the proportions they had; with none left, what to do instead is asked for."""
    kin = _kin(belief, asked)
    among = kin if len(kin) > 1 else [asked]
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
    """The action without the value that was ruled out, so that it is asked for."""
    for role, _ in asked.arguments:
        bare = replace(asked, arguments=tuple(pair for pair in asked.arguments if pair[0] != role))
        if role in missing_roles(domain, bare) and named(domain, [replace(asked, arguments=((role, asked.argument(role)),))], ruled_out):
            return Answered(_settled(domain, belief, {bare: 1.0}, asked), "open")
    return None


def _kin(belief: ActionBelief, asked: Action) -> list[Action]:
    """The candidates of the clause that was asked about that are of the same kind of action."""
    clause = _clause(belief, asked)
    return [other.action for other in belief.candidates if other.clause == clause and other.action.name == asked.name]


def _clause(belief: ActionBelief, action: Action) -> int:
    return next(candidate.clause for candidate in belief.candidates if candidate.action == action)


def _settled(domain: Domain, belief: ActionBelief, meant: Mapping[Action, float], asked: Action) -> ActionBelief:
    """The clause of the action `asked` now has the posterior `meant`; the other clauses keep theirs, and all are decided again."""
    clause = _clause(belief, asked)
    clauses = sorted({candidate.clause for candidate in belief.candidates})
    table = {index: [candidate for candidate in belief.candidates if candidate.clause == index] for index in clauses}
    held = {candidate.action: candidate for candidate in table[clause]}
    worth = utility_of_executing(domain, tuple(meant), tuple(meant.values()))
    settled = [
        replace(held.get(action, held[asked]), action=action, probability=p, utility=utility)
        for (action, p), utility in zip(meant.items(), worth, strict=True)
    ]
    settled.sort(key=lambda candidate: -candidate.probability)
    others = [held[action] for action in held if action not in meant and not missing_roles(domain, action)]
    ruled_out = [replace(other, probability=0.0, utility=-domain.actions[other.action.name].wrong) for other in others]
    table[clause] = [*settled, *ruled_out]
    candidates = tuple(candidate for index in clauses for candidate in table[index])
    verdict = most_careful([decide(domain, table[index]) for index in clauses])
    return concluded(domain, replace(belief, candidates=candidates), verdict)
