"""Signs of life, and jumps of time, without nodes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.supervision import (
    BEAT,
    CLIENT_GONE,
    LOOKED,
    SET_BACK,
    SLOWEST,
    Client,
    LastStop,
    OtherNode,
    OwnPulse,
    Pace,
    RosTime,
    SupervisionTime,
)


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


def simulated(pace: float, seconds: float = 10.0) -> SupervisionTime:
    """The time of a node that has looked at a simulation of that pace for that long."""
    made = SupervisionTime(0.0)
    for number in range(round(seconds / BEAT) + 1):
        made.look(number * BEAT, pace * number * BEAT)
    return made


@pytest.mark.parametrize(("pace", "counts"), [(0.0, SLOWEST), (0.3, 0.3), (1.0, 1.0), (5.0, 1.0)])
def test_silences_count_at_the_pace_of_a_slow_simulation_and_never_stand_still(pace: float, counts: float) -> None:
    assert simulated(pace, 11.0).at(11.0) - simulated(pace, 10.0).at(10.0) == pytest.approx(counts, abs=1e-3)


def test_who_waits_for_the_processor_blames_no_other_node() -> None:
    time, node = simulated(pace=1.0), beating(0.0)
    node.beat("a", time.at(10.0))
    time.look(12.0, 12.0)  # it had no processor for two seconds; what was sent meanwhile is not heard yet
    assert node.silent(time.at(12.0)) == pytest.approx(LOOKED * BEAT)


def test_a_clock_that_comes_in_bursts_has_the_pace_of_its_average() -> None:
    pace = Pace()
    for number in range(20):  # 0.4 s without processor, then the clock's messages at once
        pace.look(0.4 * number, 0.12 * max(number - 1, 0))
        pace.look(0.4 * number + 0.001, 0.12 * number)
        assert number < 10 or pace.value == pytest.approx(0.3, abs=0.15)


def test_in_a_slow_simulation_a_process_may_be_away_for_longer() -> None:
    pulse = OwnPulse(0.0, 0.8, simulated(pace=0.5).pace)
    assert pulse.away(1.5) == 0.0
    assert pulse.away(3.2) == pytest.approx(1.7)


@given(st.lists(st.tuples(st.floats(0.0, 1e6), st.floats(0.0, 1e6)), max_size=20))
def test_no_jump_of_a_clock_stops_or_hurries_the_time_of_silences(looks: list[tuple[float, float]]) -> None:
    time = SupervisionTime(0.0)
    for now, ros in looks:
        time.look(now, ros)
    assert SLOWEST - 1e-9 <= time.pace.slow <= 1.0


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
