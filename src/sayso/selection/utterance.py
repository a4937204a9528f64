"""The clauses of an utterance, each with its verdict → one decision for the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sayso.domain.model import Domain
from sayso.domain.wording import phrase_for, spoken_action
from sayso.selection.choosing.decide import CARE, Verdict
from sayso.selection.choosing.questions import shall_i
from sayso.selection.contradictions import at_odds, forbidden_means
from sayso.selection.stopping import STOP, WAIT
from sayso.types import Action, ActionBelief, ActionCandidate, Decision

LOOKING = "Let me have a look."
CLEAR: tuple[Decision, ...] = ("execute", "confirm")  # decisions on one reading
SPOKEN: tuple[Decision, ...] = ("answer", "defer")  # decisions that only say something


@dataclass(frozen=True, slots=True)
class ScoredClause:
    """The candidates of one clause and the verdict on it."""

    candidates: tuple[ActionCandidate, ...]
    verdict: Verdict
    silent: bool = False  # nothing to do or to ask in it: a prohibition, a rule, an answer, something taken back
    look_first: str = ""  # what is decided after looking, in words
    unseen: ScoredClause | None = None  # of a clause for which the robot would look first: the verdict without a look
    fatal: bool = False  # the whole utterance is rejected with it
    stops: bool = False  # a request to stop now, which wins over all else that cannot be done at once
    unable: bool = False  # an act that the robot does not have, which is said whatever else is done
    caution: str = ""  # why the verdict is to confirm however sure it is: "I know only one apple."
    way: bool = False  # it only moves the robot: a part of a way
    remark: str = ""  # what is said when it is done: "I can't tell whether the apple is clean."


def combined(domain: Domain, belief: ActionBelief, clauses: Sequence[ScoredClause]) -> ActionBelief:
    """The belief with the candidates of all clauses that ask for something, and the decision on them.

    Clauses that can't be done don't stop the others: the robot says which, and offers the rest. A request to stop waits for no question
    about another clause, and for no time that the robot stands anyway: then it is all that is done.
    """
    decided = _decided(domain, belief, clauses)
    stop = next((clause for clause in clauses if clause.stops), None)
    moves = any(action.name not in (WAIT, STOP) for action in decided.chosen)
    if stop is None or (decided.decision == "execute" and not decided.then and moves):
        return decided
    refused = " ".join(dict.fromkeys(clause.verdict.question for clause in clauses if clause.unable))
    return replace(with_verdict(domain, replace(belief, candidates=stop.candidates), stop.verdict), question=refused)


def _decided(domain: Domain, belief: ActionBelief, clauses: Sequence[ScoredClause]) -> ActionBelief:
    """The decision on all clauses alike."""
    clauses = _without_looks(clauses)
    active = [clause for clause in clauses if not clause.silent]
    said = " ".join(dict.fromkeys(clause.verdict.question for clause in clauses if clause.silent and clause.verdict.question))
    if not active:
        first = next((clause for clause in clauses if clause.verdict.decision in SPOKEN), clauses[0])
        shown = tuple(candidate for clause in clauses for candidate in clause.candidates)
        return with_verdict(domain, replace(belief, candidates=shown), replace(first.verdict, question=said))
    doable = [clause for clause in active if clause.verdict.decision != "reject"]
    fatal = any(clause.fatal for clause in active)
    partial = bool(doable) and len(doable) < len(active) and not fatal
    # What must not be done has probability 0: the agenda makes rules of it.
    withheld = [replace(candidate, probability=0.0) for clause in clauses if clause.silent for candidate in clause.candidates]
    refused = [clause.verdict for clause in active if clause not in doable] if partial else []
    nowhere = partial and _leads_nowhere(active)
    kept = doable if partial and not nowhere else active
    found = replace(belief, candidates=(*(candidate for clause in kept for candidate in clause.candidates), *withheld))
    if nowhere:
        return with_verdict(domain, found, replace(refused[0], question=" ".join(filter(None, (said, _questions(refused))))))
    forbidden = _forbidden(withheld)
    if contradicted := next((action for action in forbidden if action in found.chosen), None):
        said_twice = spoken_action(domain, contradicted)
        line = f"You want me to {said_twice}, and not to {said_twice}. So I leave it."
        return with_verdict(domain, found, Verdict("reject", 0.0, f"asked for and forbidden: {contradicted}", line))
    if odds := forbidden_means(domain, _actions_of(kept), forbidden):
        return with_verdict(domain, found, at_odds(domain, *odds, clear=all(clause.verdict.decision in CLEAR for clause in kept)))
    looks = _looks(kept)
    if looks and not fatal:  # all else waits: after the look, the whole utterance is decided again
        seen = replace(belief, candidates=tuple(candidate for clause in looks for candidate in clause.candidates))
        going = with_verdict(domain, seen, most_careful([clause.verdict for clause in looks]))
        return replace(going, then=looks[0].look_first, question=f"{LOOKING} {said}".strip())
    verdict = most_careful([clause.verdict for clause in kept])
    undone = ""
    if verdict.decision == "execute" and _done_until_then(active):
        undone = _questions(refused)
    elif verdict.decision != "reject" and (refused or any(clause.caution for clause in kept)):
        verdict = _offered(domain, kept, verdict, refused)
    elif verdict.decision == "confirm" and len(kept) > 1:
        verdict = _all_at_once(domain, kept, verdict)
    decided = with_verdict(domain, found, verdict)
    remarks = dict.fromkeys(clause.remark for clause in kept) if decided.decision == "execute" else ()
    return replace(decided, question=" ".join(filter(None, (said, *remarks, undone, decided.question))))


def _leads_nowhere(clauses: Sequence[ScoredClause]) -> bool:
    """Whether only a way could be offered, to nowhere: "turn north and move on", "go to the kitchen and bring me the unicorn".

    With a known goal after what is unknown, the rest of a way is worth a question.
    """
    refused = [at for at, clause in enumerate(clauses) if clause.verdict.decision == "reject"]
    rest = clauses[refused[-1] + 1 :]
    barred = any(clauses[at].unable and clauses[at].way for at in refused)  # "go up the stairs"
    if not barred and any(candidate.action.argument("goal") for clause in rest for candidate in clause.candidates):
        return False
    unknown = not any(clause.unable for clause in clauses)
    return all(clause.way or (unknown and at in refused) for at, clause in enumerate(clauses))


def _questions(verdicts: Sequence[Verdict]) -> str:
    """What the verdicts say, each once."""
    return " ".join(dict.fromkeys(verdict.question for verdict in verdicts))


def _done_until_then(clauses: Sequence[ScoredClause]) -> bool:
    """Whether only the end of a sequence is what the robot lacks: "turn left and take a picture". So far it does what was asked."""
    able = [clause for clause in clauses if not clause.unable]
    ends = len(able) < len(clauses) and list(clauses[: len(able)]) == able
    return ends and all(clause.verdict.decision == "execute" and not clause.caution for clause in able)


def _without_looks(clauses: Sequence[ScoredClause]) -> list[ScoredClause]:
    """The clauses, without a look first if another one can't be done or is unclear: the robot says so before it goes anywhere."""
    refused = any(clause.verdict.decision in ("ask", "confirm", "reject") for clause in clauses if not clause.silent)
    return [clause.unseen if refused and clause.unseen is not None else clause for clause in clauses]


