"""`sayso up` and the clients, as a user types them."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from patience import PATIENCE
from ros_nodes import environment, peer
from sayso.paths import project_root
from sayso.supervision import NODE_AWAY
from sayso_nodes.caller import ALONE_WITHIN
from sayso_nodes.commands.occupied import running_nodes
from sayso_nodes.environment import (
    FAST_DDS,
    SHARED_MEMORY,
    node_environment,
    profile,
    remove_broken_ports,
    remove_dead_segments,
    set_client_defaults,
    shared_memory_segments,
)
from sayso_nodes.graph import Node, interface, load_graph
from sayso_nodes.running.processes import RunningGraph
from sayso_nodes.running.starting import restart_after

pytestmark = pytest.mark.ros
DOMAIN = 68
EMPTY = 69
BROKEN = 82
alone = pytest.mark.timed  # it watches or breaks the shared memory of the whole machine
SAYSO = [sys.executable, "-c", "from sayso.cli import main; main()"]


def started(*arguments: str, domain: int = EMPTY) -> subprocess.Popen[str]:
    env = {**os.environ, **environment(domain)}
    return subprocess.Popen([*SAYSO, *arguments], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def sayso(*arguments: str, domain: int = EMPTY) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment(domain)}
    return subprocess.run([*SAYSO, *arguments], env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_without_running_nodes_a_client_says_how_to_start_them() -> None:
    commands = (("say", "go to the kitchen"), ("stop",), ("resume",), ("answer", "yes"))
    for process in [started(*command) for command in commands]:  # all at once: each looks around for seconds
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 2, errors
        assert "no running nodes found" in errors
        assert "sayso up" in errors
        assert len(errors.strip().splitlines()) == 1


def test_a_stop_waits_for_nodes_that_are_there_and_late_to_be_found() -> None:
    with peer(EMPTY) as gate:
        env = {**os.environ, **environment(EMPTY)}
        stopping = subprocess.Popen([*SAYSO, "stop"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        gate.until(lambda: len(gate.node.get_node_names()) > 1)
        gate.spin(ALONE_WITHIN + 0.5)
        kind = interface("stop")
        gate.node.create_service(kind, "stop", lambda _, answer: kind.Response(success=True, message="stopped until resumed"))
        gate.until(lambda: stopping.poll() is not None)
        assert (stopping.returncode, stopping.communicate()[0].strip()) == (0, "stopped until resumed")


@pytest.mark.parametrize("users", [None, "/etc/robot/fast_dds.xml"])
def test_the_profile_of_fast_dds_is_each_nodes_own_and_a_users_is_left(monkeypatch: pytest.MonkeyPatch, users: str | None) -> None:
    monkeypatch.setattr(os, "environ", {} if users is None else {FAST_DDS: users})
    set_client_defaults()
    images, plain = (node_environment(Node("n", "", large_messages=large), {}, None)[FAST_DDS] for large in (True, False))
    assert (images, plain) == ((users, users) if users else (profile({}, images=True), profile({})))


@pytest.mark.parametrize(
    ("chosen", "opened"),
    [
        ({}, False),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_STATIC_PEERS": ""}, False),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, True),
        ({"ROS_STATIC_PEERS": "10.0.0.2"}, True),
    ],
)
def test_sockets_are_bound_to_the_loopback_interface_unless_the_user_opens_them(chosen: dict[str, str], opened: bool) -> None:
    for images in (True, False):
        text = Path(profile(chosen, images=images)).read_text()
        assert ("<address>127.0.0.1</address>" in text) == (not opened)
        assert ("16777216" in text) == images


def test_what_fast_dds_complains_of_is_not_in_the_output_that_programs_read() -> None:
    code = "from sayso_nodes.environment import set_client_defaults as set_up; set_up(); import rclpy; rclpy.init(); "
    code += "node = rclpy.create_node('client'); print('{}')"
    env = {**os.environ, **environment(EMPTY), "ROS_DISCOVERY_SERVER": "nonsense::1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.stdout == "{}\n"
    assert "Wrong locator" in done.stderr


def test_a_text_file_is_no_sound(tmp_path: Path) -> None:
    text = tmp_path / "order.wav"
    text.write_text("bring me the red cup")
    done = sayso("listen", "--wav", str(text))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_nodes_hear_a_file_or_the_microphone_but_not_both() -> None:
    assert "--wav FILE or --mic, not both" in sayso("listen", "--mic", "--wav", __file__).stderr


def test_up_refuses_a_node_that_is_not_there() -> None:
    done = sayso("up", "--without", "wheels")
    assert done.returncode == 2
    assert "--without wheels: no such node; the nodes are simulation, motion_gate" in done.stderr


@pytest.mark.long("starts the robot once more")
def test_up_says_which_node_cannot_start_and_why(tmp_path: Path) -> None:
    params = tmp_path / "nodes.yaml"
    params.write_text("/**/motion_gate: {ros__parameters: {lease: 7.0}}\n")
    left_out = [word for name in STAGES for word in ("--without", name)]
    done = sayso("up", "--params", str(params), *left_out)
    assert done.returncode == 2
    assert "parameter lease: 7.0 is not in [0.05, 0.5]" in done.stderr
    assert "motion_gate ended (exit code 2) while starting" in done.stderr


STAGES = (
    "simulation",
    "stop_spotter",
    "speech_to_text",
    "intent_classifier",
    "action_selector",
    "visual_grounder",
    "planner",
    "skills",
    "utterance_watch",
    "command_server",
    "visualisation",
)


@pytest.fixture
def up() -> Iterator[subprocess.Popen[str]]:
    """`sayso up` with two small nodes. They are gone when it ends: the next one would be refused."""
    left_out = [word for name in STAGES for word in ("--without", name)]
    env = {**os.environ, **environment(DOMAIN)}
    process = subprocess.Popen([*SAYSO, "up", *left_out], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield process
    process.terminate()
    try:
        process.wait(PATIENCE)
    finally:
        process.kill()


@alone
def test_up_shows_its_nodes_and_leaves_nothing_after_a_signal(up: subprocess.Popen[str]) -> None:
    before = shared_memory_segments()
    assert up.stdout is not None
    shown = []
    for line in up.stdout:
        shown.append(line)
        if "All nodes are active" in line:
            break
    assert "motion_gate" in "".join(shown)
    children = child_processes(up.pid)
    assert len(children) == 2
    stopped = sayso("stop", "--json", domain=DOMAIN)
    assert json.loads(stopped.stdout) == {"stopped": True}
    assert json.loads(sayso("resume", "--json", domain=DOMAIN).stdout) == {"stopped": False}
    up.send_signal(signal.SIGTERM)
    assert up.wait(PATIENCE) in (0, 130)
    assert not [pid for pid in children if alive(pid)]
    assert not dead(shared_memory_segments() - before)


@pytest.mark.long("starts the robot once more")
def test_up_says_in_one_line_which_skills_nobody_serves_and_how_to_mend_it() -> None:
    wanted = ("motion_gate", "planner", "skills")
    left_out = [word for name in load_graph("robot").nodes if name not in wanted for word in ("--without", name)]
    env = {**os.environ, **environment(DOMAIN), "COLUMNS": "300"}
    home = str(project_root() / "examples" / "skills" / "home.yaml")
    command = [*SAYSO, "up", "--robot", "--domain", home, *left_out]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            line = next(line for line in process.stdout if line.startswith("nobody serves"))
        finally:
            process.terminate()
            process.wait(PATIENCE)
    assert "the skills wave and vacuum: what needs them is declined" in line
    assert "serve the action skill/wave and skill/vacuum" in line


@pytest.mark.long("starts the robot once more")
def test_a_second_up_is_refused_in_one_line_unless_its_namespace_is_another(up: subprocess.Popen[str]) -> None:
    assert up.stdout is not None
    next(line for line in up.stdout if "All nodes are active" in line)
    left_out = [word for name in STAGES for word in ("--without", name)]
    refused = sayso("up", *left_out, domain=DOMAIN)
    assert refused.returncode == 2
    assert len(refused.stderr.strip().splitlines()) == 1
    assert f"already running in ROS domain {DOMAIN}: end that `sayso up` first" in refused.stderr
    assert "motion_gate" in refused.stderr
    assert running_nodes(("motion_gate",), "", DOMAIN) == ["motion_gate"]
    assert running_nodes(("motion_gate",), "two", DOMAIN) == []
    assert len(child_processes(up.pid)) == 2


@pytest.mark.long("starts the robot once more")
def test_a_recording_goes_to_the_current_directory(tmp_path: Path) -> None:
    left_out = [word for name in STAGES for word in ("--without", name)]
    env = {**os.environ, **environment(DOMAIN)}
    command = [*SAYSO, "up", "--record", *left_out]
    with subprocess.Popen(command, env=env, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        output = ""
        for line in process.stdout:
            output += line
            if "All nodes are active" in line:
                break
        assert "All nodes are active" in output, output
        end = time.monotonic() + PATIENCE
        while not (bags := list(tmp_path.glob("runs/*/bag"))):  # the recorder is one process more, and starts last
            assert time.monotonic() < end
            time.sleep(0.1)
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
    assert f"recording to {bags[0]}" in output.replace("\n", "")


def test_an_unwritable_folder_is_reported_before_any_node_starts(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("not a folder")
    env = {**os.environ, **environment(EMPTY)}
    done = subprocess.run([*SAYSO, "up", "--record"], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert "start this in a folder that you can write to" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("command", ["up", "demo"])
def test_the_help_says_where_a_recording_goes(command: str) -> None:
    assert "./runs/TIME" in sayso(command, "--help").stdout


def test_nodes_end_by_themselves_when_up_is_killed(up: subprocess.Popen[str]) -> None:
    assert up.stdout is not None
    next(line for line in up.stdout if "All nodes are active" in line)
    children = child_processes(up.pid)
    up.kill()
    end = time.monotonic() + PATIENCE
    while any(alive(pid) for pid in children):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_node_that_was_frozen_for_long_is_started_again(tmp_path: Path) -> None:
    with RunningGraph("robot", nodes=("motion_gate",), env=environment(DOMAIN), log_dir=tmp_path) as graph:
        graph.wait_active(PATIENCE)
        gate = graph.processes["motion_gate"].process
        gate.send_signal(signal.SIGSTOP)
        time.sleep(NODE_AWAY + 1.0)
        gate.send_signal(signal.SIGCONT)
        assert gate.wait(PATIENCE) == 75
        assert graph.poll() == ["motion_gate ended (exit code 75), is started again in 0 s"]


HANGS = """
import time
from sayso_nodes import run
from sayso_nodes.nodes.motion_gate import MotionGateNode
run.NODE_HANGS = 1.0
class HangingGate(MotionGateNode):
    def on_time(self):
        if self.active and self.get_clock().now().nanoseconds - self.opened_at > 2e9:
            while True: pass
    def open(self):
        self.opened_at = self.get_clock().now().nanoseconds
        super().open()
