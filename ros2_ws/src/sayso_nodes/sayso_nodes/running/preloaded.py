"""What the nodes share before each is its own process: modules, the messages' support in C, and the checked home."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

# Imported by nodes when they open. None may start a thread, as onnxruntime does.
MODULES = (
    "rclpy.lifecycle", "rclpy.action", "rclpy.executors", "rclpy.node",
    "tokenizers", "rapidfuzz.process", "rapidfuzz.fuzz",
    "sayso.intent", "sayso.intent.discourse", "sayso.selection.selector", "sayso.planning.planner",
    "sayso.speech.recognise", "sayso.speech.condition", "sayso.speech.own_voice",
    "sayso.speech.stopping.spotter", "sayso.speech.stopping.words",
    "sayso.grounding.memory", "sayso.grounding.seeing_once", "sayso.grounding.spoken", "sayso.robot.battery",
)  # fmt: skip
HEARING = ("stop_spotter", "speech_to_text")  # nodes with the same recogniser
OF_EACH_NODE = (
    "rcl_interfaces",
    "lifecycle_msgs",
    "type_description_interfaces",
    "rosgraph_msgs",
    "diagnostic_msgs",
)  # packages of messages


def preload(domain: str, nodes: Sequence[str]) -> None:
    """Import the modules of these nodes and read the home. What fails here fails again in the node, which reports it."""
    for module in (*MODULES, *(f"sayso_nodes.nodes.{node}" for node in nodes)):
        with suppress(Exception):
            import_module(module)
    _support_messages()
    # rclpy seeks who logs a line among the files of all modules: a tenth of a second for the first line of each node.
    inspect.getmodule(inspect.currentframe())
    with suppress(Exception):
        from sayso_nodes.homes import load_home

        load_home(domain, "")


def preload_model(node: str) -> bool:
    """Load what that node shares with another one, before the first of them is forked; whether there was anything to load."""
    if node not in HEARING:
        return False
    with suppress(Exception):
        from sayso.speech.moonshine import sessions

        sessions()
    return True


def _support_messages() -> None:
    """Load what turns messages into bytes: half of what a node takes to be made, and of the memory that it has for itself then."""
    from rclpy.type_support import check_for_type_support

    for kind in _interfaces():
        with suppress(Exception):
            check_for_type_support(kind)


def _interfaces() -> Iterator[Any]:
    from sayso_nodes.graph import every_interface

    yield from every_interface()
    for package in OF_EACH_NODE:
        for kind in ("msg", "srv"):
            with suppress(ImportError):
                module = import_module(f"{package}.{kind}")
                yield from (found for found in vars(module).values() if isinstance(found, type))


def threads() -> int:
    """The number of this process's threads."""
    return sum(1 for _ in Path("/proc/self/task").iterdir())
