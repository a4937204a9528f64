"""A bag played to the live nodes under its own clock gives the decisions of `sayso replay`, at the bag's times."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from patience import PATIENCE
from replay_bags import BEGAN, CONFIG, context, save, sound
from ros_nodes import Peer, environment, peer
from sayso.bags.reading import Bag
from sayso.replay import replay_bag
from sayso_nodes.graph import load_graph
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 91
SPEED = 3.0
NODES = ("speech_to_text", "intent_classifier", "action_selector")  # nothing is looked for in a bag without pictures


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[RunningGraph]:
    with RunningGraph("replay", nodes=NODES, env=environment(DOMAIN), log_dir=tmp_path / "log") as running:
        running.wait_active(PATIENCE)
        yield running


def play(bag: Path, player: Peer) -> None:
    """What `ros2 bag play --clock --topics …` does: the recorded inputs as they are, and the time at which they were recorded."""
    from rosgraph_msgs.msg import Clock

    clock = player.speaker("/clock", subscribers=len(NODES))
    inputs = {name: player.speaker(name) for name in ("audio", "context")}
    assert set(inputs) <= set(load_graph("replay").elsewhere.publishes)
    with Bag(bag) as opened:
        now = opened.start_time
        for connection, recorded, raw in opened.messages():
            while now < recorded:
                now = min(now + 50_000_000, recorded)
                time_message = Clock()
                time_message.clock.sec, time_message.clock.nanosec = divmod(now, 10**9)
                clock.publish(time_message)
                time.sleep(0.05 / SPEED)
            inputs[connection.topic.strip("/")].publish(raw)


def test_live_nodes_decide_what_a_replay_without_ros_decides(nodes: RunningGraph, tmp_path: Path) -> None:
    bag = save(tmp_path / "bag", [*(context(0.2 * number) for number in range(30)), *sound(1.0, "go_to_the_kitchen"), context(6.5)])
    (alone,) = replay_bag(bag, replace(CONFIG, start="audio")).records
    assert alone.action == "go_to(goal=kitchen)"
    with peer(DOMAIN) as player:
        decisions = player.hear("action_belief")
        play(bag, player)
        player.until(lambda: decisions)
    (live,) = decisions
    assert live.decision == alone.decision
    assert live.candidates[0].action == "go_to"
    assert list(live.candidates[0].argument_values) == ["kitchen"]
    assert live.candidates[0].probability == pytest.approx(alone.p, abs=1e-3)
    assert live.header.stamp.sec + live.header.stamp.nanosec * 1e-9 - BEGAN == pytest.approx(alone.t, abs=0.5)
