"""A Gazebo that stands still, and a bridge that lacks a topic, are told in one line."""

from __future__ import annotations

from sayso.gazebo.supply import LATE, STANDS, Supply


def watched(supply: Supply, simulated: float, now: float, seconds: float, pace: float) -> tuple[float, float, list[str]]:
    """The simulated and steady time after some seconds at this pace, and what was said on the way."""
    said = []
    for _ in range(round(2 * seconds)):
        simulated, now = simulated + 0.5 * pace, now + 0.5
        said.append(supply.trouble(simulated, now))
    return simulated, now, said


def test_a_gazebo_at_a_fifth_of_real_time_is_well() -> None:
    supply = Supply(["odom"])
    supply.hear("odom")
    *_, said = watched(supply, 0.1, 100.0, 120.0, 0.2)
    assert set(said) == {""}


def test_a_pause_is_told_after_ten_seconds_and_over_when_time_runs_again() -> None:
    supply = Supply([])
    simulated, now, _ = watched(supply, 0.1, 100.0, 5.0, 1.0)
    simulated, now, said = watched(supply, simulated, now, 60.0, 0.0)
    assert said[round(2 * STANDS) - 1] == ""
    assert "stands still" in said[round(2 * STANDS)]
    assert len(set(said)) == 2
    *_, said = watched(supply, simulated, now, 5.0, 1.0)
    assert set(said) == {""}


def test_missing_topics_are_named_once_time_has_run_for_a_while() -> None:
    supply = Supply(["odom", "gazebo/joints", "gazebo/pose/milk", "gazebo/pose/apple", "gazebo/pose/lemon"])
    supply.hear("gazebo/joints")
    *_, said = watched(supply, 0.1, 100.0, LATE + 2.0, 1.0)
    assert said[10] == ""
    assert "nothing comes from odom, gazebo/pose/milk, gazebo/pose/apple and 1 more" in said[-1]


def test_nothing_is_missed_before_gazebo_has_started() -> None:
    *_, said = watched(Supply(["odom"]), 0.0, 100.0, 300.0, 0.0)
    assert set(said) == {""}
