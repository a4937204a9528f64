"""Tells a new command from an answer: "bring me the red cup" does not answer "Should I look for the blue book?"."""

from __future__ import annotations

from functools import lru_cache

from sayso.domain.model import Domain
from sayso.selection.dialogue.which_one import picked
from sayso.selection.replies import kind_of, plain, wordings
from sayso.selection.stopping import calls_to_stop
from sayso.types import ActionBelief, Clause, IntentBelief


def commands_anew(domain: Domain, about: ActionBelief, utterance: IntentBelief) -> bool:
    """Whether the words ask for another action than the one in question, with a verb of their own; a request to stop always does.

    Words that point back ("put it on the desk", "take the red one") are no command of their own, nor is a yes or a no.

    Args:
        domain: of the robot.
        about: the belief with the open question, or the one that is being carried out.
        utterance: what was said, as the intent classifier reads it.
    """
    if calls_to_stop(domain, utterance):
        return True
    words = plain(utterance.text)
    if utterance.rejected or kind_of(words) is not None or set(words.split()) & set(wordings()["pointing"]):
        return False
    if about.choices and picked(domain, about, utterance.text) is not None:  # "take the left cup"
        return False
    if any(clause.negated or clause.intent not in domain.intents for clause in utterance.clauses):
        return False
    in_question = {action.name for action in about.options or about.chosen}
    if any(_usual_action(domain, clause.intent) in in_question for clause in utterance.clauses):
        return False
    return any(_spelt_out(domain, clause) for clause in utterance.clauses)


def _usual_action(domain: Domain, intent: str) -> str:
    actions = domain.intents[intent].actions
    return max(actions, key=lambda name: actions[name]) if actions else intent


def _spelt_out(domain: Domain, clause: Clause) -> bool:
    """Whether the clause begins with a verb of its intent, after "could you" and the like."""
    function_words, wishes = wordings()["function_words"], wordings()["wishes"]
    first = next((word for word in plain(clause.text).split() if word not in function_words), "")
    return clause.out_of_scope <= 0.0 and (first in wishes or first in _verbs(domain.intents[clause.intent].wordings))


@lru_cache(maxsize=256)
def _verbs(sentences: tuple[str, ...]) -> frozenset[str]:
    """The first words of sentences, without function words and names."""
    return frozenset(sentence.split()[0] for sentence in sentences if sentence.strip()) - set(wordings()["function_words"])
