"""Sound of a page becomes sound of a microphone, whatever the clock does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from sayso_nodes.nodes.web_robot import CHUNK, FARTHEST, WebRobot

SECOND = np.ones(16_000, np.int16)


class Clocked:
    """A node whose ROS time is set by hand; notes the stamps of what it publishes."""

    def __init__(self) -> None:
        self.now = 5000.0
        self.stamps: list[float] = []

    def seconds(self) -> float:
        return self.now

    def client(self, _name: str) -> None:
        return None

    def publisher(self, _topic: str) -> Any:
        return SimpleNamespace(publish=self._note)

    def _note(self, message: Any) -> None:
        self.stamps.append(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)


@pytest.mark.parametrize("step", [-3600.0, 3600.0, -3.0])
def test_a_clock_that_is_set_makes_no_page_deaf(step: float) -> None:
    node = Clocked()
    robot = WebRobot(cast("Any", node))
    robot.talk(SECOND)
    node.now += step
    before = len(node.stamps)
    robot.talk(SECOND)
    assert len(node.stamps) == before + 25
    assert node.stamps[before] == pytest.approx(node.now - CHUNK / 16_000)
    assert np.allclose(np.diff(node.stamps[before:]), CHUNK / 16_000)


def test_more_sound_than_can_have_been_spoken_is_dropped() -> None:
    node = Clocked()
    robot = WebRobot(cast("Any", node))
    for _ in range(10):
        robot.talk(SECOND)
    assert max(node.stamps) <= node.now + FARTHEST
