"""Decides a belief again once an answer has settled what some of its clauses mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sayso.domain.model import Domain
from sayso.selection.choosing.decide import Verdict, decide, utility_of_executing
from sayso.selection.choosing.outcomes import missing_roles
from sayso.selection.utterance import most_careful, with_verdict
from sayso.types import Action, ActionBelief, ActionCandidate

Place = tuple[int, int]  # a clause, and the part of it


def settled(domain: Domain, belief: ActionBelief, meant: Mapping[Action, float], asked: Action) -> ActionBelief:
    """The belief with posterior `meant` for the clause of the action `asked`, decided again; other clauses keep theirs.

    A repetition ("twice") is settled with it: a part of the same clause with the same candidates.
    """
    place = place_of(belief, asked)
    actions = _actions(belief)
    alike = [other for other in actions if other[0] == place[0] and actions[other] == actions[place]]
    return settled_at(domain, belief, dict.fromkeys(alike, meant))


def settled_at(domain: Domain, belief: ActionBelief, meant: Mapping[Place, Mapping[Action, float]]) -> ActionBelief:
    """The belief with these posteriors, decided again; a part for which nothing is meant is not done. Other parts keep theirs.

    What has P = 0 was prohibited or ruled out before: it stays so, and has no part in the decision.
    """
    places = sorted({(candidate.clause, candidate.part) for candidate in belief.candidates})
    table = {place: [candidate for candidate in belief.candidates if (candidate.clause, candidate.part) == place] for place in places}
    for place, posterior in meant.items():
        table[place] = _replaced(domain, table[place], posterior)
    candidates = tuple(candidate for place in places for candidate in table[place])
    open_places = [place for place in places if any(candidate.probability > 0.0 for candidate in table[place])]
    if not open_places:
        nothing = Verdict("reject", 0.0, "nothing is left to do", "All right, I won't.")
        return with_verdict(domain, replace(belief, candidates=candidates), nothing)
    verdict = most_careful([decide(domain, table[place]) for place in open_places])
    return with_verdict(domain, replace(belief, candidates=candidates), verdict)


def together(domain: Domain, belief: ActionBelief, asked: Action, wanted: Sequence[Action]) -> ActionBelief:
    """The belief with all of these actions in place of the one in question, each as a part of its clause."""
    clause, part = place_of(belief, asked)
    parts = range(1 + max(candidate.part for candidate in belief.candidates if candidate.clause == clause), 2**31)
    places = [(clause, part), *((clause, number) for number, _ in zip(parts, wanted[1:], strict=False))]
    alike = next(candidate for candidate in belief.candidates if candidate.action == asked)
    added = tuple(replace(alike, action=action, part=place[1]) for place, action in zip(places[1:], wanted[1:], strict=True))
    meant = {place: {action: 1.0} for place, action in zip(places, wanted, strict=True)}
    return settled_at(domain, replace(belief, candidates=(*belief.candidates, *added)), meant)


def _actions(belief: ActionBelief) -> dict[Place, set[Action]]:
    found: dict[Place, set[Action]] = {}
    for candidate in belief.candidates:
        found.setdefault((candidate.clause, candidate.part), set()).add(candidate.action)
    return found


def place_of(belief: ActionBelief, action: Action) -> Place:
    """The clause of the action, and its part of that clause."""
    return next((candidate.clause, candidate.part) for candidate in belief.candidates if candidate.action == action)


def places_in_question(belief: ActionBelief) -> dict[Place, Action]:
    """The parts of clauses that a question about several actions is about: "Shall I bring the milk and the bread?"."""
    best: dict[Place, ActionCandidate] = {}
    for candidate in belief.candidates:
        place = (candidate.clause, candidate.part)
        if candidate.probability > 0.0 and (place not in best or candidate.probability > best[place].probability):
            best[place] = candidate
    return {place: best[place].action for place in sorted(best) if best[place].action in belief.options}


def _replaced(domain: Domain, candidates: list[ActionCandidate], posterior: Mapping[Action, float]) -> list[ActionCandidate]:
    """The candidates of one part with the new posterior; complete actions that are not in it have P = 0."""
    previous = {candidate.action: candidate for candidate in candidates}
    alike = max(candidates, key=lambda candidate: candidate.probability)
    worth = utility_of_executing(domain, tuple(posterior), tuple(posterior.values())) if posterior else ()
    found = [
        replace(previous.get(action, alike), action=action, probability=p, utility=utility)
        for (action, p), utility in zip(posterior.items(), worth, strict=True)
    ]
    found.sort(key=lambda candidate: -candidate.probability)
    others = [previous[action] for action in previous if action not in posterior]
    ruled_out = [other for other in others if not posterior or not missing_roles(domain, other.action)]
    return [*found, *(replace(other, probability=0.0, utility=-domain.actions[other.action.name].wrong) for other in ruled_out)]
