"""Planner and skills die or freeze during a drive: the robot rests, the command ends, and the next one works."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterator

import pytest
from sayso_msgs.srv import Grip

from deciding import Decider
from patience import PATIENCE
from ros_nodes import environment
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end, pytest.mark.timed]
DOMAIN = 40
NODES = ("simulation", "motion_gate", "planner", "skills")
RESTS_WITHIN = 1.0  # s; `sayso bench faults` measures it, a busy test machine is slower


class Commander(Decider):
    """Kills and freezes nodes, and sees how the robot moves."""

    def __init__(self, graph: RunningGraph) -> None:
        super().__init__(DOMAIN, graph)
        self.velocities, self.signs = self.hear("cmd_vel"), self.hear("alive", publishers=2)

    def go(self, place: str) -> str:
        return self.command("go_to", goal=place)

    def drives(self) -> bool:
        return bool(self.velocities) and self.velocities[-1].linear.x > 0.05

    def until_driving(self) -> None:
        self.velocities.clear()
        self.until(self.drives)

    def seconds_to_rest(self, watched: float) -> float:
        """Seconds from now to the last motion that is asked of the wheels within the time."""
        began = last = time.monotonic()
        while time.monotonic() - began < watched:
            self.velocities.clear()
            self.executor.spin_once(0.01)
            if any(velocity.linear.x or velocity.angular.z for velocity in self.velocities):
                last = time.monotonic()
        return last - began

    def kill(self, name: str) -> set[str]:
        """Kill a node; its lives until now."""
        lives = {sign.value for sign in self.signs if sign.key == name}
        self.signal(name, signal.SIGKILL)
        return lives

    def until_restarted(self, name: str, before: set[str]) -> None:
        """Until a process of another life gives that node's signs of life, and has had time to meet this one."""
        self.until(lambda: any(sign.key == name and sign.value not in before for sign in self.signs))
        self.spin(1.0)

    def signal(self, name: str, number: int) -> None:
        self.graph.processes[name].process.send_signal(number)


@pytest.fixture(scope="module")
def commander(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commander]:
    log, speed = tmp_path_factory.mktemp("log"), {"simulation": {"real_time_factor": 2.0}}
    with RunningGraph("sim", nodes=NODES, env=environment(DOMAIN), log_dir=log, parameters=speed) as graph:
        graph.wait_active(PATIENCE)
        made = Commander(graph)
        made.until(lambda: made.clock)
        yield made
        made.close()


def arrives(commander: Commander) -> None:
    outcome = commander.outcome(commander.go("kitchen"))
    assert outcome.succeeded, outcome.reason


def test_a_drive_ends_when_the_skills_node_is_killed_and_the_next_command_works(commander: Commander) -> None:
    name = commander.go("bedroom")
    commander.until_driving()
    commander.until_restarted("skills", commander.kill("skills"))
    assert commander.outcome(name)
    arrives(commander)


def test_the_robot_rests_when_the_planner_is_killed_and_the_next_command_works(commander: Commander) -> None:
    commander.go("bedroom")
    commander.until_driving()
    before = commander.kill("planner")
    assert commander.seconds_to_rest(watched=2.0) < RESTS_WITHIN
    commander.until_restarted("planner", before)
    arrives(commander)


@pytest.mark.long("kills, freezes or starves processes")
@pytest.mark.parametrize("name", ["skills", "planner"])
def test_a_frozen_node_does_not_go_on_with_what_was_given_up(commander: Commander, name: str) -> None:
    utterance = commander.go("bedroom")
    commander.until_driving()
    commander.signal(name, signal.SIGSTOP)
    try:
        assert commander.seconds_to_rest(watched=4.0) < RESTS_WITHIN
    finally:
        commander.signal(name, signal.SIGCONT)
    assert commander.outcome(utterance)
    arrives(commander)


@pytest.mark.long("kills, freezes or starves processes")
def test_a_command_ends_well_although_its_planner_is_silent_for_a_moment_again_and_again(commander: Commander) -> None:
    goal = commander.go("bedroom")
    for _ in range(5):  # more often than a skill may fail
        commander.until_driving()
        commander.signal("planner", signal.SIGSTOP)
        assert commander.seconds_to_rest(0.6) < RESTS_WITHIN
        commander.signal("planner", signal.SIGCONT)
    outcome = commander.outcome(goal)
    assert outcome.succeeded, outcome.reason


@pytest.mark.long("kills, freezes or starves processes")
def test_what_is_in_the_hand_is_known_after_the_death_of_skills_and_of_the_simulation(commander: Commander) -> None:
    worlds, contexts = commander.hear("world_state"), commander.hear("context")
    outcome = commander.outcome(commander.go("counter"))
    assert outcome.succeeded, outcome.reason
    commander.until(lambda: worlds)
    world = worlds[-1]
    near = min(world.positions, key=lambda each: math.dist((each.x, each.y), (world.x, world.y)))
    thing = world.objects[list(world.positions).index(near)]
    gripped = commander.call("grip", Grip.Request(command="grasp", target=near))
    assert gripped.success, gripped.message
    commander.until(lambda: contexts[-1].holding == thing)
    for name, holds in (("skills", thing), ("simulation", "")):
        before = commander.kill(name)
        if name == "skills":
            commander.until_restarted("skills", before)
        contexts.clear()
        commander.until(lambda holds=holds: contexts and contexts[-1].holding == holds)
