"""Skills of one's own beside the skills node: a plug-in in Python, and action servers of one skill each, over DDS."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from sayso_msgs.action import ExecuteSkill

from deciding import Decider
from patience import PATIENCE
from ros_nodes import environment, peer
from sayso.paths import project_root
from sayso_nodes.running.processes import RunningGraph

pytestmark = [pytest.mark.ros, pytest.mark.end_to_end]
DOMAIN = 51
NODES = ("simulation", "motion_gate", "planner", "skills")
EXAMPLES = project_root() / "examples" / "skills"
WAITS = 3.0  # s; the planner's patience
TIMEOUT = 3.0  # s, the same
HERE = {"goal": "bedroom"}  # where the robot is after the example: no drive

PLUGINS = """
from sayso.robot import Step, own_skill

@own_skill
def spin(body):
    while True:
        body.robot.drive(0.0, 1.0)
        yield Step("spinning")

@own_skill
def race(body):
    body.robot.drive(float("nan"), 0.0)
    yield Step("racing")

@own_skill
def crash(body):
    body.robot.drive(0.0, 1.0)
    yield Step("crashing")
    raise KeyError("wheel")

@own_skill
def block(body):
    import time
    body.robot.drive(0.0, 1.0)
    yield Step("turning")
    time.sleep(120)
