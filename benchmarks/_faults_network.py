"""The robot on two computers, whose link fails: two network namespaces, which root may make."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sayso.console.bench import Row

ADDRESSES = "10.213.78.1", "10.213.78.2"
INSIDE = Path(__file__).with_name("_faults_two_computers.py")
SILENT = "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6"  # IPv6 would send packets by itself
MEMORY = Path(tempfile.gettempdir())  # each computer has a folder of it as its own shared memory


def network() -> Iterator[Row]:
    """What becomes of sentences while the link between the two computers fails."""
    what = "the link between two computers fails"
    if os.geteuid() != 0 or shutil.which("ip") is None:
        yield Row(what, None, "", "lower", reason="network namespaces need root and iproute2")
        return
    with two_computers() as (robot, other, link):
        environment = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_STATIC_PEERS": ";".join(ADDRESSES)}
        command = on(robot, sys.executable, str(INSIDE), other, link)
        done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        yield Row(what, None, "", "lower", reason=f"the measurement ended with exit code {done.returncode}")
        return
    for row in json.loads(done.stdout.splitlines()[-1]):
        yield Row(**row)


def on(computer: str, *words: str) -> list[str]:
    """A command on that computer."""
    inside = f'mount --bind {MEMORY / computer} /dev/shm && exec "$@"'
    return ["ip", "netns", "exec", computer, "sh", "-c", inside, "sh", *words]


@contextmanager
def two_computers() -> Iterator[tuple[str, str, str]]:
    """The names of two network namespaces that see each other, and of the second one's end of the link."""
    tag = uuid.uuid4().hex[:6]
    names, links = (f"sayso-r{tag}", f"sayso-o{tag}"), (f"fr{tag}", f"fo{tag}")
    try:
        for name in names:
            _ip("netns", "add", name)
            (MEMORY / name).mkdir()
        _ip("link", "add", links[0], "netns", names[0], "type", "veth", "peer", "name", links[1], "netns", names[1])
        for name, link, address in zip(names, links, ADDRESSES, strict=True):
            subprocess.run(["ip", "netns", "exec", name, "sh", "-c", SILENT], check=False)
            _ip("-n", name, "address", "add", f"{address}/24", "dev", link)
            for each in ("lo", link):
                _ip("-n", name, "link", "set", each, "up")
        yield *names, links[1]
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
            shutil.rmtree(MEMORY / name, ignore_errors=True)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
