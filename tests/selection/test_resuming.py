"""After a stop the robot goes on when told to in so many words; what only sounds like it is asked about."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.selection import ActionSelector
from sayso.selection.resuming import says_go_on
from sayso.types import ActionBelief, Clause, IntentBelief

HOME = load_domain()
INTENTS = tuple(HOME.intents)
SELECT = ActionSelector(HOME)


def decided(text: str, intent: str = "resume") -> ActionBelief:
    """What is decided on an utterance of which the classifier is sure."""
    p = np.full(len(INTENTS), 1e-4)
    p[INTENTS.index(intent)] = 1.0
    clause = Clause(text, 0, len(text), intent, p / p.sum(), (), -5.0)
    return SELECT(IntentBelief("u", 0.0, text, INTENTS, (clause,)), None)


@pytest.mark.parametrize("text", ["go on", "continue", "resume", "Please continue!", "go on go on", "carry on please", "all clear go on"])
def test_goes_on_at_a_word_that_says_so(text: str) -> None:
    assert says_go_on(HOME, text)
    assert (decided(text).decision, decided(text).chosen[0].name) == ("execute", "resume")


@pytest.mark.parametrize("text", ["to be continued", "continue the movie", "go on a diet", "we should go on holiday", "don't go on", ""])
def test_what_only_sounds_like_it_is_asked_about_however_sure_the_classifier_is(text: str) -> None:
    assert not says_go_on(HOME, text)
    belief = decided(text)
    assert belief.decision == "confirm"
    assert belief.question
    assert [action.name for action in belief.options] == ["resume"]


def test_other_commands_are_none_of_its_business() -> None:
    assert decided("do stop now", intent="stop").decision == "execute"
