"""Roles sum over the n-best texts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hand_made import transcript
from sayso.domain import load_domain
from sayso.intent import IntentClassifier
from sayso.intent.alternatives import mixed_roles
from sayso.pipeline import Pipeline
from sayso.types import NAME_SCALE, Context, Role

CUPS = ("red_cup", "blue_cup", "white_cup")


def named(*scores: float, name: str = "theme") -> Role:
    linked = tuple(sorted(zip(CUPS, scores, strict=True), key=lambda pair: -pair[1]))
    return Role(name, "the cup", 0, 7, linked[0][0], "object", linked[0][1], linked)


def shares(role: Role) -> dict[str, float]:
    """P(entity | audio), computed from the scores as in selection."""
    weights = {entity: math.exp(score / NAME_SCALE) for entity, score in role.candidates}
    return {entity: weight / sum(weights.values()) for entity, weight in weights.items()}


@given(st.lists(st.tuples(st.floats(0.05, 1.0), *[st.floats(0.8, 1.0)] * 3), min_size=1, max_size=4))
def test_entities_are_weighted_by_the_probability_of_their_texts(texts: list[tuple[float, float, float, float]]) -> None:
    roles = [named(*scores) for _, *scores in texts]
    mixed = mixed_roles((roles[0],), texts[0][0], [(p, (role,)) for (p, *_), role in zip(texts[1:], roles[1:], strict=True)])[0]
    expected = dict.fromkeys(CUPS, 0.0)
    for (p, *_), role in zip(texts, roles, strict=True):
        for entity, score in role.candidates:
            expected[entity] += p * math.exp((score - role.candidates[0][1]) / NAME_SCALE)
    total = sum(expected.values())
    assert shares(mixed) == pytest.approx({entity: weight / total for entity, weight in expected.items()}, abs=1e-9)
    assert mixed.entity == mixed.candidates[0][0]


def test_a_role_missing_from_the_other_texts_is_unchanged() -> None:
    goal = named(0.9, 0.8, 0.8, name="goal")
    assert mixed_roles((goal,), 0.6, [(0.4, (named(0.8, 0.9, 0.8),))]) == (goal,)


def test_two_equally_probable_names_lead_to_a_question() -> None:
    domain = load_domain()
    classify = IntentClassifier(domain, lm_weight=0.0)
    heard = transcript(("bring me the red cup", 0.52), ("bring me the blue cup", 0.48))
    theme = classify(heard).clauses[0].role("theme")
    assert theme is not None
    assert shares(theme)["red_cup"] == pytest.approx(0.52, abs=0.02)
    decided = Pipeline(domain, classify).understand(heard, Context()).action_belief
    assert decided.decision == "ask"
    assert {option.argument("theme") for option in decided.options} == {"red_cup", "blue_cup"}
