"""Doors and appliances over DDS: planner, skills and simulation open the fridge, and the world shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sayso_msgs.srv import Grip

from ros_nodes import Peer, environment
from sayso.types import Action, ActionBelief, ActionCandidate
from sayso_nodes.conversions import to_message
from sayso_nodes.running import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 58
NODES = ("simulation", "motion_gate", "planner", "skills")


class Household(Peer):
    """Decides in place of action_selector, and watches the world."""

    def __init__(self, graph: RunningGraph) -> None:
        super().__init__(DOMAIN)
        self.outcomes, self.clock = self.hear("outcome"), self.hear("/clock")
        self.worlds, self.contexts = self.hear("world_state"), self.hear("context")
        self.beliefs, self.number = self.speaker("action_belief"), 0
        self.node.create_timer(0.2, graph.poll)

    def outcome_of(self, name: str, theme: str) -> Any:
        self.number += 1
        chosen = ActionCandidate(0, Action(name, (("theme", theme),)), 1.0, 1.0, 1.0, 1.0)
        utterance, now = f"u{self.number}", self.clock[-1].clock
        self.beliefs.publish(to_message(ActionBelief(utterance, now.sec + now.nanosec * 1e-9, (chosen,), "execute", "100% sure")))
        return self.until(lambda: next((each for each in self.outcomes if each.utterance_id == utterance), None), 120.0)


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    log, speed = tmp_path_factory.mktemp("log"), {"simulation": {"real_time_factor": 3.0}}
    with RunningGraph("sim", nodes=NODES, env=environment(DOMAIN), log_dir=log, parameters=speed) as graph:
        graph.wait_active(240)
        made = Household(graph)
        made.until(lambda: made.clock and made.worlds)
        yield made
        made.close()


def test_the_fridge_is_opened_and_the_robot_knows_it_afterwards(household: Household) -> None:
    assert "closed(fridge)" in household.worlds[-1].facts
    outcome = household.outcome_of("open", "fridge")
    assert outcome.succeeded, outcome.reason
    household.until(lambda: "open(fridge)" in household.worlds[-1].facts, 5.0)
    household.until(lambda: list(household.contexts[-1].facts) == ["open(fridge)"], 5.0)
    again = household.outcome_of("open", "fridge")
    assert (again.succeeded, again.reason) == (True, "The fridge is open.")


def test_the_gripper_answers_over_the_service_why_not(household: Household) -> None:
    household.until(lambda: household.worlds)
    answer = household.call("grip", Grip.Request(command="switch_on"))
    assert (answer.success, answer.message) == (False, "no switch is within 10 cm of the target")
