"""Another computer cannot reach the robot unless the user lets it in: two network namespaces, with addresses of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from patience import PATIENCE
from sayso_nodes.environment import FAST_DDS, node_environment, profile
from sayso_nodes.graph import Node

pytestmark = pytest.mark.ros
DOMAIN = "49"
PORTS = (7400 + 250 * int(DOMAIN) + 10, 7400 + 250 * int(DOMAIN) + 11)  # DDS: discovery and data of participant 0
HIDDEN = (FAST_DDS, "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS")
ROBOT, OTHER = "10.213.77.1", "10.213.77.2"
NO_IPV6 = "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"
KNOCK = """
import sys, time, rclpy
from std_srvs.srv import Trigger
rclpy.init()
node = rclpy.create_node("stranger")
client = node.create_client(Trigger, "stop")
end, future = time.monotonic() + float(sys.argv[1]), None
while time.monotonic() < end and not (future and future.done()):
    if client.service_is_ready():
        future = client.call_async(Trigger.Request())  # an answer is lost if the robot has not found this client yet
    pause = time.monotonic() + 2.0
    while time.monotonic() < pause and not (future and future.done()):
        rclpy.spin_once(node, timeout_sec=0.1)
print("reached" if future and future.done() else "nothing")
"""


def may_make_namespaces() -> bool:
    """Whether this user may, here."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    name = f"sayso-{uuid.uuid4().hex[:6]}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode == 0
    if made:
        subprocess.run(["ip", "netns", "del", name], check=False)
    return made


@pytest.fixture
def computers() -> Iterator[tuple[str, str]]:
    """Two network namespaces that see each other."""
    if not may_make_namespaces():
        pytest.skip("network namespaces need root")
    tag = uuid.uuid4().hex[:6]
    names, links = (f"sayso-r{tag}", f"sayso-o{tag}"), (f"sr{tag}", f"so{tag}")
    try:
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", links[0], "netns", names[0], "type", "veth", "peer", "name", links[1], "netns", names[1])
        for name, link, address in zip(names, links, (ROBOT, OTHER), strict=True):
            ip("-n", name, "address", "add", f"{address}/24", "dev", link)
            for each in ("lo", link):
                ip("-n", name, "link", "set", each, "up")
        for name in names:  # IPv6 would send packets by itself
            subprocess.run(["ip", "netns", "exec", name, "sh", "-c", NO_IPV6], check=False)
        yield names
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


WATCH = """
import time
from sayso.console.stages import StageView
from sayso_nodes.commands.demo_watch import Watch
with Watch(StageView(), 49):
    time.sleep(4)
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def command(computer: str, *words: str) -> list[str]:
    """A command in that namespace, with shared memory of its own: computers have none in common."""
    inside = ["sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh", *words]
    return ["ip", "netns", "exec", computer, *inside]


@contextmanager
def robot(computer: str, environment: dict[str, str]) -> Iterator[None]:
    """A motion gate runs on that computer, in the environment of the robot's user."""
    gate = [sys.executable, "-m", "sayso_nodes.nodes.motion_gate", "--ros-args", "-p", "autostart:=true"]
    started = node_environment(Node("motion_gate", ""), {**environment, "ROS_DOMAIN_ID": DOMAIN}, None)
    del started["SAYSO_LAUNCHER"]  # `ip` is the parent
    with subprocess.Popen(command(computer, *gate), env=started, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            next(line for line in process.stderr if "active" in line)
            yield
        finally:
            with suppress(ProcessLookupError):
                process.kill()


def reached(computer: str) -> str:
    """What a stranger on that computer finds who knows the robot's address."""
    own = {key: value for key, value in os.environ.items() if key not in HIDDEN}
    asks = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_STATIC_PEERS": ROBOT}
    stranger = {**own, **asks, "ROS_DOMAIN_ID": DOMAIN, FAST_DDS: profile(asks)}
    knock = command(computer, sys.executable, "-c", KNOCK, "12")
    return subprocess.run(knock, env=stranger, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout.strip()


def bound(computer: str) -> set[str]:
    """The addresses on which Fast DDS receives there, of the ports that DDS gives to the first participant of the domain."""
    lines = subprocess.run(["ip", "netns", "exec", computer, "cat", "/proc/net/udp"], check=True, capture_output=True, text=True).stdout
    local = [line.split()[1].split(":") for line in lines.splitlines()[1:]]
    return {socket.inet_ntoa(bytes.fromhex(address)[::-1]) for address, port in local if int(port, 16) in PORTS}


def test_a_stranger_on_another_computer_reaches_nothing(computers: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in HIDDEN:
        monkeypatch.delenv(name, raising=False)
    with robot(computers[0], {}):
        assert bound(computers[0]) == {"127.0.0.1"}
        assert reached(computers[1]) == "nothing"


def test_on_request_the_robot_listens_on_every_interface(computers: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in HIDDEN:
        monkeypatch.delenv(name, raising=False)
    with robot(computers[0], {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}):
        assert bound(computers[0]) == {"0.0.0.0"}


def test_the_demo_announces_itself_to_no_other_computer(computers: tuple[str, str]) -> None:
    own = {key: value for key, value in os.environ.items() if key not in HIDDEN}
    counter = ["ip", "netns", "exec", computers[1], "sh", "-c", "cat /sys/class/net/so*/statistics/rx_packets"]

    def packets() -> int:
        return int(subprocess.run(counter, capture_output=True, text=True, check=True).stdout)

    before = packets()
    subprocess.run(command(computers[0], sys.executable, "-c", WATCH), env=own, check=True, timeout=PATIENCE)
    assert packets() == before
