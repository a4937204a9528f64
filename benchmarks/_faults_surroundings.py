"""Jumps of the clock, nodes that get half of the processor or no more memory, and a long run."""

from __future__ import annotations

import itertools
import random
import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from _faults_deaths import SENTENCES
from _faults_robot import BEGIN, ObservedRobot
from _faults_sentences import ended_row, said
from sayso.console.bench import Row
from sayso.console.watch import counted

JUMPS = (-60.0, -5.0, 30.0, 3600.0)  # s
SITUATIONS = ("idle", "driving", "stopped")
SLICE = 0.1  # s that a slow node is stopped, and then goes on
SPARE = 4_000_000  # bytes that a node may still take
MEANWHILE = ("turn left", "bring me the cup", "where am I")
FASTER = 5.0  # simulated seconds a second in the long run
SAMPLED = 10.0  # s


def clocks(robot: ObservedRobot, count: int) -> Iterator[Row]:
    """ROS time jumps while the robot is idle, drives, or is stopped; the next command must work."""
    before, blocked, now = set(robot.sentences), [], float(BEGIN["simulation"]["clock_offset"])
    cases = list(itertools.islice(itertools.cycle(itertools.product(JUMPS, SITUATIONS)), count))
    for jump, situation in counted(cases, "clock jumps", len(cases)):
        robot.whole()
        robot.resumed()
        if situation == "driving":
            robot.drives()
        elif situation == "stopped":
            robot.call("stop")
            robot.until(lambda: robot.stopped, 5.0)
        now += jump
        robot.set("simulation", "clock_offset", now)
        robot.spin(1.0)
        if not robot.works():
            blocked.append(f"{jump:+g} s while {situation}")
    robot.until(lambda: all(each.ended for each in said(robot, before)), 30.0)
    what = "clock jumps −60 s to +1 h, idle, driving and stopped"
    works = 100.0 * (1 - len(blocked) / len(cases))
    yield Row(f"{what}: the next command works", works, "%", "higher", 100.0, n=len(cases), reason=", ".join(blocked))
    yield ended_row(what, said(robot, before))


def scarcity(robot: ObservedRobot, count: int, seed: int = 4) -> Iterator[Row]:
    """Nodes in turn get half of the processor, and then no more memory, while sentences are said."""
    chance = random.Random(seed)
    for what, scarce in (("half of the processor for one node", slowed), ("no more memory for one node", starved)):
        before, stuck = set(robot.sentences), []
        for node in chance.sample(robot.nodes, min(count, len(robot.nodes))):
            robot.whole()
            with scarce(robot, node):
                for text in MEANWHILE:
                    robot.resumed()
                    if name := robot.say(text, 10.0):
                        robot.ended(name, 10.0)
            robot.until(lambda before=before: all(each.ended for each in said(robot, before)), 40.0)
            if not robot.works():
                stuck.append(node)
        yield ended_row(what, said(robot, before))
        yield Row(f"{what}: stuck afterwards", float(len(stuck)), "", "lower", 0.0, n=count, reason=", ".join(stuck))


@contextmanager
def slowed(robot: ObservedRobot, node: str) -> Iterator[None]:
    """The node is stopped half of the time."""
    turn = itertools.cycle((signal.SIGSTOP, signal.SIGCONT))
    timer = robot.node.create_timer(SLICE, lambda: robot.signal(node, next(turn)))
    try:
        yield
    finally:
        robot.node.destroy_timer(timer)
        robot.signal(node, signal.SIGCONT)


@contextmanager
def starved(robot: ObservedRobot, node: str) -> Iterator[None]:
    """The node can take hardly any more memory. One that is started again meanwhile can."""
    pid = robot.pid(node)
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[0])
    resource.prlimit(pid, resource.RLIMIT_AS, (pages * resource.getpagesize() + SPARE, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        if robot.pid(node) == pid and Path(f"/proc/{pid}").exists():
            resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def soak(robot: ObservedRobot, minutes: float) -> Iterator[Row]:
    """One sentence after the other in faster simulated time; what grows in the second half of it, by the node that grows most."""
    before, sampled, began = set(robot.sentences), list[tuple[float, dict[str, tuple[float, ...]]]](), time.monotonic()
    simulated = robot.seconds
    robot.set("simulation", "real_time_factor", FASTER)
    timer = robot.node.create_timer(SAMPLED, lambda: sampled.append((time.monotonic() - began, taken(robot))))
    lasting = itertools.takewhile(lambda _: time.monotonic() - began < 60.0 * minutes, itertools.cycle(SENTENCES))
    for text in counted(lasting, f"sentences within {minutes:g} min"):
        robot.resumed()
        if name := robot.say(text):
            robot.ended(name)
    robot.node.destroy_timer(timer)
    robot.set("simulation", "real_time_factor", 1.0)
    count, half = len(said(robot, before)), sampled[len(sampled) // 2 :]
    what = f"{(robot.seconds - simulated) / 3600.0:.1f} simulated hours in {minutes:g} min, {count} commands"
    yield ended_row(what, said(robot, before))
    if len(half) < 2:
        yield Row(f"{what}: growth", None, "", "lower", reason="too short to tell")
        return
    hours = np.array([second / 3600.0 for second, _ in half])
    for index, (name, unit) in enumerate((("memory", "MB/h"), ("descriptors", "/h"), ("threads", "/h"))):
        slopes = {node: float(np.polyfit(hours, [sample[node][index] for _, sample in half], 1)[0]) for node in half[0][1]}
        worst = max(slopes, key=slopes.__getitem__)
        yield Row(f"{what}: {name}, {worst} grows most", slopes[worst], unit, "lower", n=len(half))
    segments = [sample["shared memory"][0] for _, sample in half]
    yield Row(f"{what}: segments in /dev/shm, last minus first", segments[-1] - segments[0], "", "lower", 0.0, n=len(half))


def taken(robot: ObservedRobot) -> dict[str, tuple[float, ...]]:
    """Node → its memory in MB, descriptors, and threads; and the number of segments of shared memory."""
    from sayso_nodes.environment import shared_memory_segments

    found: dict[str, tuple[float, ...]] = {"shared memory": (float(len(shared_memory_segments())), 0.0, 0.0)}
    for node in robot.nodes:
        process = Path(f"/proc/{robot.pid(node)}")
        pages = int((process / "statm").read_text(encoding="ascii").split()[1])
        counts = (float(len(list((process / folder).iterdir()))) for folder in ("fd", "task"))
        found[node] = (pages * resource.getpagesize() / 1e6, *counts)
    return found
