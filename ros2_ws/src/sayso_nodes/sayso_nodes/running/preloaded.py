"""What the nodes share before each is its own process: modules, and the checked home."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path

# Imported by nodes when they open. None may start a thread, as onnxruntime does.
MODULES = (
    "rclpy.lifecycle", "rclpy.action", "rclpy.executors",
    "tokenizers", "rapidfuzz.process", "rapidfuzz.fuzz",
    "sayso.intent", "sayso.intent.discourse", "sayso.selection.selector", "sayso.planning.planner",
    "sayso.speech.recognise", "sayso.speech.condition", "sayso.speech.own_voice", "sayso.speech.stopping.spotter", "sayso.speech.stopping.words",
    "sayso.grounding.memory", "sayso.grounding.seeing_once", "sayso.grounding.spoken", "sayso.robot.battery",
)  # fmt: skip


def preload(domain: str, nodes: Sequence[str]) -> None:
    """Import the modules of these nodes and read the home. What fails here fails again in the node, which reports it."""
    for module in (*MODULES, *(f"sayso_nodes.nodes.{node}" for node in nodes)):
        with suppress(Exception):
            import_module(module)
    with suppress(Exception):
        from sayso_nodes.homes import load_home

        load_home(domain, "")


def threads() -> int:
    """The number of this process's threads."""
    return len(os.listdir(Path("/proc/self/task")))
