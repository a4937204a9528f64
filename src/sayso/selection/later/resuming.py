"""Resuming after a stop: only an utterance that is entirely a resume command counts; anything else is confirmed first.

The classifier also recognises "to be continued" and "continue the movie" as `resume`; these must not release a stopped robot.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sayso.domain.model import Domain
from sayso.selection.choosing.decide import Verdict
from sayso.selection.choosing.questions import confirm_question
from sayso.selection.replies import alternation, plain
from sayso.types import Action

RESUME = "resume"  # name of the action


def says_resume(domain: Domain, text: str) -> bool:
    """Whether the utterance consists only of the domain's resume examples, possibly repeated or with polite words."""
    examples = [text for intent in domain.intents.values() if intent.actions.get(RESUME, 0.0) > 0.5 for text in intent.examples]
    pattern = _sentences(tuple(examples))
    return pattern is not None and pattern.fullmatch(plain(text) + " ") is not None


def confirm_unless_explicit(domain: Domain, text: str, chosen: tuple[Action, ...], verdict: Verdict) -> Verdict:
    """The verdict, unless it would resume on ambiguous words: then a verdict that asks for confirmation."""
    resume = next((action for action in chosen if action.name == RESUME), None)
    if verdict.decision != "execute" or resume is None or says_resume(domain, text):
        return verdict
    reason = "resuming needs an explicit command"
    return Verdict("confirm", verdict.utility, reason, confirm_question(domain, resume), (resume,), verdict.weighed)


@lru_cache(maxsize=16)
def _sentences(examples: tuple[str, ...]) -> re.Pattern[str] | None:
    sentences = {plain(example) for example in examples if "{" not in example} - {""}
    return re.compile(rf"(?:(?:{alternation(sorted(sentences))}) )+") if sentences else None
