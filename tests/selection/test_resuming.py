"""After a stop the robot resumes on an explicit command, and asks for confirmation otherwise."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.selection import ActionSelector
from sayso.selection.later.resuming import says_resume
from sayso.types import ActionBelief, Clause, IntentBelief

HOME = load_domain()
INTENTS = tuple(HOME.intents)
SELECT = ActionSelector(HOME)


def decided(text: str, intent: str = "resume") -> ActionBelief:
    """The decision on an utterance of which the classifier is sure."""
    p = np.full(len(INTENTS), 1e-4)
    p[INTENTS.index(intent)] = 1.0
    clause = Clause(text, 0, len(text), intent, p / p.sum(), (), -5.0)
    return SELECT(IntentBelief("u", 0.0, text, INTENTS, (clause,)), None)


@pytest.mark.parametrize("text", ["go on", "continue", "resume", "Please continue!", "go on go on", "carry on please", "all clear go on"])
def test_resumes_on_an_explicit_command(text: str) -> None:
    assert says_resume(HOME, text)
    assert (decided(text).decision, decided(text).chosen[0].name) == ("execute", "resume")


@pytest.mark.parametrize("text", ["to be continued", "continue the movie", "go on a diet", "we should go on holiday", "don't go on", ""])
def test_similar_sentences_are_confirmed_however_sure_the_classifier(text: str) -> None:
    assert not says_resume(HOME, text)
    belief = decided(text)
    assert belief.decision == "confirm"
    assert belief.question
    assert [action.name for action in belief.options] == ["resume"]


def test_other_commands_are_unaffected() -> None:
    assert decided("do stop now", intent="stop").decision == "execute"
