"""Sinusoidal positions against the printed formula and its two properties."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from sayso.nn import sinusoidal_positions  # noqa: E402

pytestmark = pytest.mark.long("trains or exports a network")


def slow_positions(position: float, dim: int) -> list[float]:
    """Equation 2, one number at a time."""
    numbers = []
    for i in range(dim // 2):
        angle = position / 10_000 ** (2 * i / dim)
        numbers += [math.sin(angle), math.cos(angle)]
    return numbers


def test_position_zero_is_0_1_0_1():
    assert sinusoidal_positions(torch.zeros(1), 8)[0].tolist() == [0, 1, 0, 1, 0, 1, 0, 1]


@given(st.floats(-500, 500), st.sampled_from([2, 8, 64]))
def test_positions_follow_the_formula(position, dim):
    fast = sinusoidal_positions(torch.tensor([position], dtype=torch.float64), dim)[0]
    np.testing.assert_allclose(fast.numpy(), slow_positions(position, dim), atol=1e-9)


@given(st.floats(0, 100), st.floats(-20, 20))
def test_a_step_rotates_every_pair_by_the_same_angle_everywhere(position, step):
    dim = 16
    here, there = sinusoidal_positions(torch.tensor([position, position + step], dtype=torch.float64), dim).reshape(2, dim // 2, 2).numpy()
    for i in range(dim // 2):
        angle = step / 10_000 ** (2 * i / dim)
        rotation = np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
        np.testing.assert_allclose(there[i], rotation @ here[i], atol=1e-9)


def test_odd_dimensions_are_refused():
    with pytest.raises(ValueError, match="even"):
        sinusoidal_positions(torch.zeros(1), 3)
