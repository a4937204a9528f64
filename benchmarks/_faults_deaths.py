"""Deaths and freezes: of all nodes while sentences are said, and of those that move the robot while it drives."""

from __future__ import annotations

import itertools
import random
import signal
import statistics
import time
from collections.abc import Iterator

from _faults_robot import PRESENT, ObservedRobot
from _faults_sentences import ended_row, percent, said
from sayso.console.bench import Row, quantile_row
from sayso.console.watch import counted

SENTENCES = ("turn left", "turn right", "bring me the cup", "go to the dock", "the weather is nice today", "where am I")
EVERY = 5.0  # s between two kills
IMPATIENT = 3.0  # s that the person waits for an end before the next sentence
FREEZES = (1.0, 3.0, 8.0, 15.0, 30.0)  # s
WATCHED = 2.0  # s after a death in which the wheels are watched
UNSUPERVISED = 1.0  # s after the planner's death from which motion counts as unsupervised
REST = 0.02  # m/s
LONGEST = 10.0  # s that a node may be away


def kills(robot: ObservedRobot, count: int, every: float = EVERY, seed: int = 1) -> Iterator[Row]:
    """Sentences of an impatient person, and a kill -9 of a random node every few seconds."""
    chance, before = random.Random(seed), set(robot.sentences)
    robot.absences.clear()
    deaf = 0
    killed, next_kill = 0, [time.monotonic() + every]

    def kill_when_due() -> None:
        nonlocal killed
        if time.monotonic() >= next_kill[0]:
            next_kill[0] += every
            killed += 1
            robot.kill(chance.choice(robot.nodes))

    timer = robot.node.create_timer(0.1, kill_when_due)
    for number in counted(range(count), "sentences, with kills", count):
        if robot.is_deaf:
            robot.close()
            robot.connect()
            timer, deaf = robot.node.create_timer(0.1, kill_when_due), deaf + 1
        robot.resumed()  # a gate or a stop_spotter that dies stops the robot
        name = robot.say(SENTENCES[number % len(SENTENCES)])
        if name:
            robot.ended(name, IMPATIENT)
    robot.node.destroy_timer(timer)
    robot.until(lambda: all(each.ended for each in said(robot, before)), 30.0)
    found, what = said(robot, before), f"a kill -9 every {every:g} s over all nodes"
    yield ended_row(what, found)
    yield Row(f"{what}: lost", float(sum(not each.ended for each in found)), "", "lower", 0.0, n=len(found))
    yield Row(f"{what}: begun twice", float(sum(each.begun > 1 for each in found)), "", "lower", 0.0, n=len(found))
    yield Row(f"{what}: two outcomes", float(sum(len(each.outcomes) > 1 for each in found)), "", "lower", n=len(found))
    done = sum(True in each.outcomes or each.asked for each in found)
    yield Row(f"{what}: carried out, answered or asked about", percent(done, len(found)), "%", "higher", n=len(found))
    yield Row(f"{what}: kills", float(killed), "", "higher", n=len(found))
    yield Row(f"{what}: times that the observer went deaf", float(deaf), "", "lower", n=len(found))
    yield longest_absence(what, robot.absences)
    robot.whole()
    yield Row(f"{what}: a command works afterwards", float(robot.works()), "", "higher", 1.0, n=1)


def longest_absence(what: str, absences: list[tuple[float, str]]) -> Row:
    """How long a node was away at most and which, with the median and the upper quartile as spread."""
    measure = f"{what}: longest absence of a node"
    if not absences:
        return Row(measure, 0.0, "s", "lower", LONGEST, reason=f"none for more than {PRESENT} s")
    seconds = [each for each, _ in absences]
    spread = statistics.median(seconds), statistics.quantiles([*seconds, *seconds], n=4)[2]
    too_long = ", ".join(f"{name} {each:.0f} s" for each, name in sorted(absences, reverse=True)[:5] if each > LONGEST)
    return Row(measure, max(seconds), "s", "lower", LONGEST, spread=spread, n=len(seconds), reason=too_long)


