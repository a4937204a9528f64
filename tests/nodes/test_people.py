"""People over ROS: the simulation's tracker, the skills and the planner follow and guide them; a stop and a new command end it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from deciding import Decider
from patience import PATIENCE
from ros_nodes import environment
from sayso.domain import load_domain
from sayso.paths import config_dir
from sayso_nodes.conversions import from_message
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 62
NODES = ("simulation", "motion_gate", "planner", "skills")
HOME = load_domain()


class Bystander(Decider):
    """Sees where everybody is as well."""

    def __init__(self, graph: RunningGraph) -> None:
        super().__init__(DOMAIN, graph)
        self.worlds, self.people = self.hear("world_state"), self.hear("people")
        self.words, self.velocities = self.hear("speech"), self.hear("cmd_vel")

    def apart(self, person: str) -> float:
        world = self.worlds[-1]
        at = world.people_positions[list(world.people).index(person)]
        return math.hypot(world.x - at.x, world.y - at.y)

    def is_over(self, utterance: str) -> bool:
        """Whether that command has just ended."""
        return bool(self.outcomes) and self.outcomes[-1].utterance_id == utterance


@pytest.fixture(scope="module")
def bystander(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bystander]:
    """A home whose speaker walks up and down between two rooms."""
    folder = tmp_path_factory.mktemp("home")
    scene = (
        f"include: [{config_dir() / 'scenes' / 'apartment.yaml'}]\npeople:\n  operator: {{at: [4.3, 3.4], walks: [sofa, dining_table]}}\n"
    )
    (folder / "scene.yaml").write_text(scene, encoding="utf-8")
    (folder / "home.yaml").write_text(f"include: [{config_dir() / 'home.yaml'}]\nscene: scene.yaml\n", encoding="utf-8")
    parameters = {"simulation": {"real_time_factor": 1.0}}
    with RunningGraph(
        "sim", nodes=NODES, domain_file=folder / "home.yaml", env=environment(DOMAIN), log_dir=folder, parameters=parameters
    ) as graph:
        graph.wait_active(PATIENCE)
        made = Bystander(graph)
        made.until(lambda: made.clock and made.worlds)
        yield made
        made.close()


def test_the_tracker_reports_only_whom_the_robot_can_see(bystander: Bystander) -> None:
    seen = from_message(bystander.until(lambda: bystander.people)[-1])
    assert set(seen.people) < set(HOME.people)
    assert {"anna", "carla"}.isdisjoint(seen.people)  # behind walls
    assert set(bystander.worlds[-1].people) == set(HOME.people)


@pytest.mark.long("acts out one more errand")  # tests/evaluation guides one in the gate
def test_a_person_is_guided_and_hears_the_robot(bystander: Bystander) -> None:
    outcome = bystander.outcome(bystander.command("guide", recipient="anna", goal="living_room"))
    assert outcome.succeeded, outcome.reason
    assert [word.data for word in bystander.words] == ["Anna, please come with me to the living room.", "Here we are: the living room."]
    assert bystander.apart("anna") < 2.3


def test_following_is_done_when_another_command_takes_its_place(bystander: Bystander) -> None:
    follow = bystander.command("follow", recipient="operator")
    bystander.until(lambda: bystander.is_over(follow) or bystander.apart("operator") < 1.8)
    bystander.spin(5.0)
    assert not bystander.is_over(follow), bystander.outcomes[-1].reason
    assert bystander.apart("operator") < 2.6
    bystander.command("cancel")
    outcome = bystander.outcome(follow)
    assert outcome.succeeded
    assert outcome.action == "follow(recipient=operator)"


def test_told_to_stop_while_it_follows_it_stands_and_has_followed(bystander: Bystander) -> None:
    follow = bystander.command("follow", recipient="operator")
    bystander.until(lambda: bystander.is_over(follow) or bystander.velocities[-1].linear.x > 0.1)
    assert not bystander.is_over(follow), bystander.outcomes[-1].reason
    assert bystander.call("stop").success
    outcome = bystander.outcome(follow)
    assert outcome.succeeded
    bystander.velocities.clear()
    bystander.spin(0.5)
    assert not any(each.linear.x or each.angular.z for each in bystander.velocities)
