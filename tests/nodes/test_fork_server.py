"""Nodes that a fork server makes are the launcher's own: it waits for them, and ends and starts them, with the server and without."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso_nodes.running.forked import Forked
from sayso_nodes.running.processes import RunningGraph

pytest.importorskip("rclpy")
pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]

DOMAIN = "38"
NODES = ("motion_gate", "speech_output", "command_server")
WAITED = 60.0  # s, on a busy machine


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningGraph]:
    folder = tmp_path_factory.mktemp("logs")
    with RunningGraph("robot", nodes=NODES, env={"ROS_DOMAIN_ID": DOMAIN}, log_dir=folder) as made:
        made.wait_active(WAITED)
        yield made


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def session_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[3])


def restarted(graph: RunningGraph, name: str) -> list[str]:
    """Kill the node, and wait until it runs again. What the launcher tells."""
    killed = graph.processes[name].process
    killed.kill()
    assert killed.wait(WAITED) == -signal.SIGKILL
    events, end = [], time.monotonic() + WAITED
    while graph.processes[name].process is killed:
        assert time.monotonic() < end
        events += graph.poll()
        time.sleep(0.05)
    graph.wait_active(WAITED)
    return events


def test_each_node_is_a_process_and_a_session_of_its_own_whose_parent_is_the_launcher(graph: RunningGraph) -> None:
    pids = [held.process.pid for held in graph.processes.values()]
    assert len(set(pids)) == len(NODES)
    for name, held in graph.processes.items():
        assert isinstance(held.process, Forked)
        assert parent_of(held.process.pid) == os.getpid()
        assert session_of(held.process.pid) == held.process.pid
        assert name[:15] == Path(f"/proc/{held.process.pid}/comm").read_text().strip()
        assert held.node.module.encode() in Path(f"/proc/{held.process.pid}/cmdline").read_bytes()


def test_the_death_of_a_node_takes_no_other_with_it_and_it_is_forked_again(graph: RunningGraph) -> None:
    others = {name: held.process.pid for name, held in graph.processes.items() if name != "speech_output"}
    events = restarted(graph, "speech_output")
    assert events[0] == "speech_output ended (SIGKILL), is started again in 0.5 s"
    assert isinstance(graph.processes["speech_output"].process, Forked)
    assert {name: graph.processes[name].process.pid for name in others} == others
    assert graph.poll() == []


def test_the_death_of_the_server_ends_no_node_and_the_next_one_is_spawned(graph: RunningGraph) -> None:
    before = {name: held.process.pid for name, held in graph.processes.items()}
    server = graph._server
    assert server is not None
    server.process.kill()
    server.process.wait()
    assert graph.poll() == []
    assert {name: held.process.pid for name, held in graph.processes.items()} == before
    restarted(graph, "motion_gate")
    assert isinstance(graph.processes["motion_gate"].process, subprocess.Popen)


def test_no_process_stays_and_the_launcher_adopts_no_other_orphans(tmp_path: Path) -> None:
    with RunningGraph("robot", nodes=NODES, env={"ROS_DOMAIN_ID": DOMAIN}, log_dir=tmp_path) as made:
        made.wait_active(WAITED)
        assert made._server is not None
        pids = [*(held.process.pid for held in made.processes.values()), made._server.process.pid]
        orphan = subprocess.run(["sh", "-c", "sleep 60 >/dev/null & echo $!"], stdout=subprocess.PIPE, text=True, check=True)
        assert parent_of(int(orphan.stdout)) != os.getpid()
        os.kill(int(orphan.stdout), signal.SIGKILL)
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]


LAUNCHER = """
import sys, time
from sayso_nodes.running.processes import RunningGraph
with RunningGraph("robot", nodes={nodes!r}, env={{"ROS_DOMAIN_ID": {domain!r}}}, log_dir={folder!r}) as graph:
    print(*(held.process.pid for held in graph.processes.values()), graph._server.process.pid, flush=True)
    time.sleep(600)
"""


def test_nodes_and_server_end_by_themselves_when_the_launcher_is_killed(tmp_path: Path) -> None:
    code = LAUNCHER.format(nodes=NODES, domain=DOMAIN, folder=str(tmp_path))
    launcher = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert launcher.stdout is not None
    pids = [int(each) for each in launcher.stdout.readline().split()]
    launcher.kill()
    launcher.wait()
    end = time.monotonic() + WAITED
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_fork_beside_the_tracer_leaves_both_processes_able_to_fork_again() -> None:
    code = """
import os, rclpy
from sayso_nodes.running.tracing import TracerFork
tracer = TracerFork()
tracer.before()
if os.fork() == 0:
    tracer.in_child()
    rclpy.init()
    rclpy.create_node("child")
    os._exit(7)
tracer.in_parent()
assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
"""
    env = {**os.environ, "ROS_DOMAIN_ID": DOMAIN}
    assert subprocess.run([sys.executable, "-c", code], env=env, timeout=WAITED, check=False).returncode == 0
