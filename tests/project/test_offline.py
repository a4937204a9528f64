"""`scripts/offline.py` sees every packet that tries to leave, and none does of Sayso's commands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SAYSO = (sys.executable, "-c", "from sayso.cli import main; main()")
# Runs a command until its output has that text or it is over, and for some seconds more; then interrupts it, and prints what it said.
FOR_A_WHILE = """
import signal, subprocess, sys, time
seconds, text, *command = sys.argv[1:]
running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
seen = ""
while text not in seen and (line := running.stdout.readline()):
    seen += line
time.sleep(float(seconds))
running.send_signal(signal.SIGINT)
print(seen + running.communicate(timeout=60)[0], file=sys.stderr)
"""
UNDER_WAY = {"up": "[motion_gate]: active", "demo": "starting"}  # what they say
SEND = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 9))"
LOOK_UP = "import socket\ntry: socket.getaddrinfo('example.org', 80)\nexcept OSError: pass"


def may_make_namespaces() -> bool:
    """Whether this user may, here."""
    command = ["unshare", "--net", "--mount", "true"]
    return not os.geteuid() and shutil.which("ip") is not None and not subprocess.run(command, capture_output=True, check=False).returncode


pytestmark = pytest.mark.skipif(not may_make_namespaces(), reason="network namespaces need root")


def offline(report: Path, *command: str) -> tuple[subprocess.CompletedProcess[str], Any]:
    """What the command printed, and the report."""
    whole = [sys.executable, str(ROOT / "scripts" / "offline.py"), "--json", str(report), "--", *command]
    environment = {name: value for name, value in os.environ.items() if name not in ("ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS")}
    done = subprocess.run(whole, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment)
    return done, json.loads(report.read_text())


def for_a_while(seconds: float, text: str) -> tuple[str, ...]:
    """Before a command: it runs until it has said the text, and so many seconds more."""
    return sys.executable, "-c", FOR_A_WHILE, str(seconds), text


def named() -> set[str]:
    """The network namespaces of this computer."""
    return set(subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout.split())


def test_a_packet_and_a_look_up_are_seen_and_named(tmp_path: Path) -> None:
    done, report = offline(tmp_path / "report.json", sys.executable, "-c", f"{SEND}\n{LOOK_UP}")
    assert done.returncode == 1
    assert "1 to 192.0.2.1 udp port 9\n" in done.stderr
    assert "to 10.214.0.2 udp port 53, a look-up of example.org" in done.stderr
    found = {(row["to"], row["protocol"], row["port"], row["look_up"]) for row in report["destinations"]}
    assert found == {("192.0.2.1", "udp", 9, ""), ("10.214.0.2", "udp", 53, "example.org")}


def test_the_exit_code_is_the_commands_own_and_nothing_is_left_behind(tmp_path: Path) -> None:
    before = named()
    done, report = offline(tmp_path / "report.json", "sh", "-c", "echo said; exit 7")
    assert (done.returncode, done.stdout, report["packets"], report["exit_code"]) == (7, "said\n", 0, 7)
    assert not {name for name in named() - before if name.startswith(("sayso-in-", "sayso-out-"))}


def test_ask_sends_nothing(tmp_path: Path) -> None:
    done, report = offline(tmp_path / "report.json", *SAYSO, "ask", "bring me the cup")
    assert (done.returncode, report["packets"]) == (0, 0), done.stderr


@pytest.mark.long("starts the robot once more")
@pytest.mark.ros
@pytest.mark.parametrize("command", ["up", "demo"])
def test_the_running_graph_sends_nothing(tmp_path: Path, command: str) -> None:
    done, report = offline(tmp_path / "report.json", *for_a_while(15.0, UNDER_WAY[command]), *SAYSO, command)
    assert report["packets"] == 0, done.stderr
    assert UNDER_WAY[command] in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.ros
def test_a_node_that_is_started_alone_sends_nothing(tmp_path: Path) -> None:
    node = (sys.executable, "-m", "sayso_nodes.nodes.motion_gate", "--ros-args", "-p", "autostart:=true")
    done, report = offline(tmp_path / "report.json", *for_a_while(3.0, "active"), *node)
    assert "active" in done.stderr
    assert report["packets"] == 0, done.stderr
