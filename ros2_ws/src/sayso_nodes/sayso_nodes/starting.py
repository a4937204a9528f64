"""What a node is started with, and when it is started again: one account of it, for `sayso up` and for the launch files."""

from __future__ import annotations

import signal
from collections.abc import Collection
from dataclasses import dataclass

from sayso_nodes.graph import Graph, Node

REFUSED = 2  # exit code of a node that cannot start as it is configured
RESTARTS = 5  # at most, of one node
AT_ONCE = ("motion_gate", "stop_spotter")  # without them nothing moves


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What holds for all nodes that are started together."""

    started: Collection[str]  # their names
    domain_file: str = ""  # of the nodes that have one; empty: the default home
    scene_file: str = ""  # of the nodes that have one; empty: the one that the domain file names
    use_sim_time: bool = False


def own_parameters(graph: Graph, node: Node, circumstances: Circumstances) -> dict[str, object]:
    """The parameters that a launcher sets on a node of the graph: it starts by itself, when those are active that it builds upon."""
    values: dict[str, object] = {"autostart": True}
    if after := [name for name in graph.before(node.name) if name in circumstances.started]:
        values["after"] = after
    if circumstances.use_sim_time and "/clock" not in node.publishes:
        values["use_sim_time"] = True
    if node.domain and circumstances.domain_file:
        values["domain"] = circumstances.domain_file
    if node.scene and circumstances.scene_file:
        values["scene"] = circumstances.scene_file
    return values


def remappings(graph: Graph) -> tuple[tuple[str, str], ...]:
    """From and to, for all nodes of the graph: each embedded simulation has a clock of its own, in its robot's namespace."""
    return (("/clock", "clock"),) if "simulation" in graph.nodes else ()


def restart_parameters(name: str) -> dict[str, object]:
    """On top of the others, for a node that died. A gate may have been stopped: it begins stopped, and a person says when to go on."""
    return {"stopped": True} if name == "motion_gate" else {}


def restart_after(name: str, code: int, restarts: int) -> float | None:
    """Seconds until a node that has ended with that code is started again, a little longer each time; None: it is not."""
    if code in (0, REFUSED) or restarts >= RESTARTS:
        return None
    return 0.0 if name in AT_ONCE else 0.5 * 2.0**restarts


def cause(code: int | None) -> str:
    """An exit code for a person."""
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {code}"
