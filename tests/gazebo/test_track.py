"""The robot's pose at the moment of a picture."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sayso.gazebo.track import RobotTrack
from sayso.types import FloatArray


def turning(stamp: float) -> FloatArray:
    """A robot that turns by 1 rad/s on a circle, and leans by 1°."""
    c, s, lean = math.cos(stamp), math.sin(stamp), math.radians(1.0)
    pose = np.eye(4)
    heading = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    tipped = np.array([[math.cos(lean), 0.0, math.sin(lean)], [0.0, 1.0, 0.0], [-math.sin(lean), 0.0, math.cos(lean)]])
    pose[:3, :3], pose[:3, 3] = heading @ tipped, (0.4 * s, -0.4 * c, 0.0)
    return pose


def test_a_picture_between_two_odometries_gets_the_pose_between_them() -> None:
    track = RobotTrack()
    for step in range(50):
        track.hear(0.02 * step, turning(0.02 * step))
    found = track.at(0.513)
    assert found is not None
    truth = turning(0.513)
    off = math.acos(min(1.0, (np.trace(found[:3, :3].T @ truth[:3, :3]) - 1) / 2))
    assert off < math.radians(0.01)
    assert found[:3, 3] == pytest.approx(truth[:3, 3], abs=1e-4)


def test_a_picture_of_later_waits_and_one_of_before_has_no_pose() -> None:
    track = RobotTrack()
    assert track.at(0.0) is None
    track.hear(1.0, np.eye(4))
    assert track.at(1.0) is not None
    assert track.at(1.1) is None
    assert track.at(0.9) is None


def test_a_world_that_begins_anew_begins_a_new_track() -> None:
    track = RobotTrack()
    track.hear(50.0, turning(50.0))
    track.hear(0.1, turning(0.1))
    assert track.newest == 0.1
    assert track.at(25.0) is None


def test_a_pose_that_is_no_number_is_refused() -> None:
    track = RobotTrack()
    track.hear(1.0, np.eye(4))
    assert not track.hear(2.0, np.full((4, 4), np.nan))
    assert track.newest == 1.0