"""
OF_ONE_S_OWN = ("spin", "race", "crash", "block")


class Commander(Decider):
    """Also hears what the robot says, and what nobody serves."""

    def __init__(self, graph: RunningGraph) -> None:
        super().__init__(DOMAIN, graph)
        self.states, self.velocities = self.hear("plan_state"), self.hear("cmd_vel")
        self.words, self.diagnoses, self.stopped = self.hear("speech"), self.hear("/diagnostics"), self.hear("stopped")

    def command(self, name: str, **arguments: str) -> str:
        self.states.clear()
        return super().command(name, **arguments)

    def unserved(self) -> tuple[str, ...]:
        """What nobody serves, as the planner says in its diagnostics."""
        values = [
            {each.key: each.value for each in status.values}
            for message in self.diagnoses
            for status in message.status
            if status.name == "sayso: planner"
        ]
        return tuple(values[-1].get("skills that nobody serves", "?").split(", ")) if values else ("?",)

    @property
    def said(self) -> list[str]:
        """What the robot has said."""
        return [word.data for word in self.words]

    def turns(self) -> bool:
        return bool(self.velocities) and abs(self.velocities[-1].angular.z) > 0.05

    def rests(self) -> bool:
        self.velocities.clear()
        self.spin(0.5)
        return not any(each.linear.x or each.angular.z for each in self.velocities)


def home(folder: Path) -> Path:
    """The example's home with skills that misbehave, and with vacuuming that takes a second."""
    skills = "".join(f"  {name}: {{effects: [{name}ed()], seconds: 1}}\n" for name in (*OF_ONE_S_OWN, "fly"))
    actions = "".join(f"  {name}: {{goal: [{name}ed()], say: {name}, wrong: 1}}\n" for name in (*OF_ONE_S_OWN, "fly"))
    text = (EXAMPLES / "home.yaml").read_text(encoding="utf-8").replace("seconds: 300", "seconds: 1")
    made = folder / "home.yaml"
    made.write_text(text.replace("skills:\n", f"skills:\n{skills}").replace("actions:\n", f"actions:\n{actions}"), encoding="utf-8")
    (folder / "plugins.py").write_text(PLUGINS, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def commander(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commander]:
    folder = tmp_path_factory.mktemp("home")
    parameters = {
        "simulation": {"real_time_factor": 2.0},
        "planner": {"patience": WAITS, "skill_timeout": TIMEOUT},
        "skills": {"plugins": [str(EXAMPLES / "wave.py"), str(folder / "plugins.py")]},
    }
    with RunningGraph(
        "sim", nodes=NODES, domain_file=home(folder), env=environment(DOMAIN), log_dir=folder, parameters=parameters
    ) as graph:
        graph.wait_active(PATIENCE)
        made = Commander(graph)
        made.until(lambda: made.clock)
        yield made
        made.close()


@pytest.fixture(autouse=True)
def _free_to_move(commander: Commander) -> None:
    """A test that fails while the robot is stopped must not fail the next ones."""
    if commander.stopped and commander.stopped[-1].data:
        assert commander.call("resume").success
        commander.spin(0.5)


def found(commander: Commander, skill: str = "vacuum", number: int = 1) -> None:
    """Wait until the servers are there, for the planner too."""
    commander.until(lambda: commander.node.count_services(f"skill/{skill}/_action/send_goal") == number)
    commander.spin(2.5 if skill == "say" else 0.2)  # the skills node has that one too
    commander.until(lambda: skill not in commander.unserved())


def gone(commander: Commander, skill: str = "vacuum") -> None:
    """Wait until the planner no longer expects a server back: DDS notices a death by SIGKILL late."""
    commander.until(lambda: not commander.node.count_services(f"skill/{skill}/_action/send_goal"))
    commander.spin(WAITS + 2.0 if skill == "say" else 0.2)
    commander.until(lambda: skill == "say" or skill in commander.unserved())


@contextmanager
def serving(
    commander: Commander,
    execute: Callable[[Any], Any],
    skill: str = "vacuum",
    goal: GoalResponse = GoalResponse.ACCEPT,
    number: int = 1,
) -> Iterator[None]:
    """Foreign servers of one skill in a thread of this process, until they are left."""
    with peer(DOMAIN) as other:
        options = {
            "goal_callback": lambda _: goal,
            "cancel_callback": lambda _: CancelResponse.ACCEPT,
            "callback_group": ReentrantCallbackGroup(),
        }
        servers = [ActionServer(other.node, ExecuteSkill, f"skill/{skill}", execute, **options) for _ in range(number)]
        other.executor.remove_node(other.node)
        executor = MultiThreadedExecutor(3, context=other.context)
        executor.add_node(other.node)
        Thread(target=executor.spin, daemon=True).start()
        found(commander, skill, number)
        try:
            yield
        finally:
            executor.shutdown(1.0)
            for server in servers:
                server.destroy()
    gone(commander, skill)


def test_the_plug_in_of_the_example_waves(commander: Commander) -> None:
    outcome = commander.outcome_of("wave", recipient="operator")
    assert outcome.succeeded, outcome.reason
    commander.until(lambda: any(word.data.startswith("Hello") for word in commander.words))


def test_a_skill_that_nobody_serves_is_declined_at_once_and_nothing_moves(commander: Commander) -> None:
    def declined() -> tuple[str, Any, float]:
        began = time.monotonic()
        utterance = commander.command("vacuum", goal="bedroom")
        return utterance, commander.outcome(utterance), time.monotonic() - began

    utterance, outcome, seconds = commander.undisturbed(declined, longest=0.5)
    assert seconds < 5.0
    assert not outcome.succeeded
    assert outcome.reason == "I can't vacuum the bedroom: this robot has no skill 'vacuum'."
    commander.until(lambda: outcome.reason in commander.said)
    assert commander.rests()
    assert not any(state.ahead or state.done for state in commander.states if state.utterance_id == utterance)


def test_the_log_says_once_which_skills_nobody_serves_and_how_to_mend_it(commander: Commander) -> None:
    log = Path(commander.graph.log_dir or "") / "planner.log"
    commander.until(lambda: "nobody serves the skills" in log.read_text())
    line = next(line for line in log.read_text().splitlines() if "nobody serves the skills" in line)
    assert "fly" in line
    assert "serve the action" in line
    assert "docs/robots.md" in line


@pytest.mark.parametrize(
    ("name", "reason"),
    [("crash", "plugins.py failed: KeyError: 'wheel'"), ("race", "a skill asks for the speed nan m/s")],
)
def test_a_plug_in_that_fails_ends_the_command_with_the_reason_and_the_robot_rests(commander: Commander, name: str, reason: str) -> None:
    outcome = commander.outcome_of(name)
    assert not outcome.succeeded
    assert reason in outcome.reason
    commander.until(lambda: any(reason in said for said in commander.said))
    assert commander.rests()
    assert commander.outcome_of("wave", recipient="operator").succeeded


def test_a_plug_in_that_never_ends_is_ended_by_a_stop(commander: Commander) -> None:
    utterance, before = commander.command("spin"), commander.said
    commander.until(commander.turns)
    assert commander.call("stop").success
    assert "told to stop" in commander.outcome(utterance).reason
    assert commander.rests()
    assert commander.said == before  # the person knows; and the robot hears its own voice
    assert commander.call("resume").success
    commander.spin(0.5)


def test_a_plug_in_that_blocks_its_node_leaves_the_robot_at_rest_and_the_next_command_works(commander: Commander) -> None:
    signs = commander.hear("alive", publishers=2)
    commander.until(lambda: any(sign.key == "skills" for sign in signs))
    life = next(sign.value for sign in signs if sign.key == "skills")
    utterance = commander.command("block")
    assert "was lost" in commander.outcome(utterance).reason
    assert commander.rests()
    commander.until(lambda: any(sign.key == "skills" and sign.value != life for sign in signs))  # the node that hung is started again
    commander.spin(1.0)
    assert commander.outcome(commander.command("go_to", goal="kitchen")).succeeded


@contextmanager
def example_server(seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """The example as a user starts it."""
    command = [sys.executable, str(EXAMPLES / "vacuum_server.py"), "--ros-args", "-p", f"seconds:={seconds}"]
    process = subprocess.Popen(command, env={**os.environ, **environment(DOMAIN)})
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)  # it leaves the graph by itself: DDS notices a death by SIGKILL late
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.mark.long("acts out one more errand")
def test_the_action_server_of_the_example_is_found_while_the_robot_runs_and_the_planner_drives_there(commander: Commander) -> None:
    with example_server(1.0):
        found(commander)
        outcome = commander.outcome_of("vacuum", goal="bedroom")
        assert outcome.succeeded, outcome.reason
        commander.until(lambda: [call.name for call in commander.states[-1].done] == ["navigate_to", "vacuum"])
    gone(commander)
    assert "this robot has no skill 'vacuum'" in commander.outcome_of("vacuum", goal="kitchen").reason


def vacuuming(commander: Commander) -> str:
    """Wait until the robot vacuums where it is; the utterance that asked for it."""
    found(commander)
    utterance = commander.command("vacuum", **HERE)
    commander.until(lambda: any(state.ahead and state.ahead[0].name == "vacuum" for state in commander.states))
    return utterance


def test_a_stop_cancels_a_foreign_skill(commander: Commander) -> None:
    with example_server(60.0):
        utterance = vacuuming(commander)
        commander.spin(1.0)
        assert commander.call("stop").success
        assert "told to stop" in commander.outcome(utterance).reason
        assert commander.call("resume").success
    gone(commander)


def ends_with(**fields: Any) -> Callable[[Any], Any]:
    def execute(goal: Any) -> Any:
        goal.succeed() if fields.get("succeeded") else goal.abort()
        return ExecuteSkill.Result(**fields)

    return execute


def empty(goal: Any) -> Any:
    goal.succeed()
    return ExecuteSkill.Result()


def endless(goal: Any) -> Any:
    while not goal.is_cancel_requested:
        time.sleep(0.02)
    goal.canceled()
    return ExecuteSkill.Result()


SEEN = threading.Event()


def deaf(goal: Any) -> Any:
    SEEN.wait(PATIENCE)  # longer than the planner waits
    goal.abort()
    return ExecuteSkill.Result()


ANSWERS = [
    (ends_with(succeeded=True, seconds=math.nan, reason="done\nand done"), True, ""),
    (ends_with(succeeded=False, reason="the bag\nis full"), False, "I could not vacuum: the bag is full"),
    (ends_with(succeeded=False, seconds=-math.inf, reason=""), False, "the server of skill/vacuum gave no reason"),
    (ends_with(succeeded=False, reason="x" * 100_000), False, "x" * 300),
    (empty, False, "ended the goal, but did not set `succeeded` in its result"),
]


def test_what_a_foreign_server_answers_is_taken_if_it_makes_sense_and_reported_if_not(commander: Commander) -> None:
    given = list[Callable[[Any], Any]]()

    def answer(goal: Any) -> Any:
        return given[-1](goal)

    with serving(commander, answer):
        for execute, succeeded, reason in ANSWERS:
            given.append(execute)
            outcome = commander.outcome_of("vacuum", **HERE)
            assert outcome.succeeded == succeeded, outcome.reason
            assert reason in outcome.reason
            assert len(outcome.reason) < 500


@pytest.mark.long("kills, freezes or starves processes")
def test_a_foreign_server_that_always_refuses_fails_the_command_with_that_reason(commander: Commander) -> None:
    with serving(commander, empty, goal=GoalResponse.REJECT):
        assert commander.outcome_of("vacuum", **HERE).reason == "the server of skill/vacuum refuses to begin"


@pytest.mark.long("kills, freezes or starves processes")
def test_a_foreign_skill_that_never_ends_is_cancelled_after_its_time(commander: Commander) -> None:
    with serving(commander, endless):
        assert commander.outcome_of("vacuum", **HERE).reason == "the server of skill/vacuum did not end within 4 s"
    assert commander.outcome_of("wave", recipient="operator").succeeded


def test_a_foreign_skill_that_does_not_end_when_cancelled_closes_the_motion_gate(commander: Commander) -> None:
    with serving(commander, deaf):
        assert "did not end within 4 s" in commander.outcome_of("vacuum", **HERE).reason
        commander.until(lambda: commander.stopped[-1].data)
        SEEN.set()
    assert commander.call("resume").success
    commander.spin(0.5)


def test_two_servers_of_one_skill_get_no_goal(commander: Commander) -> None:
    with serving(commander, ends_with(succeeded=True), number=2):
        assert commander.outcome_of("vacuum", **HERE).reason == "2 nodes serve skill/vacuum: end all but one"


@pytest.mark.long("kills, freezes or starves processes")
def test_a_foreign_server_that_does_not_spin_is_given_up(commander: Commander) -> None:
    with peer(DOMAIN) as other:
        server = ActionServer(other.node, ExecuteSkill, "skill/vacuum", empty)
        found(commander)
        assert commander.outcome(commander.command("vacuum", **HERE)).reason == "the server of skill/vacuum does not answer"
        server.destroy()
    gone(commander)


@pytest.mark.long("kills, freezes or starves processes")
def test_a_stop_ends_the_wait_for_a_foreign_server_that_does_not_answer(commander: Commander) -> None:
    with peer(DOMAIN) as other:
        server = ActionServer(other.node, ExecuteSkill, "skill/vacuum", empty)
        utterance, before = vacuuming(commander), commander.said
        commander.spin(1.0)
        assert commander.call("stop").success
        assert "told to stop" in commander.outcome(utterance).reason
        assert commander.said == before
        assert commander.call("resume").success
        server.destroy()
    gone(commander)


@pytest.mark.long("kills, freezes or starves processes")
def test_a_server_whose_skill_the_home_does_not_have_is_named_in_the_log(commander: Commander) -> None:
    log = Path(commander.graph.log_dir or "") / "planner.log"
    with peer(DOMAIN) as other:
        server = ActionServer(other.node, ExecuteSkill, "skill/vacum", empty)
        commander.until(lambda: "skill/vacum is served, but the home has no skill 'vacum': add it, or rename the action" in log.read_text())
        server.destroy()


def test_a_server_of_its_own_goes_before_the_skills_node_which_takes_over_when_it_is_gone(commander: Commander) -> None:
    taken: list[str] = []

    def execute(goal: Any) -> Any:
        taken.append(goal.request.call.argument_values[0])
        goal.succeed()
        return ExecuteSkill.Result(succeeded=True)

    with serving(commander, execute, skill="say"):
        assert commander.outcome_of("repeat", message="hello there").succeeded
    assert taken == ["hello there"]
    assert commander.outcome_of("repeat", message="good bye").succeeded
    assert (len(taken), commander.words[-1].data) == (1, "good bye")


@pytest.mark.timed  # the last one of the file: DDS takes 20 s to notice the death
def test_the_death_of_a_foreign_server_is_noticed_by_its_signs_of_life(commander: Commander) -> None:
    with example_server(60.0) as process:
        utterance = vacuuming(commander)
        commander.spin(1.5)
        process.kill()
        killed = time.monotonic()
        outcome = commander.outcome(utterance)
        assert time.monotonic() - killed < 5.0
        assert outcome.reason == "the server of skill/vacuum was lost"
    assert commander.outcome_of("wave", recipient="operator").succeeded
