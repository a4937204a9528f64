"""Is a graph running already? Two motion gates in one ROS domain and namespace would contradict each other."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Collection
from contextlib import ExitStack

from sayso.errors import RosError

PARTICIPANTS = 40  # of one domain on this machine that are looked for
NEAR, FAR = 4.0, 1.5  # s to find the first node of participants on this machine, and of others
REST = 2.0  # s without a new one, after which no more are expected


def refuse_second_graph(names: Collection[str], namespace: str) -> None:
    """Return if none of these nodes runs in the namespace and the ROS domain of this process.

    Raises:
        RosError: some do; one line that says what to do.
    """
    from sayso_nodes.environment import set_client_defaults

    set_client_defaults()
    domain_id = int(os.environ.get("ROS_DOMAIN_ID") or 0)
    running = running_nodes(names, namespace, domain_id)
    if running:
        where = f"ROS domain {domain_id}" + (f", namespace {namespace}" if namespace else "")
        raise RosError(
            f"{', '.join(running)} already running in {where}: end that `sayso up` first, or start this one with another"
            " ROS_DOMAIN_ID or --namespace"
        )


def running_nodes(names: Collection[str], namespace: str, domain_id: int) -> list[str]:
    """The nodes of this list that are running."""
    here = has_participants(domain_id)
    if not here and os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE") == "LOCALHOST":
        return []
    import rclpy
    from rclpy.context import Context

    context = Context()
    rclpy.init(args=[], context=context, domain_id=domain_id)
    try:
        node = rclpy.create_node("sayso_look", context=context, start_parameter_services=False, enable_rosout=False)
        at, end = f"/{namespace.strip('/')}", time.monotonic() + (NEAR if here else FAR)
        found: list[str] = []
        while len(found) < len(names) and time.monotonic() < end:
            time.sleep(0.05)
            visible = node.get_node_names_and_namespaces()
            now = [name for name in names if (name, at) in visible]
            if now != found:
                found, end = now, time.monotonic() + REST
        node.destroy_node()
        return found
    finally:
        context.try_shutdown()


def has_participants(domain_id: int) -> bool:
    """True if a DDS participant of this machine is in the domain: a unicast port is taken (7410 + 250·domain + 2·n, RTPS 9.6.2.3)."""
    with ExitStack() as probes:
        for number in range(PARTICIPANTS):
            probe = probes.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            try:
                probe.bind(("", 7410 + 250 * domain_id + 2 * number))
            except OSError:
                return True
    return False