def freezes(robot: ObservedRobot, count: int, nodes: tuple[str, ...] | None = None, seconds: tuple[float, ...] = FREEZES) -> Iterator[Row]:
    """Nodes in turn frozen for each time while the robot drives, and a sentence said meanwhile."""
    before, stuck, nodes = set(robot.sentences), [], nodes or robot.nodes
    every = [(node, duration) for duration in seconds for node in nodes]
    random.Random(3).shuffle(every)
    for node, duration in counted(itertools.islice(itertools.cycle(every), count), "freezes", count):
        robot.drives()
        until = time.monotonic() + duration
        robot.signal(node, signal.SIGSTOP)
        if node != "speech_to_text":
            robot.say("turn right", timeout=duration)
        robot.spin(until - time.monotonic())
        robot.signal(node, signal.SIGCONT)
        robot.until(lambda: all(each.ended for each in said(robot, before)), 40.0)
        robot.whole()  # a node that ended is being started again
        if not robot.works():
            stuck.append(f"{node} {duration:g} s")
    found, what = said(robot, before), f"freezes of {min(seconds):g}–{max(seconds):g} s of {len(nodes)} nodes"
    yield ended_row(what, found)
    yield Row(f"{what}: stuck afterwards", float(len(stuck)), "", "lower", 0.0, n=count, reason=", ".join(stuck))


def to_rest(robot: ObservedRobot, count: int) -> Iterator[Row]:
    """From the death of a node to zero velocity, on cmd_vel; for motion_gate itself, on the odometry."""
    taken: dict[str, list[float]] = {node: [] for node in ("planner", "skills", "stop_spotter", "motion_gate")}
    unsupervised = 0
    for _ in counted(range(count), "deaths of each node while driving", count):
        for node, found in taken.items():
            if not robot.whole() or not robot.drives():
                continue
            died = time.monotonic()
            robot.kill(node)
            stood = died
            while time.monotonic() - died < WATCHED:
                robot.spin(0.02)
                stood = time.monotonic() if abs(robot.speed) > REST else stood
            sent = robot.rested_at if robot.rested_at > robot.moved_at else time.monotonic()
            found.append(max(0.0, (stood if node == "motion_gate" else sent) - died))
            unsupervised += node == "planner" and found[-1] > UNSUPERVISED
    both = [*taken["planner"], *taken["skills"]]
    yield quantile_row("death of planner or skills → zero velocity, p99", both, 0.99, 300.0)
    yield quantile_row("death of planner or skills → zero velocity, p50", both, 0.5, None)
    yield quantile_row("death of stop_spotter → zero velocity, p99", taken["stop_spotter"], 0.99, 300.0)
    yield quantile_row("death of motion_gate → the simulated base stands, p99", taken["motion_gate"], 0.99, 300.0)
    yield Row("driving unsupervised after the planner's death", float(unsupervised), "", "lower", 0.0, n=len(taken["planner"]))


def beliefs(robot: ObservedRobot, count: int) -> Iterator[Row]:
    """The object in the hand, as the robot believes and as it is, after the death of skills and of the simulation."""
    from sayso_msgs.srv import Grip

    right, taken = [], []
    for _ in counted(range(count), "deaths while the hand is full", count):
        for node in ("skills", "simulation"):
            robot.whole()
            robot.resumed()
            robot.ended(robot.go("counter"), 120.0)
            if node == "skills" and robot.truth is not None and "gripper" not in robot.truth.locations:
                x, y = robot.truth.x, robot.truth.y
                near = min(robot.truth.positions, key=lambda each: (each.x - x) ** 2 + (each.y - y) ** 2)
                robot.call("grip", Grip.Request(command="grasp", target=near), 5.0)
                robot.spin(3.0)
            robot.kill(node)
            robot.until(lambda node=node: robot.graph.processes[node].process.poll() is None, 30.0)
            robot.whole()
            began = time.monotonic()
            right.append(robot.until(lambda: robot.held == in_gripper(robot), 5.0))
            taken.append(time.monotonic() - began)
    yield Row(
        "belief of the hand equals the truth within 5 s of recovery",
        percent(sum(right), len(right)),
        "%",
        "higher",
        100.0,
        spread=(min(taken), statistics.median(taken)) if taken else None,
        n=len(right),
    )


def in_gripper(robot: ObservedRobot) -> str:
    """The object that the gripper holds in truth."""
    read = robot.call("grip", _read(), 2.0)
    return str(read.message) if read is not None else "?"


def _read() -> object:
    from sayso_msgs.srv import Grip

    return Grip.Request(command="read")
