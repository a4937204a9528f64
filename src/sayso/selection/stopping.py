"""Finds a request to stop among all else that a sentence says: it wins over what is taken back, unclear or not meant for the robot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from sayso.domain.model import Domain
from sayso.selection.replies import plain
from sayso.types import Clause, IntentBelief

STOP, WAIT = "stop", "wait"  # names of actions
LIKELY = 0.5  # P(a | k) above which an intent means that action


def wants_stop(domain: Domain, utterance: IntentBelief, clause: Clause) -> bool:
    """Whether the clause asks in so many words to stop now: an example of the domain is a part of it.

    "Don't stop", "stop in ten seconds" and "did you stop" do not, nor does the end of a way: "go down the hall and stop". In a clause that
    is not for the robot ("Ben, stop") the example must stand by itself between commas.
    """
    modifiers = clause.modifiers
    if _ends_a_way(utterance, clause):
        return False
    if clause.negated or modifiers.mood not in ("request", "retracted") or modifiers.conditions or modifiers.timings:
        return False
    examples, words = _examples(domain), clause.text.split()
    if clause.out_of_scope <= 0.0 and _means(domain, clause, WAIT):  # "stop for ten seconds"
        return any(tuple(words[: len(example)]) == example for example in examples)
    if not _means(domain, clause, STOP):
        return False
    if clause.out_of_scope <= 0.0:
        return any(_contains(words, example) for example in examples)
    said = utterance.text[clause.start : clause.end]
    return "," in said and any(tuple(plain(part).split()) in examples for part in said.split(","))


def _ends_a_way(utterance: IntentBelief, clause: Clause) -> bool:
    """Whether words join the clause to a request before it, "… and stop", "… then stop"; nothing or a comma does not.

    Nor is it said to stop now what is followed by another request, or by what must be done before it: "move on, stop, turn", "stop after
    entering the office".
    """
    so_far = takewhile(lambda each: each is not clause, utterance.clauses)
    before = [each for each in so_far if each.modifiers.mood == "request" and not each.negated]
    if not before:
        return False
    after = [each for each in utterance.clauses if each.start >= clause.end and each.modifiers.mood in ("request", "unable")]
    return bool(after) or bool(utterance.text[before[-1].end : clause.start].strip(" ,"))


def calls_to_stop(domain: Domain, utterance: IntentBelief) -> bool:
    """Whether any clause asks to stop now."""
    return not utterance.rejected and any(wants_stop(domain, utterance, clause) for clause in utterance.clauses)


def _means(domain: Domain, clause: Clause, action: str) -> bool:
    spec = domain.intents.get(clause.intent)
    return spec is not None and spec.actions.get(action, 0.0) > LIKELY


def _examples(domain: Domain) -> frozenset[tuple[str, ...]]:
    return _sentences(tuple(text for spec in domain.intents.values() if spec.actions.get(STOP, 0.0) > LIKELY for text in spec.wordings))


@lru_cache(maxsize=16)
def _sentences(wordings: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(plain(example).split()) for example in wordings if "{" not in example) - {()}


def _contains(words: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    return any(tuple(words[at : at + size]) == phrase for at in range(len(words) - size + 1))
