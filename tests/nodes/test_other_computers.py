"""Another computer cannot reach the robot unless the user lets it in: two network namespaces, with addresses of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import suppress

import pytest

from sayso_nodes.environment import FAST_DDS, node_environment
from sayso_nodes.graph import Node

pytestmark = pytest.mark.ros
DOMAIN = "49"
ROBOT, OTHER = "10.213.77.1", "10.213.77.2"
NO_IPV6 = "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"
KNOCK = """
import sys, time, rclpy
from std_srvs.srv import Trigger
rclpy.init()
node = rclpy.create_node("stranger")
client = node.create_client(Trigger, "stop")
end = time.monotonic() + float(sys.argv[1])
while not client.service_is_ready() and time.monotonic() < end:
    rclpy.spin_once(node, timeout_sec=0.1)
future = client.call_async(Trigger.Request())
while client.service_is_ready() and not future.done() and time.monotonic() < end + 5:
    rclpy.spin_once(node, timeout_sec=0.1)
print("reached" if future.done() else "nothing")
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
from sayso_nodes.demo_watch import Watch
with Watch(StageView(), 49):
    time.sleep(4)
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def command(computer: str, *words: str) -> list[str]:
    """A command in that namespace, with shared memory of its own: computers have none in common."""
    inside = ["sh", "-c", 'mount -t tmpfs none /dev/shm && exec "$@"', "sh", *words]
    return ["ip", "netns", "exec", computer, *inside]


def reached(computers: tuple[str, str], robot: dict[str, str]) -> str:
    """What a stranger on the other computer finds who knows the robot's address; `robot`: the environment of the robot's user."""
    robots, others = computers
    own = {key: value for key, value in os.environ.items() if key not in (FAST_DDS, "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS")}
    gate = [sys.executable, "-m", "sayso_nodes.motion_gate", "--ros-args", "-p", "autostart:=true"]
    started = node_environment(Node("motion_gate", ""), {**robot, "ROS_DOMAIN_ID": DOMAIN}, None)
    del started["SAYSO_LAUNCHER"]  # `ip` is the parent
    stranger = {**own, "ROS_DOMAIN_ID": DOMAIN, "ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_STATIC_PEERS": ROBOT}
    with subprocess.Popen(command(robots, *gate), env=started, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            next(line for line in process.stderr if "active" in line)
            knock = command(others, sys.executable, "-c", KNOCK, "12")
            return subprocess.run(knock, env=stranger, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
        finally:
            with suppress(ProcessLookupError):
                process.kill()


def test_a_stranger_on_another_computer_reaches_nothing(computers: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (FAST_DDS, "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS"):
        monkeypatch.delenv(name, raising=False)
    assert reached(computers, {}) == "nothing"


def test_another_computer_is_let_in_on_request(computers: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (FAST_DDS, "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS"):
        monkeypatch.delenv(name, raising=False)
    assert reached(computers, {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}) == "reached"


def test_the_demo_announces_itself_to_no_other_computer(computers: tuple[str, str]) -> None:
    hidden = (FAST_DDS, "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS")
    own = {key: value for key, value in os.environ.items() if key not in hidden}
    counter = ["ip", "netns", "exec", computers[1], "sh", "-c", "cat /sys/class/net/so*/statistics/rx_packets"]

    def packets() -> int:
        return int(subprocess.run(counter, capture_output=True, text=True, check=True).stdout)

    before = packets()
    subprocess.run(command(computers[0], sys.executable, "-c", WATCH), env=own, check=True, timeout=60)
    assert packets() == before
