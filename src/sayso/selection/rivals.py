"""What else may have been said: P(a | audio, ctx) = Σ_h P(a | h, ctx) P(h | audio), over the hearings h of an utterance.

Hearings with as many clauses as the first, and the same conditions and times, are its rivals: their actions are among the candidates.
Any other hearing leaves its probability to something else than the candidates, as words do that were not understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from sayso.domain.model import Domain
from sayso.domain.numbers import spelt_out
from sayso.selection.choosing.decide import UNCLEAR, Verdict, decide, utility_of_executing
from sayso.selection.choosing.questions import not_sure_whether, which_word
from sayso.types import Action, ActionCandidate, Clause, Hearing, IntentBelief

MOST_WORDS = 4  # that differ; nobody could answer a question about more
WORTH_NAMING = 0.02  # least probability of a rival that a yes–no question names
_ALIKE = frozenset(("a", "an", "the"))  # a question about these alone tells nothing apart


@dataclass(frozen=True, slots=True)
class HeardClause:
    """A clause as one hearing has it."""

    text: str
    candidates: tuple[ActionCandidate, ...]  # most probable first; they sum to P(the hearing, and its words were understood)
    verdict: Verdict  # on this hearing alone


def versions(belief: IntentBelief) -> tuple[tuple[float, IntentBelief], ...]:
    """(P(hearing), belief) of the first hearing and of its rivals; (1, belief) if it is certain what was said."""
    if not belief.hearings:
        return ((1.0, belief),)
    first, *others = belief.hearings
    alike = (other for other in others if _is_rival(belief.clauses, other))
    return ((first.p, belief), *((other.p, replace(belief, text=other.text, clauses=other.clauses)) for other in alike))


def decided_among(domain: Domain, heard: Sequence[HeardClause]) -> tuple[tuple[ActionCandidate, ...], Verdict]:
    """The candidates of all versions of a clause, and the verdict on them. A question names the words in which the versions differ."""
    if len(heard) == 1:
        return heard[0].candidates, heard[0].verdict
    found = _mixed(domain, heard)
    if not found:
        return (), heard[0].verdict
    refused = {each.candidates[0].action: each.verdict for each in heard if each.candidates and each.verdict.decision == "reject"}
    objections = {action: verdict.question for action, verdict in refused.items() if verdict.question != UNCLEAR}
    return found, _naming_words(decide(domain, found, objections), heard)


def words_that_differ(one: str, other: str) -> tuple[str, str]:
    """The words of each text that the other does not have in that place, from first to last: "left", "right"; empty if there are many."""
    a, b = one.split(), other.split()
    matched = SequenceMatcher(None, a, b, autojunk=False)
    changes = [change for change in matched.get_opcodes() if change[0] != "equal"]
    if not changes:
        return "", ""
    begin, end, first, last = changes[0][1], changes[-1][2], changes[0][3], changes[-1][4]
    if begin == end or first == last:  # a word that only one of them has, with the one before it or after it
        before = int(begin > 0)
        begin, first, end, last = begin - before, first - before, end + 1 - before, last + 1 - before
    said = a[begin:end], b[first:last]
    if not all(0 < len(words) <= MOST_WORDS for words in said) or all(_ALIKE.issuperset(words) for words in said):
        return "", ""
    return spelt_out(" ".join(said[0])), spelt_out(" ".join(said[1]))


def _is_rival(clauses: Sequence[Clause], hearing: Hearing) -> bool:
    return len(hearing.clauses) == len(clauses) and all(
        _frame(one) == _frame(other) for one, other in zip(clauses, hearing.clauses, strict=True)
    )


def _frame(clause: Clause) -> tuple[object, ...]:
    """All that a clause says besides what is to be done, with what, where and for whom."""
    modifiers = clause.modifiers
    around = (*(each.text for each in modifiers.conditions), *(each.text for each in modifiers.timings))
    return clause.negated, clause.out_of_scope > 0.0, modifiers.mood, modifiers.question, modifiers.repeat, modifiers.note, around


def _mixed(domain: Domain, heard: Sequence[HeardClause]) -> tuple[ActionCandidate, ...]:
    """Each action once, with the sum of its probabilities."""
    best: dict[Action, ActionCandidate] = {}
    total: dict[Action, float] = {}
    for candidate in (candidate for each in heard for candidate in each.candidates):
        total[candidate.action] = total.get(candidate.action, 0.0) + candidate.probability
        if candidate.action not in best or best[candidate.action].probability < candidate.probability:
            best[candidate.action] = candidate
    ordered = sorted(total, key=lambda action: -total[action])
    worth = utility_of_executing(domain, ordered, [total[action] for action in ordered]) if ordered else ()
    return tuple(replace(best[action], probability=total[action], utility=each) for action, each in zip(ordered, worth, strict=True))


def _naming_words(verdict: Verdict, heard: Sequence[HeardClause]) -> Verdict:
    """The verdict, with a question about the words that make the difference."""
    if verdict.decision not in ("ask", "confirm"):
        return verdict
    by_action: dict[Action, HeardClause] = {}
    for each in sorted(heard, key=lambda each: -each.candidates[0].probability if each.candidates else 0.0):
        if each.candidates:
            by_action.setdefault(each.candidates[0].action, each)
    if not all(option in by_action for option in verdict.options):
        return verdict
    chosen = [by_action[option] for option in verdict.options]
    if verdict.decision == "ask" and len(chosen) > 1:
        words = _words_of(chosen)
        return replace(verdict, question=which_word(words), words=words) if words else verdict
    other = next((each for action, each in by_action.items() if action not in verdict.options), None)
    if verdict.decision == "ask" or other is None or other.candidates[0].probability < WORTH_NAMING:
        return verdict
    words = words_that_differ(chosen[0].text, other.text)
    return replace(verdict, doubt=not_sure_whether(words)) if all(words) else verdict


def _words_of(chosen: Sequence[HeardClause]) -> tuple[str, ...]:
    """The words in which these versions differ, one for each; none if that cannot be told in a few."""
    first, *others = chosen
    pairs = [words_that_differ(first.text, other.text) for other in others]
    if len({own for own, _ in pairs}) != 1 or not all(map(all, pairs)):
        return ()
    words = (pairs[0][0], *(their for _, their in pairs))
    return words if len(set(words)) == len(words) else ()
