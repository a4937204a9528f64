"""action_selector over DDS keeps the agenda: starts what is due, lists it, takes it back, survives a restart; and `sayso tasks`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.parameter import Parameter
from sayso_msgs.srv import Tasks
from std_msgs.msg import Bool
from typer.testing import CliRunner

from hand_made import belief, clause, role
from patience import PATIENCE
from ros_nodes import Peer, environment, one_at_a_time, peer
from sayso.agenda import AgendaFile, DeferredTask, Observable, StandingRule
from sayso.domain import load_domain
from sayso.representation import Modifiers, Timing
from sayso.subcommands import build_app
from sayso.types import Action, Context, Outcome, PlanState
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.nodes.action_selector import ActionSelectorNode
from sayso_nodes.running.processes import RunningGraph

pytestmark = pytest.mark.ros
DOMAIN = 86
EMPTY = 60  # where no node has been
HOME = load_domain()
KITCHEN = Action("go_to", (("goal", "kitchen"),))
BED = clause(HOME, "go_to", role("goal", "the bed", "bed", kind="place"))
RULE = StandingRule("2", "u2", "never go into the bedroom", "go to the bedroom", "go_to", (("goal", "bedroom"),), 1.0)
Start = Callable[..., Any]


@pytest.fixture
def user() -> Iterator[Peer]:
    with peer(DOMAIN) as made:
        yield made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agenda.sqlite"


@pytest.fixture
def start(user: Peer, path: Path) -> Iterator[Start]:
    with one_at_a_time(
        user, lambda: ActionSelectorNode(context=user.context, parameter_overrides=[Parameter("agenda", value=str(path))])
    ) as start:
        yield start


def task(seconds: float, number: int = 1, **fields: Any) -> DeferredTask:
    """A task that is due in so many seconds."""
    now = time.time()
    return DeferredTask(str(number), "u1", "go to the kitchen …", "go to the kitchen", (KITCHEN,), now, now, due=now + seconds, **fields)


def listed(user: Peer, command: str = "list", which: str = "") -> list[tuple[str, str, str]]:
    response = user.call("tasks", Tasks.Request(command=command, id=which))
    assert response.success, response.message
    return [(entry.id, entry.what, entry.state) for entry in map(from_message, response.entries)]


def written(path: Path) -> dict[str, str]:
    return {entry.id: entry.state for entry in AgendaFile(path).read(HOME.name)}


def test_a_task_of_an_earlier_run_is_carried_out_when_it_is_due(user: Peer, start: Start, path: Path) -> None:
    AgendaFile(path).write(HOME.name, [task(2.5), RULE])
    start()
    decided, questions = user.hear("action_belief"), user.hear("question")
    assert listed(user) == [("1", "go to the kitchen", "waiting"), ("2", "not go to the bedroom", "in force")]
    begun = from_message(user.until(lambda: decided and decided[0]))
    assert (begun.decision, begun.chosen) == ("execute", (KITCHEN,))
    assert begun.notes == ("due: task 1, said “go to the kitchen …”",)
    user.until(lambda: questions)
    assert questions[0].data == "It is time: I will go to the kitchen."
    assert listed(user, "list_all")[0] == ("1", "go to the kitchen", "done")
    user.until(lambda: written(path) == {"1": "done", "2": "in force"})
    outcomes = user.speaker("outcome")
    outcomes.publish(to_message(Outcome(begun.utterance_id, 1.0, False, "", "the way is blocked")))
    user.until(lambda: written(path)["1"] == "missed")
    start()
    user.spin(1.0)
    assert len(decided) == 1


def test_in_two_seconds_is_kept_over_a_restart_and_then_carried_out(user: Peer, start: Start, path: Path) -> None:
    node = start()
    decided, questions = user.hear("action_belief"), user.hear("question")
    later = Modifiers(timings=(Timing("in", "in two seconds", 0, 0, 2.0),))
    said = belief(HOME, replace(clause(HOME, "go_to", role("goal", "the kitchen", "kitchen", kind="place")), modifiers=later))
    said = replace(said, utterance_id="one", text="go to the kitchen in two seconds", stamp=node.seconds())
    node.later(lambda: node.take(said, None))
    user.until(lambda: decided and questions)
    assert (decided[0].decision, questions[0].data) == ("defer", "All right: in 2 seconds I will go to the kitchen.")
    user.until(lambda: path.exists() and written(path) == {"1": "waiting"})
    start()
    begun = from_message(user.until(lambda: len(decided) == 2 and decided[1]))
    assert (begun.decision, begun.chosen) == ("execute", (KITCHEN,))
    assert begun.stamp >= said.stamp + 2.0
    user.until(lambda: written(path) == {"1": "done"})


def test_it_waits_until_the_robot_is_free(user: Peer, start: Start, path: Path) -> None:
    AgendaFile(path).write(HOME.name, [task(60.0, trigger=Observable("seen", "anna", text="Anna comes")), task(1.0, 2)])
    start()
    decided, plans = user.hear("action_belief"), user.speaker("plan_state")
    plans.publish(to_message(PlanState("other", 1.0, "bring()", "running")))
    user.until(lambda: listed(user) == [("1", "go to the kitchen", "waiting"), ("2", "go to the kitchen", "due")])
    user.spin(1.0)
    assert not decided
    plans.publish(to_message(PlanState("other", 1.0, "bring()", "succeeded")))
    user.until(lambda: decided)


def test_an_event_of_the_context_starts_a_task(user: Peer, start: Start, path: Path) -> None:
    AgendaFile(path).write(HOME.name, [task(0.0, trigger=Observable("seen", "anna", event=True, text="Anna comes"))])
    start()
    decided, situation = user.hear("action_belief"), user.speaker("context")
    situation.publish(to_message(Context(stamp=1.0, visible=())))
    user.spin(1.2)
    assert not decided
    situation.publish(to_message(Context(stamp=2.0, visible=("anna",))))
    user.until(lambda: decided)


def test_while_stopped_nothing_begins(user: Peer, start: Start, path: Path) -> None:
    AgendaFile(path).write(HOME.name, [task(1.5)])
    start()
    decided, stopped = user.hear("action_belief"), user.speaker("stopped")
    stopped.publish(Bool(data=True))
    told = from_message(user.until(lambda: decided and decided[0]))
    assert (told.decision, told.question) == ("answer", "I did not go to the kitchen: the robot was stopped.")
    stopped.publish(Bool(data=False))
    user.spin(1.2)
    assert len(decided) == 1


def test_a_rule_is_asked_about_over_dds(user: Peer, start: Start, path: Path) -> None:
    AgendaFile(path).write(HOME.name, [RULE])
    node = start()
    decided, commands = user.hear("action_belief"), user.speaker("intent_belief")
    commands.publish(to_message(replace(belief(HOME, BED), utterance_id="one", text="go to the bed", stamp=node.seconds())))
    asked = from_message(user.until(lambda: decided and decided[0]))
    assert asked.question == "You told me not to go to the bedroom. Shall I go to the bed anyway?"
    commands.publish(to_message(replace(belief(HOME, BED), utterance_id="two", text="yes", stamp=node.seconds())))
    user.until(lambda: len(decided) == 2)
    assert decided[1].decision == "execute"


def test_taking_back_by_a_program_and_by_another_process(user: Peer, start: Start, path: Path) -> None:
    AgendaFile(path).write(HOME.name, [task(60.0), RULE, task(60.0, 3)])
    start()
    assert listed(user, "take_back", "1") == [("1", "go to the kitchen", "waiting")]
    assert written(path) == {"1": "taken back", "2": "in force", "3": "waiting"}
    response = user.call("tasks", Tasks.Request(command="take_back", id="1"))
    assert (response.success, response.message) == (False, "no open task or rule has the id '1'")
    AgendaFile(path).take_back(HOME.name, "3", "by hand")
    user.until(lambda: listed(user) == [("2", "not go to the bedroom", "in force")])
    assert len(listed(user, "list_all")) == 3


def test_a_damaged_agenda_is_no_reason_not_to_start(user: Peer, start: Start, path: Path) -> None:
    path.write_bytes(b"not a database at all")
    start()
    assert listed(user) == []
    diagnoses: list[Any] = []
    user.node.create_subscription(DiagnosticArray, "/diagnostics", diagnoses.append, 10)
    (aside,) = path.parent.glob("agenda.sqlite.corrupt-*")
    user.until(lambda: any(("damaged agenda", str(aside)) == (each.key, each.value) for each in _values(diagnoses)))


def _values(diagnoses: list[Any]) -> list[Any]:
    return [value for message in diagnoses for status in message.status for value in status.values]


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(build_app(), ["tasks", *arguments], env={"COLUMNS": "160"})
    return done.exit_code, done.stdout if done.exception is None or isinstance(done.exception, SystemExit) else str(done.exception)


def test_sayso_tasks_reads_and_changes_a_file(path: Path) -> None:
    AgendaFile(path).write(HOME.name, [task(3600.0), RULE])
    code, text = run("--file", str(path))
    assert code == 0
    assert [line.split("  ")[0].strip() for line in text.splitlines()] == ["id", "1", "2"]
    assert "not go to the bedroom  always" in text
    assert run("take-back", "--file", str(path), "7") == (1, f"no open task or rule has the id '7' ({path})")
    code, text = run("take-back", "--file", str(path), "1")
    assert code == 0
    assert text.startswith("taken back: go to the kitchen ")
    rows = json.loads(run("--file", str(path), "--json", "--all")[1])
    assert [(row["id"], row["state"], row["due"] is None) for row in rows] == [("1", "taken back", False), ("2", "in force", True)]
    assert "taken back by a program" in run("--file", str(path), "--all")[1]
    AgendaFile(path).write("cabin", [replace(RULE, id="2")])
    assert run("take-back", "2", "--file", str(path)) == (
        1,
        f"cabin and {HOME.name} have an open entry of the id '2': name one with --home",
    )
    assert json.loads(run("take-back", "2", "--file", str(path), "--home", "cabin", "--json")[1])[0]["what"] == "not go to the bedroom"
    assert run("take-back", "all", "--file", str(path)) == (0, "taken back: not go to the bedroom\n")
    assert run("take-back", "all", "--file", str(path)) == (0, "there is nothing to take back\n")
    assert run("--file", str(path)) == (0, "there is nothing to do later, and no standing rule\n")
    assert run("--file", str(path.with_name("none"))) == (1, f"{path.with_name('none')}: no such file")
    path.write_bytes(b"not a database at all")
    assert run("--file", str(path))[1].endswith("the robot sets it aside when it starts")


def test_sayso_tasks_without_nodes_reads_the_users_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", str(EMPTY))
    assert run() == (1, "no nodes run, and there is no file because $SAYSO_AGENDA is empty: name one with --file")
    monkeypatch.setenv("SAYSO_AGENDA", str(path))
    AgendaFile(path).write(HOME.name, [task(3600.0)])
    assert "go to the kitchen" in run()[1]


def test_sayso_tasks_asks_the_running_nodes(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    AgendaFile(path).write(HOME.name, [task(3600.0), RULE])
    monkeypatch.setenv("ROS_DOMAIN_ID", str(DOMAIN))
    parameters = {"action_selector": {"agenda": str(path)}}
    with RunningGraph(
        "robot", nodes=("action_selector",), parameters=parameters, env=environment(DOMAIN), log_dir=tmp_path, namespace="robot1"
    ) as graph:
        graph.wait_active(PATIENCE)
        assert [row["id"] for row in json.loads(run("--json", "--namespace", "robot1")[1])] == ["1", "2"]
        assert run("take-back", "2", "--namespace", "robot1") == (0, "taken back: not go to the bedroom\n")
        assert run("take-back", "2", "--namespace", "robot1") == (1, "no open task or rule has the id '2'")
    assert written(path) == {"1": "waiting", "2": "taken back"}
