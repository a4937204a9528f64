"""Signs of life, and jumps of time, without nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.supervision import BEAT, CLIENT_GONE, SET_BACK, Client, LastStop, OtherNode, OwnPulse, RosTime


def beating(until: float, life: str = "a") -> OtherNode:
    """A node that beat from 0 s until then."""
    node = OtherNode()
    for number in range(round(until / BEAT) + 1):
        node.beat(life, number * BEAT)
    return node


def test_a_node_that_never_gave_a_sign_is_not_missed() -> None:
    assert OtherNode().silent(100.0) == 0.0
    assert not Client(OtherNode(), 0.0).gone(100.0)


def test_a_client_that_falls_silent_is_gone_within_a_quarter_of_a_second() -> None:
    node = beating(1.0)
    client = Client(node, 1.0)
    assert not client.gone(1.0 + CLIENT_GONE - 0.01)
    assert client.gone(1.0 + CLIENT_GONE + 0.01)


def test_a_client_that_restarts_is_gone_at_its_first_sign() -> None:
    node = beating(1.0)
    client = Client(node, 1.0)
    node.beat("b", 1.1)
    assert client.gone(1.1)


def test_the_first_goal_of_a_restarted_client_is_not_taken_for_its_predecessors() -> None:
    node = beating(1.0)
    client = Client(node, 5.0)  # the new planner is not heard yet
    assert not client.gone(5.1)
    node.beat("b", 5.2)
    assert not client.gone(5.2)
    assert client.gone(5.2 + 2 * CLIENT_GONE)


def test_a_process_knows_that_it_was_frozen() -> None:
    pulse = OwnPulse(0.0, longest=0.8)
    assert pulse.away(0.5) == 0.0
    assert pulse.away(20.5) == 20.0
    assert pulse.away(20.6) == 0.0


@given(st.lists(st.floats(0.0, 1e6), min_size=1))
def test_time_that_only_goes_on_is_never_set_back(times: list[float]) -> None:
    clock = RosTime()
    assert all(clock.set_back(now) == 0.0 for now in sorted(times))


@given(st.floats(0.0, 1e6), st.floats(SET_BACK + 0.01, 1e5))
def test_a_clock_that_is_set_back_is_noticed_once_and_by_how_much(now: float, back: float) -> None:
    clock = RosTime()
    clock.set_back(now)
    assert clock.set_back(now - back) == pytest.approx(back, abs=1e-6)
    assert clock.set_back(now - back + 0.1) == 0.0


def test_what_was_said_before_the_stop_is_told_from_what_was_said_after_it() -> None:
    stop = LastStop()
    stop.stop(78.0)
    assert stop.comes_after(77.9, 80.0)
    assert not stop.comes_after(78.1, 80.0)


def test_a_clock_that_is_set_back_blocks_no_command() -> None:
    stop = LastStop()
    stop.stop(70.0)
    stop.look(78.0)
    stop.look(17.0)
    assert not stop.comes_after(17.5, 18.0)


def test_what_was_said_before_the_stop_and_before_the_clock_was_set_back_stays_dropped() -> None:
    stop = LastStop()
    stop.look(75.0)
    stop.stop(76.0)
    stop.look(17.0)
    assert stop.comes_after(75.0, 17.5)
    assert not stop.comes_after(76.0 + 59.0, 17.5)  # nonsense from another clock blocks nothing


def test_a_clock_that_is_set_forward_blocks_no_command() -> None:
    stop = LastStop()
    stop.stop(78.0)
    assert not stop.comes_after(3679.0, 3679.5)
    assert stop.comes_after(77.0, 3679.5)
