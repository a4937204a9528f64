"""Garbage and duplicates on the topics of the stages."""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _faults_robot import ObservedRobot
from sayso.console.bench import Row

TOPICS = ("transcript", "intent_belief", "action_belief", "plan_state", "context", "object_belief", "outcome", "question", "alive")
NUMBERS = (0.0, -1.0, 1e300, -1e300, math.nan, math.inf, -math.inf)
WORDS = ("", "\x00", "stop", "execute", "go_to", "kitchen", "a" * 2000, "<script>", "é漢", "reject")


def garbage(robot: ObservedRobot, count: int, seed: int = 2) -> Iterator[Row]:
    """Messages with random fields on every topic of the stages, and each message twice."""
    from sayso_nodes.graph import interface

    robot.whole()
    robot.resumed()
    chance, processes = random.Random(seed), {name: robot.graph.processes[name].process.pid for name in robot.nodes}
    publishers = {topic: robot.publisher(topic) for topic in TOPICS}
    memory, sent, quiet_since = resident(processes), 0, time.monotonic()
    while sent < count:
        topic = chance.choice(TOPICS)
        message = filled(interface(topic), chance)
        for _ in range(2):
            publishers[topic].publish(message)
        sent += 2
        robot.executor.spin_once(0.0)
    robot.spin(5.0)
    moved = robot.moved_at > quiet_since
    after = resident(processes)
    dead = sum(robot.graph.processes[name].process.pid != pid for name, pid in processes.items())
    yield Row("garbage messages: nodes that crashed", float(dead), "", "lower", 0.0, n=sent)
    yield Row("garbage messages: the robot moved", float(moved), "", "lower", 0.0, n=sent)
    yield Row("garbage messages: growth of all nodes", (after - memory) / 1e6, "MB", "lower", n=sent)
    for publisher in publishers.values():
        robot.node.destroy_publisher(publisher)
    yield Row("garbage messages: a command works afterwards", float(robot.works()), "", "higher", 1.0, n=1)


def filled(kind: Any, chance: random.Random, depth: int = 0) -> Any:
    """A message of that class with random fields."""
    message = kind()
    for name, written in kind.get_fields_and_field_types().items():
        setattr(message, name, value(written, chance, depth))
    return message


def value(written: str, chance: random.Random, depth: int) -> Any:
    """A random value of a field's type, as ROS writes it."""
    from sayso_nodes.graph import interface

    if written.startswith("sequence<"):
        inner = written.removeprefix("sequence<").removesuffix(">")
        return [value(inner, chance, depth + 1) for _ in range(chance.choice((0, 1, 3)) if depth < 3 else 0)]
    if written.endswith("]"):  # "double[9]"
        inner, number = written.removesuffix("]").split("[")
        return [value(inner, chance, depth + 1) for _ in range(int(number))]
    if written in ("double", "float"):
        return chance.choice(NUMBERS) if written == "double" else float(chance.choice((0.0, -1.0, math.nan, math.inf)))
    if written == "boolean":
        return chance.random() < 0.5
    if written == "string":
        return chance.choice(WORDS)
    if "int" in written and "/" not in written:
        bits = int("".join(letter for letter in written if letter.isdigit()))
        return chance.choice((0, 1, 2 ** (bits - 1) - 1))
    package, name = written.split("/")
    if name == "Time":
        return interface(f"{package}/msg/{name}")(sec=chance.choice((0, 2**31 - 1)), nanosec=chance.choice((0, 999_999_999)))
    return filled(interface(f"{package}/msg/{name}"), chance, depth + 1)


def resident(processes: dict[str, int]) -> int:
    """Bytes of memory of those processes together."""
    total = 0
    for pid in processes.values():
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            continue
    return total
