"""A thing of the home, or a direction, that was said and left no trace in what was understood is not passed over in silence."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.domain import load_domain
from sayso.intent.composition.composer import Composer
from sayso.intent.composition.traces import Traces
from sayso.intent.fixed_words import fixed_words
from sayso.representation import Modifiers
from sayso.types import Clause, Role

HOME = load_domain()
TRACES = Traces(HOME, fixed_words(HOME))


def lost(text: str, role: Role, intent: str = "bring", mood: str = "request") -> tuple[str, ...]:
    """What left no trace, where one role was understood."""
    at = text.index(role.text)
    placed = Role(role.name, role.text, at, at + len(role.text), role.entity, role.kind, 1.0)
    clause = Clause(text, 0, len(text), intent, np.ones(1), (placed,), -5.0, modifiers=Modifiers(mood=mood))  # type: ignore[arg-type]
    return TRACES.lost([clause], Composer.spanned(text))


CUP = Role("theme", "the red cup", 0, 0, "red_cup", "object", 1.0)
FORWARD = Role("direction", "forward", 0, 0, "forward", "direction", 1.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bring me the red cup but only if it is on the shelf", ("shelf",)),
        ("everything on the kitchen table , bring the red cup", ("kitchen", "table")),
        ("should there be no milk bring me the red cup", ("milk",)),
        ("bring the red cup and not the laptop", ("laptop",)),
        ("bring me the red cup lest the table collapses", ("table",)),
        ("would you bring me the red cup never mind the rest", ()),
        ("bring me the red cup's what i said", ()),
    ],
)
def test_things_that_left_no_trace_are_left_over(text: str, words: tuple[str, ...]) -> None:
    assert lost(text, CUP) == words


def test_a_second_direction_is_left_over() -> None:
    assert lost("go 2 meters forward backwards", FORWARD, "move") == ("backwards",)
    assert lost("go forward right now", FORWARD, "move") == ()


def test_a_question_leaves_nothing_over() -> None:
    assert lost("is the red cup on the shelf", CUP, mood="question") == ()
