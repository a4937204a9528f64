"""A belief that is no distribution is recognised before it is kept: every later decision would fail with it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sayso.types import ObjectBelief


@pytest.mark.parametrize(
    ("places", "probabilities"),
    [
        ((), ()),
        (("a",), ()),
        (("a", "b"), (1.0,)),
        (("a",), (math.nan,)),
        (("a", "b"), (2.0, -1.0)),
        (("a",), (0.0,)),
        (("a",), (math.inf,)),
    ],
)
def test_what_is_no_distribution_is_recognised(places: tuple[str, ...], probabilities: tuple[float, ...]) -> None:
    assert not ObjectBelief("cup", places, np.array(probabilities)).is_distribution


def test_a_distribution_is_one() -> None:
    assert ObjectBelief("cup", ("a", "b"), np.array([0.25, 0.75])).is_distribution
