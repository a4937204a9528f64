"""Which of the meanings of a sentence is acted on."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sayso.intent.composition.meanings import ParsedMeaning, chosen, strangeness, supported
from sayso.types import Clause


def clause(intent: str, left_over: tuple[str, ...] = ()) -> Clause:
    return Clause(intent, 0, len(intent), intent, np.ones(1), (), -5.0, left_over=left_over)


GO, STOP = ParsedMeaning((clause("go_to"),), 0.6), ParsedMeaning((clause("stop"),), 0.3)


def test_the_likeliest_meaning_is_acted_on() -> None:
    assert chosen([ParsedMeaning((clause("bring"),), 0.3), GO]) is GO
    assert chosen([]) is None


def test_a_stop_that_is_likely_enough_is_taken_whatever_else_may_be_meant() -> None:
    assert chosen([GO, STOP]) is STOP
    assert chosen([GO, ParsedMeaning((clause("stop"),), 0.1)]) is GO
    assert chosen([GO, ParsedMeaning((clause("stop", ("music",)),), 0.3)]) is GO


def test_each_clause_has_the_support_of_its_sentence() -> None:
    found = supported(ParsedMeaning((clause("go_to"), clause("bring")), 0.8), agreed=False)
    assert [(each.support.parsed, each.support.agreed) for each in found] == [(0.8, False), (0.8, False)]


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9, 0.999, 1.0])
def test_what_is_rather_talk_is_out_of_scope(p: float) -> None:
    assert strangeness(p) >= 1.0
    assert math.isfinite(strangeness(p))