def best_of_each(candidates: Iterable[ActionCandidate]) -> tuple[Action, ...]:
    """The most probable action of each part of each clause, in spoken order."""
    return ActionBelief("", 0.0, tuple(candidates), "execute", "").chosen


def _actions_of(clauses: Sequence[ScoredClause]) -> tuple[Action, ...]:
    """The most probable actions of some clauses."""
    return best_of_each(candidate for clause in clauses for candidate in clause.candidates)


def _looks(clauses: Sequence[ScoredClause]) -> list[ScoredClause]:
    """The clauses for which the robot must look first, one for each look."""
    distinct: dict[Action, ScoredClause] = {}
    for clause in clauses:
        if clause.look_first:
            distinct.setdefault(clause.candidates[0].action, clause)
    return list(distinct.values())


def _forbidden(withheld: Sequence[ActionCandidate]) -> list[Action]:
    """The most probable action of each clause that forbids one."""
    forbidden: dict[tuple[int, int], Action] = {}
    for candidate in withheld:
        forbidden.setdefault((candidate.clause, candidate.part), candidate.action)
    return list(forbidden.values())


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
        question="" if verdict.decision == "execute" else verdict.said,
        options=verdict.options if asked else (),
        words=verdict.words if asked else (),
        utilities=verdict.weighed,
        notes=belief.notes,
        referents=tuple((thing, phrase_for(domain, thing)) for thing in objects),
    )


def _all_at_once(domain: Domain, kept: Sequence[ScoredClause], verdict: Verdict) -> Verdict:
    """One question about the whole sequence, with what is doubtful in each clause, in place of one about each clause in turn."""
    doubtful = [clause.verdict for clause in kept if clause.verdict.decision == "confirm"]
    if any(each.question != shall_i(domain, each.options) for each in doubtful):
        return verdict  # it asks for something else than a yes to that action
    actions = _actions_of(kept)
    doubts = " ".join(dict.fromkeys(each.doubt for each in doubtful if each.doubt))
    return replace(verdict, doubt=doubts, question=shall_i(domain, actions), options=actions)


def _offered(domain: Domain, kept: Sequence[ScoredClause], verdict: Verdict, refused: Sequence[Verdict]) -> Verdict:
    """Say what can't be done or isn't as expected, then ask whether to do the rest. What else is unclear is asked afterwards.

    An answer settles only what its question was about, so a caution must be part of the question that allows its clause.
    """
    problem = " ".join(filter(None, dict.fromkeys((*(each.question for each in refused), *(clause.caution for clause in kept)))))
    clear = [clause for clause in kept if clause.verdict.decision != "ask"]
    cautious = any(clause.caution for clause in clear)
    if not clear or (verdict.decision == "ask" and not cautious):
        return replace(verdict, doubt=f"{problem} {verdict.doubt}".strip())
    actions = _actions_of(clear)
    reason = f"a part can't be done: {refused[0].reason}" if refused else problem
    return Verdict("confirm", verdict.utility, reason, shall_i(domain, actions), actions, verdict.weighed, doubt=problem)
