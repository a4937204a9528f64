"""How nodes start and restart, for `sayso up` and for the launch files."""

from __future__ import annotations

import signal
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sayso_nodes.graph import Graph, Node

REFUSED = 2  # exit code of a node that cannot start as it is configured
RESTARTS = 5  # at most, of one node, each after less than FORGOTTEN_AFTER of life
FORGOTTEN_AFTER = 10.0  # s of life after which earlier restarts count no more
AT_ONCE = ("motion_gate", "stop_spotter")  # the robot does not move without them
TIMELESS = (*AT_ONCE, "speech_output", "utterance_watch", "command_server")  # they work without ROS time


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Settings of all nodes that start together."""

    started: Collection[str]  # their names
    domain_file: str = ""  # of the nodes that have one; empty: the default home
    scene_file: str = ""  # of the nodes that have one; empty: the one that the domain file names
    use_sim_time: bool = False


def own_parameters(graph: Graph, node: Node, circumstances: Circumstances) -> dict[str, object]:
    """The parameters that a launcher sets on a node: it activates itself when the nodes before it are active."""
    values: dict[str, object] = {"autostart": True}
    if after := [name for name in graph.before(node.name) if name in circumstances.started]:
        values["after"] = after
    if circumstances.use_sim_time and "/clock" not in node.publishes:
        values["use_sim_time"] = True
        if node.name not in AT_ONCE and any(
            "/clock" in other.publishes for name, other in graph.nodes.items() if name in circumstances.started
        ):
            values["await_clock"] = True
    if node.domain and circumstances.domain_file:
        values["domain"] = circumstances.domain_file
    if node.scene and circumstances.scene_file:
        values["scene"] = circumstances.scene_file
    return values


def remappings(graph: Graph) -> tuple[tuple[str, str], ...]:
    """(from, to) for all nodes: each embedded simulation has its own clock, in its robot's namespace."""
    return (("/clock", "clock"),) if "simulation" in graph.nodes else ()


def enclave(namespace: str, node: str) -> str:
    """Where SROS2 keeps the keys of a node: /sayso/robot1/planner."""
    return "/".join(["/sayso", *filter(None, [namespace.strip("/")]), node])


def security_arguments(environment: Mapping[str, str], namespace: str, node: str) -> list[str]:
    """The ROS arguments by which a node takes its own keys, where security is switched on."""
    return ["--enclave", enclave(namespace, node)] if environment.get("ROS_SECURITY_ENABLE") == "true" else []


def restart_parameters(name: str) -> dict[str, object]:
    """Additional parameters for a restarted node. The gate may have been stopped, so it begins stopped until a person resumes."""
    return {"stopped": True} if name == "motion_gate" else {}


def still_counted(restarts: int, lived: float) -> int:
    """How many of a node's restarts still count when it ends after `lived` seconds."""
    return restarts if lived < FORGOTTEN_AFTER else 0


def restart_after(name: str, code: int, restarts: int) -> float | None:
    """Seconds until the restart of a node that ended with that code, longer each time; None: no restart."""
    if code in (0, REFUSED) or restarts >= RESTARTS:
        return None
    return 0.0 if name in AT_ONCE else 0.5 * 2.0**restarts


def cause(code: int | None) -> str:
    """An exit code for a person."""
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {code}"
