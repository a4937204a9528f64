"""Faults of the running graph: what was said must end, and the robot must rest. Takes hours; `--limit 60` takes half an hour.

Sets: deaths (from the death of a node to zero velocity), kills (a kill -9 every 5 s while sentences are said), freezes (of 1 to 30 s),
garbage (random messages), beliefs (what the hand holds), clocks (jumps), scarcity (of processor and memory), soak (a long run), network
(the link between two computers fails; needs root). Without `--limit`, they have the sizes that are worth believing: 1,000 commands,
200 freezes, 100,000 messages.

The simulation with all nodes but the views, each a process, is observed from outside over DDS. Sentences, kills and messages are drawn from
fixed seeds; their times depend on the machine. "Ended properly" is an outcome or a question of the robot. docs/faults.md has the design.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from _faults_deaths import beliefs, freezes, kills, to_rest
from _faults_messages import garbage
from _faults_network import network
from _faults_robot import ObservedRobot, running_robot
from _faults_surroundings import clocks, scarcity, soak
from sayso.console.bench import Row, part
from sayso.errors import SaysoError

Measure = Callable[[ObservedRobot, int], Iterator[Row]]
SETS: dict[str, tuple[Measure, int, int]] = {  # what is measured, how many, and how many for each of --limit 60
    "deaths": (to_rest, 50, 5),
    "kills": (kills, 1000, 60),
    "freezes": (freezes, 200, 12),
    "garbage": (garbage, 100_000, 20_000),
    "beliefs": (beliefs, 20, 3),
    "clocks": (clocks, 48, 12),
    "scarcity": (scarcity, 12, 4),
    "soak": (soak, 96, 3),
}
ELSEWHERE = (
    ("packets to anything but the loopback", "`make test-offline` counts them over the whole test suite"),
    ("commands accepted from another host by default", "tests/nodes/test_other_computers.py: two network namespaces"),
    ("fuzzed inputs: crash, hang, memory, traceback", "`make fuzz` counts them"),
)


def run(quick: bool = False, only: str = "", limit: int = 0) -> Iterator[Row]:
    """Yield the rows of all sets, or of one; `limit`: the number of commands with kills, and the others in proportion."""
    if only and only not in (*SETS, "network"):
        raise SaysoError(f"no set '{only}'; known: {', '.join((*SETS, 'network'))}")
    if quick:
        yield from _quick()
        return
    for name in (only,) if only else SETS:
        if name in SETS:
            yield from part(name, partial(_measured, name, limit))
    if only in ("", "network"):
        yield from part("network", network)
    if not only:
        for measure, reason in ELSEWHERE:
            yield Row(measure, None, "", "lower", 0.0, reason=reason)


def _measured(name: str, limit: int) -> Iterator[Row]:
    measure, count, of_sixty = SETS[name]
    with running_robot() as robot:
        yield from measure(robot, max(1, min(count, round(of_sixty * limit / 60))) if limit else count)


def _quick() -> Iterator[Row]:
    with running_robot() as robot:
        yield from to_rest(robot, 1)
        yield from kills(robot, 4, 3.0)
        yield from freezes(robot, 1, ("planner",), (3.0,))
        yield from garbage(robot, 200)
        yield from clocks(robot, 2)
