"""Runs on the robot's computer: the nodes that hear and understand are on the other one. Prints the rows as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from _faults_network import on
from _faults_robot import ObservedRobot, running_robot
from _faults_sentences import ended_row, said
from sayso.console.bench import Row
from sayso_nodes.graph import Node
from sayso_nodes.running.processes import RunningGraph

HEARING = ("speech_to_text", "intent_classifier", "action_selector", "visual_grounder")
OTHER, LINK = sys.argv[1:3]
CUTS = (3.0, 10.0, 30.0)  # s
BURSTS = 40  # losses of everything
LOST, PASSED = 0.1, 0.4  # s of a burst, and after it
REST = 0.02  # m/s


class TwoComputers(RunningGraph):
    """Starts the nodes of `HEARING` on the other computer."""

    def command(self, node: Node, parameters: Mapping[str, object]) -> list[str]:
        """As in one computer, or there."""
        own = super().command(node, parameters)
        return on(OTHER, *own) if node.name in HEARING else own


def link(state: str) -> None:
    """Let the link be up or down."""
    subprocess.run(["ip", "-n", OTHER, "link", "set", LINK, state], check=True)


def rows(robot: ObservedRobot) -> Iterator[Row]:
    """The link is cut for some seconds while the robot drives and a sentence was just said; then it loses a fifth of the time."""
    before, stuck = set(robot.sentences), []
    for seconds in CUTS:
        robot.drives()
        robot.say("turn left")
        link("down")
        robot.spin(seconds)
        link("up")
        robot.until(lambda: all(each.ended for each in said(robot, before)), 60.0)
        if not robot.works():
            stuck.append(f"{seconds:g} s")
    what = "the link between two computers is cut for 3, 10, 30 s"
    yield ended_row(what, said(robot, before))
    yield Row(f"{what}: stuck afterwards", float(len(stuck)), "", "lower", 0.0, n=len(CUTS), reason=", ".join(stuck))
    before, done = set(robot.sentences), 0
    losing = robot.node.create_timer(LOST + PASSED, lambda: (link("down"), time.sleep(LOST), link("up")))
    end = time.monotonic() + BURSTS * (LOST + PASSED)
    while time.monotonic() < end:
        robot.resumed()
        if name := robot.say("turn left", 10.0):
            done += robot.ended(name, 20.0) and True in robot.sentences[name].outcomes
    robot.node.destroy_timer(losing)
    robot.until(lambda: all(each.ended for each in said(robot, before)), 30.0)
    what = f"the link loses everything for {LOST * 1e3:g} of each {(LOST + PASSED) * 1e3:g} ms"
    yield ended_row(what, said(robot, before))
    yield Row(f"{what}: carried out", 100.0 * done / max(1, len(said(robot, before))), "%", "higher", n=len(said(robot, before)))


if __name__ == "__main__":
    with running_robot(TwoComputers) as two:
        found = [asdict(row) for row in rows(two)]
    print(json.dumps(found))