run.run(HangingGate)
"""


def test_a_node_that_hangs_says_where_and_ends_to_be_started_again() -> None:
    node = node_environment(Node("motion_gate", ""), environment(DOMAIN), None)
    arguments = ["--ros-args", "-p", "autostart:=true"]
    done = subprocess.run(
        [sys.executable, "-c", HANGS, *arguments], env=node, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 1
    assert "in on_time" in done.stderr
    assert restart_after("motion_gate", done.returncode, 0) == 0.0


@pytest.mark.long("kills, freezes or starves processes")
@alone
def test_a_node_that_cannot_be_made_because_its_port_is_broken_ends_to_be_started_again() -> None:
    port = SHARED_MEMORY / f"fastrtps_port{7400 + 250 * BROKEN + 11}"
    port.touch()  # as if its maker had been killed after this node had looked
    code = "from sayso_nodes import environment, run\nfrom sayso_nodes.nodes.motion_gate import MotionGateNode\n"
    code += "environment.remove_broken_ports = lambda: None\nrun.NODE_STARTS = 2.0\nrun.run(MotionGateNode)"
    node = node_environment(Node("motion_gate", ""), environment(BROKEN), None)
    try:
        done = subprocess.run([sys.executable, "-c", code], env=node, capture_output=True, text=True, timeout=PATIENCE, check=False)
    finally:
        port.unlink()
    assert done.returncode == 1
    assert "Timeout" in done.stderr


@pytest.mark.long("kills, freezes or starves processes")
@alone
@pytest.mark.parametrize("size", [0, 52400])  # killed before or after the segment had its size
def test_a_process_that_waits_for_a_broken_port_already_is_set_free(size: int) -> None:
    ports = [SHARED_MEMORY / f"fastrtps_port{7400 + 250 * BROKEN + 11 + 2 * number}" for number in range(3)]
    for port in ports:
        port.write_bytes(bytes(size))
    code = "from sayso_nodes import environment, run\nfrom sayso_nodes.nodes.motion_gate import MotionGateNode\n"
    code += "run.set_client_defaults = lambda: None\nrun.run(MotionGateNode)"
    node = node_environment(Node("motion_gate", ""), environment(BROKEN), None)
    command = [sys.executable, "-c", code, "--ros-args", "-p", "autostart:=true"]
    process = subprocess.Popen(command, env=node, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        time.sleep(5.0)  # it waits now
        remove_broken_ports()
        assert process.stdout is not None
        assert any("active" in line for line in process.stdout), process.wait(1)
    finally:
        process.kill()
        process.wait()
        for port in ports:
            port.unlink(missing_ok=True)


@pytest.mark.long("kills, freezes or starves processes")
@alone
def test_the_shared_memory_of_a_killed_node_is_removed(tmp_path: Path) -> None:
    with RunningGraph("robot", nodes=("motion_gate",), env=environment(DOMAIN), log_dir=tmp_path) as graph:
        before = shared_memory_segments()
        graph.wait_active(PATIENCE)
        graph.processes["motion_gate"].process.kill()
        graph.processes["motion_gate"].process.wait()
    assert not dead(shared_memory_segments() - before)


@pytest.mark.long("kills, freezes or starves processes")
@alone
def test_the_shared_memory_of_a_killed_node_is_removed_while_the_others_run(tmp_path: Path) -> None:
    with RunningGraph("robot", nodes=("motion_gate", "speech_output"), env=environment(DOMAIN), log_dir=tmp_path) as graph:
        before = shared_memory_segments()
        graph.wait_active(PATIENCE)
        killed = graph.processes["speech_output"].process
        left = held_by(killed.pid)
        killed.kill()
        killed.wait()
        assert left <= shared_memory_segments() - before
        graph.poll()
        graph.poll()
        assert not left & shared_memory_segments()
        assert held_by(graph.processes["motion_gate"].process.pid) <= shared_memory_segments()


@pytest.mark.long("kills, freezes or starves processes")
@alone
def test_a_robot_that_starts_removes_the_shared_memory_of_one_that_was_killed_with_its_launcher(tmp_path: Path) -> None:
    with RunningGraph("robot", nodes=("motion_gate",), env=environment(DOMAIN), log_dir=tmp_path) as killed:
        killed.wait_active(PATIENCE)
        process = killed.processes["motion_gate"].process
        left = held_by(process.pid)
        process.kill()
        process.wait()
        with RunningGraph("robot", nodes=("speech_output",), env=environment(DOMAIN), log_dir=tmp_path) as next_one:
            assert left
            assert not left & shared_memory_segments()
            next_one.wait_active(PATIENCE)


@pytest.mark.long("kills, freezes or starves processes")
@alone
def test_the_shared_memory_of_a_living_node_stays(tmp_path: Path) -> None:
    before = shared_memory_segments()
    with RunningGraph("robot", nodes=("motion_gate",), env=environment(DOMAIN), log_dir=tmp_path) as graph:
        graph.wait_active(PATIENCE)
        own = held_by(graph.processes["motion_gate"].process.pid)
        assert own
        remove_dead_segments(before)
        assert own <= shared_memory_segments()


def test_a_segment_whose_owner_is_about_to_lock_it_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sayso_nodes.environment.SHARED_MEMORY", tmp_path)
    starting, dead_one = tmp_path / "fastrtps_1a", tmp_path / "fastrtps_2b"
    for segment in (starting, dead_one):
        segment.touch()
        segment.with_name(f"{segment.name}_el").touch()
    with starting.with_name("fastrtps_1a_el").open("rb") as lock:
        monkeypatch.setattr("sayso_nodes.environment.time.sleep", lambda _: fcntl.flock(lock, fcntl.LOCK_EX))
        remove_dead_segments(frozenset())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fastrtps_1a", "fastrtps_1a_el"]


@pytest.mark.long("kills, freezes or starves processes")
@alone
def test_ports_of_shared_memory_that_a_killed_process_left_half_made_block_nobody(tmp_path: Path) -> None:
    base = 7400 + 250 * BROKEN + 11
    ports = [SHARED_MEMORY / f"fastrtps_port{base + 2 * number}" for number in range(3)]
    for port in ports:
        assert not port.exists()
        port.touch()  # made, but neither sized nor initialised
    try:
        with RunningGraph("robot", nodes=("motion_gate",), env=environment(BROKEN), log_dir=tmp_path) as graph:
            graph.wait_active(PATIENCE)
    finally:
        for port in ports:
            port.unlink(missing_ok=True)


def test_ports_that_are_in_use_or_being_made_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sayso_nodes.environment.SHARED_MEMORY", tmp_path)
    ready, making, lock = (tmp_path / f"fastrtps_port{name}" for name in ("17", "19", "19_el"))
    ready.write_bytes((2).to_bytes(4, sys.byteorder) + bytes(60))
    making.touch()
    lock.touch()
    monkeypatch.setattr("sayso_nodes.environment.time.sleep", lambda _: making.write_bytes(ready.read_bytes()))
    remove_broken_ports()
    assert sorted(tmp_path.iterdir()) == sorted((ready, making, lock))
    making.write_bytes((1).to_bytes(4, sys.byteorder) + bytes(60))
    monkeypatch.setattr("sayso_nodes.environment.time.sleep", lambda _: None)
    remove_broken_ports()
    assert sorted(tmp_path.iterdir()) == sorted((ready, lock))


def held_by(pid: int) -> set[str]:
    """The segments whose lock file that process has open."""
    files = (os.readlink(file) for file in Path(f"/proc/{pid}/fd").iterdir() if file.is_symlink())  # noqa: PTH115
    return {Path(file).name for file in files} & shared_memory_segments()


def dead(names: frozenset[str]) -> list[str]:
    """The segments without an owner, which another clean-up would remove."""
    before = shared_memory_segments()
    remove_dead_segments(before - names)
    return sorted(before - shared_memory_segments())


def child_processes(pid: int) -> list[int]:
    return [int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
