"""Faults of the running graph: kills, freezes, garbage and clock jumps; what was said must end, and the robot must rest.

The simulation with all nodes but the views, each a process, is observed from outside over DDS. Sentences, kills and messages are drawn from
fixed seeds; their times depend on the machine. "Ended properly" is an outcome or a question of the robot. docs/faults.md has the design.
"""

from __future__ import annotations

from collections.abc import Iterator

from _faults_deaths import beliefs, freezes, kills, to_rest
from _faults_messages import garbage, jumps
from _faults_robot import running_robot
from sayso.console.bench import Row

FROZEN = ("planner", "skills", "action_selector", "intent_classifier", "speech_to_text", "motion_gate", "utterance_watch", "simulation")
ELSEWHERE = (
    ("packets to anything but the loopback", "", "lower", 0.0, "two network namespaces in tests/nodes/test_other_computers.py"),
    ("commands accepted from another host by default", "", "lower", 0.0, "two network namespaces in tests/nodes/test_other_computers.py"),
    ("fuzzed inputs, each reader 1e6: crash, hang, memory, traceback", "", "lower", 0.0, "this benchmark has no fuzzing yet"),
    ("soak 8 h: slopes of memory, descriptors, threads", "", "lower", 0.0, "this benchmark has no soak yet"),
)


def run(quick: bool = False) -> Iterator[Row]:
    """Yield all rows."""
    commands, every, seconds, nodes = (4, 3.0, (3.0,), ("planner",)) if quick else (60, 5.0, (2.0, 15.0), FROZEN)
    with running_robot() as robot:
        yield from to_rest(robot, 1 if quick else 5)
        yield from kills(robot, commands, every)
        yield from freezes(robot, seconds, nodes)
        yield from garbage(robot, 200 if quick else 20_000)
        if not quick:
            yield from beliefs(robot, 2)
    yield from jumps(quick)
    for measure, unit, better, goal, reason in ELSEWHERE:
        yield Row(measure, None, unit, better, goal, reason=reason)
