"""Acts with furniture over DDS: planner, skills and simulation open the fridge and point at it, and the world shows it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sayso_msgs.srv import Grip

from deciding import Decider
from patience import PATIENCE
from ros_nodes import environment
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 58
NODES = ("simulation", "motion_gate", "planner", "skills")


class Household(Decider):
    """Watches the world as well."""

    def __init__(self, graph: RunningGraph) -> None:
        super().__init__(DOMAIN, graph)
        self.worlds, self.contexts = self.hear("world_state"), self.hear("context")


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    log, speed = tmp_path_factory.mktemp("log"), {"simulation": {"real_time_factor": 3.0}}
    with RunningGraph("sim", nodes=NODES, env=environment(DOMAIN), log_dir=log, parameters=speed) as graph:
        graph.wait_active(PATIENCE)
        made = Household(graph)
        made.until(lambda: made.clock and made.worlds)
        yield made
        made.close()


def test_the_fridge_is_opened_and_the_robot_knows_it_afterwards(household: Household) -> None:
    assert "closed(fridge)" in household.worlds[-1].facts
    outcome = household.outcome_of("open", theme="fridge")
    assert outcome.succeeded, outcome.reason
    household.until(lambda: "open(fridge)" in household.worlds[-1].facts)
    household.until(lambda: list(household.contexts[-1].facts) == ["open(fridge)"])
    again = household.outcome_of("open", theme="fridge")
    assert (again.succeeded, again.reason) == (True, "The fridge is open.")


def test_the_fridge_is_pointed_at_and_the_world_tells_it(household: Household) -> None:
    outcome = household.outcome_of("point", theme="fridge")
    assert outcome.succeeded, outcome.reason
    household.until(lambda: "pointed_at(fridge)" in household.worlds[-1].facts)


def test_the_gripper_answers_over_the_service_why_not(household: Household) -> None:
    household.until(lambda: household.worlds)
    answer = household.call("grip", Grip.Request(command="switch_on"))
    assert (answer.success, answer.message) == (False, "no switch is within 10 cm of the target")
