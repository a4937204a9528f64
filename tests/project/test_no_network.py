"""Nothing of Sayso connects to anything but this machine, and no library leaves an identity of the user: every system call is watched."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from replay_bags import heard, save
from sayso.console import new
from sayso.paths import config_dir, models_dir

ROOT = Path(__file__).resolve().parents[2]
SENTENCE = config_dir() / "sentences" / "bring_me_the_cup.flac"
STARTER = Path(new.__file__).parent / "starter" / "home.yaml"
LATER = 6.0  # s; onnxruntime's uploader looks its host up some seconds after the first model was loaded
BRIEFLY = ("timeout", "-s", "INT", "-k", "5", "15")
LOOPBACK = re.compile(r'inet_addr\("127\.|inet_pton\(AF_INET6, "::1"')
UNSHARED = ("unshare", "--net")
MAY_UNSHARE = shutil.which("unshare") and not subprocess.run([*UNSHARED, "true"], capture_output=True, check=False).returncode
ALONE = UNSHARED if MAY_UNSHARE else ()  # what a test sends on purpose goes nowhere
IN_ONE_PROCESS = f"""import json, sys, time
import sayso, onnxruntime
from sayso.cli import main
session = onnxruntime.InferenceSession(sys.argv[1])
until = time.monotonic() + {LATER} + 2
print("loaded", flush=True)
for command in json.loads(sys.argv[2]):
    print("command:", flush=True)
    sys.argv[1:] = command
    try:
        main()
    except SystemExit as ended:
        assert not ended.code
time.sleep(max(0.0, until - time.monotonic()))
"""
TOLD = ("Microsoft", "1DS", "deviceid", "huggingface.co")  # files of telemetry

pytestmark = pytest.mark.skipif(
    not shutil.which("strace") or subprocess.run(["strace", "-qq", "true"], capture_output=True, check=False).returncode != 0,
    reason="needs strace, and the right to use it",
)


def traced(folder: Path, command: Sequence[str], until: str = "", **variables: str) -> tuple[str, list[str]]:
    """What a command printed, and its attempts to reach others: connections, look-ups of names, files of telemetry.

    `until` is what a program prints that would not end by itself, `LATER` seconds before it is ended.
    """
    log = folder / "calls.txt"
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"XDG_CACHE_HOME": str(folder / "cache"), "SAYSO_CACHE": str(folder / "cache"), **variables}
    watch = ["strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect,openat", "-e", "signal=none", "-o", str(log)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "start_new_session": True}
    with subprocess.Popen([*watch, *command], env=environment, text=True, cwd=folder, **options) as process:
        assert process.stdout
        said = ""
        while not (until and until in said) and (line := process.stdout.readline()):
            said += line
        if until in said and until:
            time.sleep(LATER)
            os.killpg(process.pid, signal.SIGTERM)
        said += process.stdout.read()
    found = []
    for line in log.read_text(errors="replace").splitlines():
        outside = "sin_port=" in line or "sin6_port=" in line
        names = re.search(r"sin6?_port=htons\(53\)", line) is not None  # also at this machine's own resolver
        if (outside and (names or not LOOPBACK.search(line))) or ("openat(" in line and any(word in line for word in TOLD)):
            found.append(line)
    return said, found


def sayso(*arguments: object) -> list[str]:
    return [str(Path(sys.executable).with_name("sayso")), *map(str, arguments)]


def test_a_connection_would_be_seen(tmp_path: Path) -> None:
    look_up = "import socket\ntry:\n    socket.getaddrinfo('sayso.invalid', 80)\nexcept OSError:\n    pass"
    connect = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('192.0.2.1', 9))"
    assert traced(tmp_path, [*ALONE, sys.executable, "-c", connect])[1]
    if "nameserver" in Path("/etc/resolv.conf").read_text():
        assert traced(tmp_path, [*ALONE, sys.executable, "-c", look_up])[1]


def test_the_library_asking_transcribing_and_replaying_connect_to_nothing(tmp_path: Path) -> None:
    """In one process, for as long as onnxruntime's uploader would need for its first attempts."""
    bag = save(tmp_path / "bag", [heard(2, "stop"), heard(6, "go to the kitchen")])
    commands = [["ask", "bring me the red cup"], ["transcribe", str(SENTENCE)], ["replay", str(bag), "--out", str(tmp_path / "out")]]
    said, attempts = traced(tmp_path, [sys.executable, "-c", IN_ONE_PROCESS, str(models_dir() / "encoder.onnx"), json.dumps(commands)])
    assert attempts == []
    loaded, *answers = said.split("command:")
    assert loaded.strip() == "loaded"
    for what, answer in zip(("cup", "cup", "utterances"), answers, strict=True):
        assert what in answer, said


@pytest.mark.long("trains or exports a network")
def test_training_connects_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "config").symlink_to(config_dir())
    (tmp_path / "models").mkdir()
    for file in models_dir().iterdir():
        (tmp_path / "models" / file.name).symlink_to(file)  # what is trained replaces the link
    _, attempts = traced(tmp_path, [*BRIEFLY, *sayso("train", "intents", "--domain", STARTER)], SAYSO_ROOT=str(tmp_path))
    assert attempts == []


@pytest.mark.ros
@pytest.mark.skipif(find_spec("rclpy") is None, reason="ROS 2 is not installed")
def test_a_node_looks_up_no_name(tmp_path: Path) -> None:
    node = [sys.executable, "-m", "sayso_nodes.nodes.intent_classifier", "--ros-args", "-p", "autostart:=true"]
    said, attempts = traced(tmp_path, ["timeout", "--foreground", "-k", "5", "120", *node], until="active", ROS_DOMAIN_ID="59")
    assert attempts == [], said
    assert "active" in said


def test_a_user_may_send_telemetry() -> None:
    code = "import sayso, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "ORT_DISABLE_TELEMETRY": "0"}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "0\n"
