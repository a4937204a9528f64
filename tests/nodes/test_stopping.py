"""Stopping, on real nodes over DDS: the word in the sound, the health of the spotter, and no motion afterwards."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import TwistStamped
from hypothesis import given
from hypothesis import strategies as st
from sayso_msgs.msg import AudioChunk

from patience import PATIENCE
from ros_nodes import Peer, environment, peer
from sayso.speech.files import read_sound
from sayso.types import SAMPLE_RATE, Action, ActionBelief, ActionCandidate
from sayso.types import AudioChunk as Chunk
from sayso_nodes.conversions import to_message, to_time
from sayso_nodes.graph import interface
from sayso_nodes.nodes.heartbeats import MANY, Heartbeats
from sayso_nodes.running.processes import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN = 88
SENTENCES = Path(__file__).resolve().parents[2] / "config" / "sentences"
SENDERS = st.lists(st.tuples(st.sampled_from("abc"), st.floats(0.0, 10.0)), min_size=1)


# Heartbeats, without nodes.


@given(SENDERS, st.floats(0.01, 5.0))
def test_the_longest_silence_beyond_the_limit_is_reported(beats: list[tuple[str, float]], within: float) -> None:
    watched, now = Heartbeats(), 0.0
    for sender, pause in beats:
        now += pause
        assert watched.beat(sender, now)
    last = {sender: sum(pause for _, pause in beats[: index + 1]) for index, (sender, _) in enumerate(beats)}
    lost = watched.silent(now, within)
    longest = max(now - at for at in last.values())
    if lost is None:
        assert longest <= within + 1e-9
    else:
        assert lost[1] == pytest.approx(longest)
        assert lost[1] > within


def test_who_was_never_heard_is_not_missed_and_0_turns_the_watch_off() -> None:
    watched = Heartbeats()
    assert watched.silent(100.0, 1.0) is None
    watched.beat("stop_spotter", 0.0)
    assert watched.silent(100.0, 1.0) == ("stop_spotter", 100.0)
    assert watched.silent(100.0, 0.0) is None


def test_a_flood_of_senders_is_not_kept() -> None:
    watched = Heartbeats()
    assert [watched.beat(str(number), 0.0) for number in range(MANY + 5)] == [True] * MANY + [False] * 5
    assert watched.beat("0", 1.0)  # who was there first is watched on


# The nodes.


class Robot:
    """A robot with constant requests to drive: records the velocities and whether it is stopped."""

    def __init__(self, peer: Peer, graph: RunningGraph) -> None:
        self.peer, self.graph = peer, graph
        self.velocities, self.stopped = peer.hear("cmd_vel"), peer.hear("stopped")
        self.requests = peer.speaker("cmd_vel_request")

    def drive(self) -> None:
        """Ask once; to be called again and again."""
        request = TwistStamped()
        request.header.stamp = to_time(time.time())
        request.twist.linear.x = 0.2
        self.requests.publish(request)
        self.peer.spin(0.04)

    def drives(self) -> bool:
        self.drive()
        return bool(self.velocities) and self.velocities[-1].linear.x > 0.0

    def stops(self) -> bool:
        self.drive()
        return bool(self.stopped[-1].data)

    def resume(self) -> None:
        self.peer.until(lambda: self.peer.call("resume").success)
        self.peer.until(lambda: not self.stopped[-1].data)
        self.peer.spin(0.2)
        self.velocities.clear()

    def play(self, name: str) -> None:
        self.graph.start("wav_player", {"files": [str(SENTENCES / f"{name}.flac")], "silence": 1.0, "leave": True})


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Robot]:
    nodes = ("motion_gate", "stop_spotter", "planner")
    with (
        RunningGraph("robot", nodes=nodes, env=environment(DOMAIN), log_dir=tmp_path_factory.mktemp("log")) as running,
        peer(DOMAIN) as made,
    ):
        running.wait_active(PATIENCE)
        yield Robot(made, running)


def test_the_spoken_word_stops_a_driving_robot_without_recogniser_and_classifier(robot: Robot) -> None:
    robot.resume()
    robot.peer.until(robot.drives)
    robot.play("stop")
    robot.peer.until(robot.stops)
    robot.velocities.clear()
    for _ in range(10):
        robot.drive()
    assert robot.velocities
    assert all(velocity.linear.x == 0.0 for velocity in robot.velocities)


def test_a_command_that_was_said_before_the_stop_is_not_done_after_it(robot: Robot) -> None:
    outcomes, beliefs = robot.peer.hear("outcome"), robot.peer.speaker("action_belief")
    said = time.time()
    robot.peer.call("stop")
    robot.peer.until(lambda: robot.stopped[-1].data)
    robot.peer.spin(0.3)  # the planner hears of it too
    robot.resume()
    go = ActionCandidate(0, Action("go_to", (("goal", "kitchen"),)), 1.0, 1.0, 1.0, 1.0)
    beliefs.publish(to_message(ActionBelief("slow", said, (go,), "execute", "go to the kitchen: 100% sure")))
    outcome = robot.peer.until(lambda: outcomes)[-1]
    assert (outcome.utterance_id, outcome.succeeded) == ("slow", False)
    assert outcome.reason == "that was said before the robot was told to stop"


def test_unusable_sound_stops_the_robot(robot: Robot) -> None:
    robot.resume()
    sound = robot.peer.speaker("audio", subscribers=1)
    diagnoses = robot.peer.hear("/diagnostics", publishers=3)

    def stops() -> bool:
        sound.publish(AudioChunk(sample_rate=44_100, samples=[0] * 441))
        return robot.stops()

    robot.peer.until(stops)
    assert "stop_spotter has been silent" in robot.peer.call("resume").message
    messages = robot.peer.until(
        lambda: [s.message for d in diagnoses for s in d.status if s.name == "sayso: stop_spotter" and s.level == DiagnosticStatus.ERROR]
    )
    assert any("cannot be heard" in message or "not 44100 Hz" in message for message in messages)
    robot.resume()  # a second after the last of that sound


def test_a_listener_that_dies_stops_the_robot_which_goes_on_when_it_is_back(robot: Robot) -> None:
    robot.resume()
    robot.peer.until(robot.drives)
    robot.graph.processes["stop_spotter"].process.kill()
    robot.peer.until(robot.stops)
    refused = robot.peer.call("resume")
    assert not refused.success
    assert "stop_spotter has been silent for" in refused.message
    assert "stop_spotter ended (SIGKILL), is started again in 0 s" in robot.graph.poll()
    robot.resume()
    robot.peer.until(robot.drives)


def test_an_answered_stop_is_not_called_again_however_much_sound_is_waiting(tmp_path: Path) -> None:
    domain, called = DOMAIN + 2, list[str]()

    def stop(_request: Any, response: Any) -> Any:
        called.append("stop")
        response.success = True
        return response

    sound = read_sound(SENTENCES / "stop.flac").samples
    with RunningGraph("robot", nodes=("stop_spotter",), env=environment(domain), log_dir=tmp_path) as graph, peer(domain) as made:
        made.node.create_service(interface("stop"), "stop", stop)
        graph.wait_active(PATIENCE)
        audio, beats = made.speaker("audio"), made.hear("heartbeat")
        made.spin(0.5)
        seconds = itertools.count(1.0, 10.0)

        def calls() -> int:
            beats.clear()
            made.until(lambda: len(beats) > 3)  # it has its answers
            called.clear()
            said = next(seconds)
            for at in range(0, len(sound), 640):
                audio.publish(to_message(Chunk(sound[at : at + 640], said + at / SAMPLE_RATE)))
            made.until(lambda: called)
            beats.clear()
            made.until(lambda: len(beats) > 3)
            return len(called)

        assert calls()  # the first answer may be lost: DDS has not introduced both sides to each other yet
        assert made.undisturbed(calls, longest=0.08) == 1  # an answer that is late by more is none


def test_an_unanswered_stop_is_repeated_until_the_gate_is_back(tmp_path: Path) -> None:
    domain = DOMAIN + 1
    with RunningGraph("robot", nodes=("stop_spotter",), env=environment(domain), log_dir=tmp_path) as graph, peer(domain) as made:
        graph.wait_active(PATIENCE)
        diagnoses = made.hear("/diagnostics")
        graph.start("wav_player", {"files": [str(SENTENCES / "stop.flac")], "silence": 1.0, "leave": True})
        made.until(lambda: any("does not answer" in each.status[0].message for each in diagnoses))
        graph.start("motion_gate")
        stopped: list[Any] = made.hear("stopped")
        made.until(lambda: stopped and stopped[-1].data)
