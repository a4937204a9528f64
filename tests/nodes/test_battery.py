"""A robot whose battery is low, over DDS: it says why it does not begin or go on, rests, and still drives to its dock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters

from deciding import Decider
from patience import PATIENCE
from ros_nodes import environment
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 100
NODES = ("simulation", "motion_gate", "planner", "skills")
SPEED = 3.0


class LowRobot(Decider):
    """Hears what the robot says, how it moves and how much charge it tells; sets the charge."""

    def __init__(self, graph: RunningGraph) -> None:
        super().__init__(DOMAIN, graph)
        self.words, self.velocities, self.contexts = self.hear("speech"), self.hear("cmd_vel"), self.hear("context")

    def charge(self, share: float) -> None:
        """Give the simulated battery that charge, and wait until the robot knows."""
        value = Parameter(name="battery", value=ParameterValue(type=ParameterType.PARAMETER_DOUBLE, double_value=share))
        answer = self.call("simulation/set_parameters", SetParameters.Request(parameters=[value]), SetParameters)
        assert answer.results[0].successful
        self.until(lambda: self.tells(share))

    def tells(self, share: float) -> bool:
        return bool(self.contexts) and abs(self.contexts[-1].battery - share) < 0.01

    def drives(self) -> bool:
        return any(each.linear.x or each.angular.z for each in self.velocities)

    def rests(self) -> bool:
        self.velocities.clear()
        self.spin(0.5)
        return not self.drives()


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LowRobot]:
    log, parameters = tmp_path_factory.mktemp("log"), {"simulation": {"real_time_factor": SPEED, "battery": 0.03}}
    with RunningGraph("sim", nodes=NODES, env=environment(DOMAIN), log_dir=log, parameters=parameters) as graph:
        graph.wait_active(PATIENCE)
        made = LowRobot(graph)
        made.until(lambda: made.clock)
        yield made
        made.close()


def test_a_robot_that_starts_at_three_per_cent_says_why_it_does_not_go_and_does_not_move(robot: LowRobot) -> None:
    robot.until(lambda: robot.tells(0.03))
    outcome = robot.outcome_of("go_to", goal="kitchen")
    assert not outcome.succeeded
    assert outcome.reason.startswith("My battery is at ")
    assert outcome.reason.endswith("% in reserve: I should charge first.")
    robot.until(lambda: [word.data for word in robot.words] == [outcome.reason])
    assert not robot.drives()


def test_it_speaks_with_a_low_battery(robot: LowRobot) -> None:
    assert robot.outcome_of("greet", message="hello", recipient="operator").succeeded


def test_a_charge_that_falls_on_the_way_ends_the_errand_with_the_reason_and_the_robot_rests(robot: LowRobot) -> None:
    robot.charge(0.5)
    robot.words.clear()
    utterance = robot.command("go_to", goal="kitchen")
    robot.until(robot.drives)
    robot.charge(0.04)
    outcome = robot.outcome(utterance)
    assert not outcome.succeeded
    assert outcome.reason.startswith("I stopped because my battery is at ")
    robot.until(lambda: [word.data for word in robot.words] == [outcome.reason])
    assert robot.rests()


def test_it_drives_to_its_dock_with_a_low_battery_and_charges_there(robot: LowRobot) -> None:
    robot.charge(0.02)
    outcome = robot.outcome_of("dock")
    assert outcome.succeeded, outcome.reason
    low = robot.contexts[-1].battery
    robot.until(lambda: robot.contexts[-1].battery > low)
