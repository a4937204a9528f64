"""Going on after a stop: told to in so many words, and by a whole utterance, or else asked about first.

The classifier takes "to be continued" and "continue the movie" for `resume` as well; those must not free a robot that was stopped.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sayso.domain.model import Domain
from sayso.selection.decide import Verdict
from sayso.selection.questions import confirm_question
from sayso.selection.replies import alternation, plain
from sayso.types import Action

RESUME = "resume"  # the action


def says_go_on(domain: Domain, text: str) -> bool:
    """Is the utterance nothing but a sentence by which the domain's people say it, once or again and again, politely or not?"""
    examples = [text for intent in domain.intents.values() if intent.actions.get(RESUME, 0.0) > 0.5 for text in intent.examples]
    said = _sentences(tuple(examples))
    return said is not None and said.fullmatch(plain(text) + " ") is not None


def freed_by_words(domain: Domain, text: str, chosen: tuple[Action, ...], verdict: Verdict) -> Verdict:
    """The verdict on the utterance, or a question in its place where it would free the robot by words that need not mean that."""
    resume = next((action for action in chosen if action.name == RESUME), None)
    if verdict.decision != "execute" or resume is None or says_go_on(domain, text):
        return verdict
    reason = "that it may go on has to be said by itself"
    return Verdict("confirm", verdict.utility, reason, confirm_question(domain, resume), (resume,), verdict.weighed)


@lru_cache(maxsize=16)
def _sentences(examples: tuple[str, ...]) -> re.Pattern[str] | None:
    sentences = {plain(example) for example in examples if "{" not in example} - {""}
    return re.compile(rf"(?:(?:{alternation(sorted(sentences))}) )+") if sentences else None
