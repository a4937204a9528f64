"""Simulated time that is late or set back: nothing is stamped before there is a time, and no command is blocked."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from rosgraph_msgs.msg import Clock
from sayso_msgs.srv import Say

from patience import PATIENCE
from ros_nodes import Peer, environment, peer
from sayso.types import Action, ActionBelief, ActionCandidate
from sayso_nodes.conversions import to_message, to_time
from sayso_nodes.running.processes import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN = 42
GO = ActionCandidate(0, Action("go_to", (("goal", "kitchen"),)), 1.0, 1.0, 1.0, 1.0)


@pytest.mark.long("kills, freezes or starves processes")
def test_a_node_that_restarts_takes_no_sentence_before_its_clock_has_come(tmp_path: Path) -> None:
    nodes = ("simulation", "motion_gate", "speech_to_text")
    with RunningGraph("sim", nodes=nodes, env=environment(DOMAIN), log_dir=tmp_path) as graph, peer(DOMAIN) as made:
        graph.wait_active(PATIENCE)
        transcripts, simulation = made.hear("transcript"), graph.processes["simulation"].process
        simulation.send_signal(signal.SIGSTOP)
        graph.processes["speech_to_text"].process.kill()
        graph.processes["speech_to_text"].process.wait()
        made.node.create_timer(0.2, graph.poll)
        log = tmp_path / "speech_to_text.log"
        made.until(lambda: "waits for the clock" in log.read_text())
        simulation.send_signal(signal.SIGCONT)
        made.until(lambda: made.call("say", Say.Request(text="turn left")).accepted)
        made.until(lambda: transcripts)
        assert transcripts[0].header.stamp.sec + transcripts[0].header.stamp.nanosec > 0


class Time:
    """The clock, as a simulation publishes it."""

    def __init__(self, made: Peer) -> None:
        self.peer, self.now = made, 0.0
        self.clock = made.speaker("/clock", subscribers=0)
        made.node.create_timer(0.02, self.tick)

    def tick(self) -> None:
        self.now += 0.02
        self.clock.publish(Clock(clock=to_time(self.now)))


@pytest.mark.parametrize("jump", [-61.0, 3600.0])
def test_a_command_that_is_said_after_a_jump_of_the_clock_is_carried_out(tmp_path: Path, jump: float) -> None:
    domain = DOMAIN + 1
    with RunningGraph("sim", nodes=("motion_gate", "planner"), env=environment(domain), log_dir=tmp_path) as graph, peer(domain) as made:
        time = Time(made)
        time.now = 70.0
        graph.wait_active(PATIENCE)
        beliefs, outcomes, plans = made.speaker("action_belief"), made.hear("outcome"), made.hear("plan_state")
        made.spin(1.0)
        stopped: list[Any] = made.hear("stopped")
        made.call("stop")
        made.until(lambda: stopped and stopped[-1].data)
        made.spin(0.5)
        made.call("resume")
        made.until(lambda: not stopped[-1].data)
        time.now += jump
        made.spin(0.5)
        beliefs.publish(to_message(ActionBelief("late", time.now, (GO,), "execute", "100% sure")))
        made.until(lambda: plans or outcomes)
        assert plans, outcomes[0].reason
