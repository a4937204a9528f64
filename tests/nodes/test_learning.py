"""The planner over DDS learns from every outcome, keeps it in the memory file and plans with it after a restart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter

from ros_nodes import Peer, one_at_a_time, peer
from sayso.domain import load_domain
from sayso.planning.belief import begin
from sayso.planning.trial_file import TrialFile
from sayso.planning.trials import Tried
from sayso.types import Action, Context, SkillCall, SkillOutcome
from sayso_nodes.nodes.planner import PlannerNode

pytestmark = pytest.mark.ros
DOMAIN = 83
HOME = load_domain()
PICK, DRIVE = SkillCall("pick", (("theme", "red_cup"),)), SkillCall("navigate_to", (("goal", "desk"),))
BELIEF = begin(
    HOME,
    Action("find", (("theme", "red_cup"),)),
    Context(x=HOME.places["counter"].pose[0], y=HOME.places["counter"].pose[1], place="counter"),
)


@pytest.fixture
def user() -> Iterator[Peer]:
    with peer(DOMAIN) as made:
        yield made


@pytest.fixture
def start(user: Peer) -> Iterator[Callable[[Path], Any]]:
    with one_at_a_time(
        user, lambda path: PlannerNode(context=user.context, parameter_overrides=[Parameter("memory", value=str(path))])
    ) as start:
        yield start


def success(node: Any) -> float:
    return float(node.learning.experience.expected_success(Tried("pick", "red_cup", "counter"), 0.9))


def test_what_a_planner_has_learnt_the_next_one_knows(user: Peer, start: Callable[[Path], Any], tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    node = start(path)
    x, y, _ = HOME.places["desk"].pose
    beside = Context(stamp=40.0, x=x + 1.0, y=y)
    for number in range(5):
        node.learning.learn(BELIEF, SkillOutcome(PICK, succeeded=False, reason="slipped", seconds=9.0), ("u1", 10.0 + number), beside)
    node.learning.learn(BELIEF, SkillOutcome(PICK, succeeded=False, interrupted=True), ("u1", 20.0), beside)
    for began in (30.0, 50.0):  # after the second drive the robot has not told where it is
        node.learning.learn(BELIEF, SkillOutcome(DRIVE, succeeded=True, seconds=9.0), ("u1", began), beside)
    learnt = success(node)
    assert learnt < 0.6
    user.until(lambda: len(TrialFile(path).read()) == 7)
    assert [trial.ended for trial in TrialFile(path).read()[5:]] == [(x + 1.0, y), None]
    assert TrialFile(path).read()[0].place == "counter"
    again = start(path)
    user.until(lambda: success(again) == pytest.approx(learnt))
    assert again.learning.experience.ends["desk"].mean == pytest.approx((0.25, 0.0))


def test_a_damaged_memory_is_a_warning_and_the_constants_count(user: Peer, start: Callable[[Path], Any], tmp_path: Path) -> None:
    path = tmp_path / "memory.sqlite"
    path.write_bytes(b"this is no database" * 300)
    node = start(path)
    heard = user.hear("/diagnostics")

    def warned() -> bool:
        found = [each.status[0] for each in heard if each.status[0].name.endswith("planner")]
        return any(each.level == DiagnosticStatus.WARN and "is damaged" in each.message for each in found)

    user.until(warned)
    assert success(node) == 0.9
