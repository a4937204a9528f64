"""The environment of nodes and clients: discovery, Fast DDS, logs. The user's own settings are kept."""

from __future__ import annotations

import fcntl
import os
import re
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sayso.errors import RosError

if TYPE_CHECKING:
    from sayso_nodes.graph import Node

FAST_DDS = "FASTRTPS_DEFAULT_PROFILES_FILE"
RANGE, PEERS = "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS"
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - Fast DDS puts its segments there
INITIALISED = (2).to_bytes(4, sys.byteorder)  # how the segment of a port begins, once it can be used
CORRUPTED = (3).to_bytes(4, sys.byteorder)  # how it begins if it never can: who waits for it gives up, and makes it anew
MAKING = 1.0  # s; it takes a fraction of a millisecond
LOCKING = 0.1  # s from the file of a lock to the lock; it takes some microseconds


def is_open(environment: Mapping[str, str]) -> bool:
    """Whether the user lets other computers in: by a range of discovery beyond this one, or by naming peers."""
    return environment.get(RANGE, "LOCALHOST") not in ("LOCALHOST", "OFF") or bool(environment.get(PEERS, "").strip())


def profile(environment: Mapping[str, str], *, images: bool = False) -> str:
    """The Fast DDS profile: bound to the loopback interface alone, unless the user lets other computers in."""
    name = f"fast_dds{'_images' if images else ''}{'_open' if is_open(environment) else ''}.xml"
    return str(Path(__file__).with_name(name))


def set_client_defaults() -> None:
    """Set what the nodes have as well: discovery on this machine alone, and the Fast DDS profile. Make sure that Fast DDS can start."""
    remove_broken_ports()
    os.environ.setdefault(RANGE, "LOCALHOST")
    os.environ.setdefault(FAST_DDS, profile(os.environ))


def node_environment(node: Node, extra: Mapping[str, str], log_dir: Path | None) -> dict[str, str]:
    """The environment variables of a node's process."""
    environment = {
        RANGE: "LOCALHOST",  # a robot in a laboratory must not hear its neighbour's commands
        "OMP_NUM_THREADS": "1",  # the nodes are the parallelism
        **os.environ,
        **extra,
        "SAYSO_LAUNCHER": str(os.getpid()),  # the node ends with this process
    }
    if environment.get(FAST_DDS, "") in ("", profile(environment), profile(os.environ)):  # this process may have set it, as a client
        environment[FAST_DDS] = profile(environment, images=node.large_messages)
    if log_dir is not None:
        environment.setdefault("ROS_LOG_DIR", str(log_dir / "ros"))
        environment.setdefault("RCUTILS_COLORIZED_OUTPUT", "0")
    return environment


def shared_memory_segments() -> frozenset[str]:
    """Lock files ("…_el") of Fast DDS's segments on this machine, which their owner holds: "fastrtps_" and a random number."""
    return frozenset(path.name for path in SHARED_MEMORY.glob("fastrtps_*_el") if not path.name.startswith("fastrtps_port"))


def remove_dead_segments(before: frozenset[str], among: frozenset[str] | None = None) -> None:
    """Remove the segments of killed nodes: not in `before`, and with a free lock.

    `among`: those that existed some time ago, for while nodes start. Fast DDS makes the file of a lock a moment before it takes the lock.
    Without it, this waits for that moment, or a node of another robot that starts right now would lose its segment.
    """
    left = (shared_memory_segments() if among is None else among) - before
    if among is None and left:
        time.sleep(LOCKING)
    for name in left:
        with suppress(OSError):
            lock = SHARED_MEMORY / name
            with lock.open("rb") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                (SHARED_MEMORY / name.removesuffix("_el")).unlink(missing_ok=True)
                lock.unlink()


def broken_ports() -> frozenset[tuple[Path, int]]:
    """Ports of Fast DDS's shared memory that are not made yet, or never will be: the file and its inode."""
    found = set()
    for path in SHARED_MEMORY.glob("fastrtps_port*"):
        if re.fullmatch(r"fastrtps_port\d+", path.name):
            with suppress(OSError), path.open("rb") as file:
                if file.read(len(INITIALISED)) != INITIALISED:
                    found.add((path, os.fstat(file.fileno()).st_ino))
    return frozenset(found)


def remove_broken_ports() -> None:
    """Remove the ports whose makers were killed while they made them. Every process that opens such a port waits for it for ever, and ports
    belong to all domains and users of the machine. Those that wait already, such as a node that sends to the one that was killed, are set
    free by a mark: Boost.Interprocess (managed_open_or_create_impl.hpp) has one for segments that are corrupted.

    Raises:
        RosError: one belongs to another user.
    """
    if found := broken_ports():
        time.sleep(MAKING)
        for path, _ in found & broken_ports():
            try:
                with suppress(FileNotFoundError), path.open("r+b") as file:
                    file.write(CORRUPTED)
                path.unlink(missing_ok=True)
            except OSError as error:
                reason = f"a process of another user was killed while it made {path}, which blocks ROS; remove it"
                raise RosError(f"{reason} ({error.strerror})") from None
