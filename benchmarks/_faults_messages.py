"""Garbage and duplicates on the topics of the stages, and jumps of the clock."""

from __future__ import annotations

import math
import os
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _faults_robot import DOMAIN_ID, ObservedRobot
from sayso.console.bench import Row

TOPICS = ("transcript", "intent_belief", "action_belief", "plan_state", "context", "object_belief", "outcome", "question", "alive")
NUMBERS = (0.0, -1.0, 1e300, -1e300, math.nan, math.inf, -math.inf)
WORDS = ("", "\x00", "stop", "execute", "go_to", "kitchen", "a" * 2000, "<script>", "é漢", "reject")
JUMPS = (-60.0, -5.0, 30.0, 3600.0)  # s


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


def jumps(quick: bool) -> Iterator[Row]:
    """Commands after a jump of the clock, with the robot idle and after a stop: does the planner begin them?"""
    from sayso_nodes.running import RunningGraph

    begun, blocked = 0, []
    cases = [(jump, stops) for jump in JUMPS[:: 3 if quick else 1] for stops in (False, True)]
    for jump, stops in cases:
        env = {"ROS_DOMAIN_ID": DOMAIN_ID}
        with tempfile.TemporaryDirectory() as logs, RunningGraph("sim", nodes=("motion_gate", "planner"), env=env, log_dir=logs) as graph:
            graph.wait_active(60.0)
            robot = ObservedRobot(graph)
            try:
                if _begins_after(robot, jump, stops):
                    begun += 1
                else:
                    blocked.append(f"{jump:+g} s{' after a stop' if stops else ''}")
            finally:
                robot.close()
    share = 100.0 * begun / len(cases)
    yield Row(
        "clock jumps −60 s to +1 h, idle and stopped: the next command is begun",
        share,
        "%",
        "higher",
        100.0,
        n=len(cases),
        reason=", ".join(blocked),
    )


def _begins_after(robot: ObservedRobot, jump: float, stops: bool) -> bool:
    from rosgraph_msgs.msg import Clock

    from sayso_nodes.conversions import to_time

    clock, now = robot.publisher("/clock"), [100.0]

    def tick() -> None:
        now[0] += 0.02
        clock.publish(Clock(clock=to_time(now[0])))

    robot.node.create_timer(0.02, tick)
    robot.until(lambda: robot.seconds > 0.0, 10.0)
    robot.spin(1.5)
    if stops:
        robot.until(lambda: robot.call("stop") is not None, 10.0)
        robot.until(lambda: robot.stopped, 5.0)
        robot.spin(0.5)
        robot.resumed()
    now[0] += jump
    robot.spin(0.5)
    name = robot.go("kitchen")
    return robot.until(lambda: robot.sentences[name].begun > 0, 10.0)
