"""action_selector over DDS stores answers in its memory file and reports the file's state in its diagnostics."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.parameter import Parameter
from sayso_msgs.srv import Answer

from hand_made import CUPS, belief, clause, role
from kept_state import TASK
from ros_nodes import Peer, one_at_a_time, peer
from sayso import state_file
from sayso.agenda.file import AgendaFile
from sayso.domain import load_domain
from sayso.selection.memory.memory_file import MemoryFile
from sayso.types import Context
from sayso_nodes.conversions import from_message, to_message
from sayso_nodes.nodes.action_selector import ActionSelectorNode
from small_disk import small_disk

pytestmark = pytest.mark.ros
DOMAIN = 81
HOME = load_domain()
CUP = clause(HOME, "bring", role("theme", "the cup", *CUPS))
Start = Callable[[], Any]


@pytest.fixture
def user() -> Iterator[Peer]:
    with peer(DOMAIN) as made:
        yield made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


@pytest.fixture
def start(user: Peer, path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setattr(state_file, "RETRY_AFTER", 0.0)
    with one_at_a_time(
        user, lambda: ActionSelectorNode(context=user.context, parameter_overrides=[Parameter("memory", value=str(path))])
    ) as start:
        yield start


def ask_for_a_cup(user: Peer, name: str) -> Any:
    """The selector's belief about "bring me the cup", said in the kitchen."""
    decided, commands, situation = user.hear("action_belief"), user.speaker("intent_belief"), user.speaker("context")
    situation.publish(to_message(Context(stamp=12.0, place="kitchen_table")))
    user.spin(0.1)
    commands.publish(to_message(replace(belief(HOME, CUP), utterance_id=name)))
    user.until(lambda: any(each.utterance_id == name for each in decided))
    return from_message(decided[-1])


def answer(user: Peer, text: str) -> None:
    assert user.call("answer", Answer.Request(text=text)).accepted


def written(path: Path) -> list[str]:
    return [each.utterance_id for each in MemoryFile(path).read()]


def status(user: Peer) -> Callable[[], DiagnosticStatus | None]:
    """The last diagnosis of the selector."""
    heard = user.hear("/diagnostics")
    return lambda: next((each.status[0] for each in reversed(heard) if each.status[0].name.endswith("action_selector")), None)


def test_an_answer_is_known_after_a_restart_and_changes_the_prior(user: Peer, start: Start, path: Path) -> None:
    start()
    before = ask_for_a_cup(user, "one")
    answer(user, "the red one")
    user.until(lambda: written(path) == ["one"])
    assert MemoryFile(path).read()[0].situation.room == "kitchen"
    start()
    after = ask_for_a_cup(user, "two")
    assert before.decision == "ask"
    prior = [next(each.prior for each in belief.candidates if each.action.argument("theme") == "red_cup") for belief in (before, after)]
    assert prior[1] > 1.5 * prior[0]
    MemoryFile(path).forget([1])  # by `sayso memory forget`, while the node runs
    answer(user, "never mind")
    forgotten = ask_for_a_cup(user, "three")
    assert next(each.prior for each in forgotten.candidates if each.action.argument("theme") == "red_cup") == pytest.approx(prior[0])


def test_a_locked_memory_is_a_warning_and_what_was_learnt_is_written_when_it_can_be(user: Peer, start: Start, path: Path) -> None:
    start()
    diagnosis = status(user)
    ask_for_a_cup(user, "one")
    answer(user, "the red one")
    user.until(lambda: written(path) == ["one"])
    user.until(lambda: (report := diagnosis()) and report.level == DiagnosticStatus.OK)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        ask_for_a_cup(user, "two")
        answer(user, "the red one")
        report = user.until(lambda: (report := diagnosis()) and report.level == DiagnosticStatus.WARN and report)
        assert "another process has locked it" in report.message
        assert "2 confirmed commands, 1 not written yet" in {each.key: each.value for each in report.values}["learnt"]
    user.until(lambda: written(path) == ["one", "two"])
    user.until(lambda: (report := diagnosis()) and report.level == DiagnosticStatus.OK)


def test_a_full_disk_is_a_warning_about_memory_and_agenda_until_there_is_room(user: Peer, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk") as disk, pytest.MonkeyPatch.context() as patch:
        patch.setattr(state_file, "RETRY_AFTER", 0.0)
        files = {name: disk.folder / f"{name}.sqlite" for name in ("memory", "agenda")}
        disk.fill()
        node = ActionSelectorNode(
            context=user.context, parameter_overrides=[Parameter(name, value=str(file)) for name, file in files.items()]
        )
        try:
            user.run(node)
            node.start()
            diagnosis = status(user)
            ask_for_a_cup(user, "one")
            answer(user, "the red one")
            node.keeper.agenda.stored.put(TASK)
            report = user.until(lambda: (report := diagnosis()) and "agenda" in report.message and report)
            assert report.level == DiagnosticStatus.WARN
            assert all(f"{file} cannot be written" in report.message for file in files.values())
            user.spin(1.5)
            assert diagnosis().message == report.message
            disk.empty()
            user.until(lambda: written(files["memory"]) == ["one"] and AgendaFile(files["agenda"]).read(HOME.name) == [TASK])
            user.until(lambda: diagnosis().level == DiagnosticStatus.OK)
        finally:
            node.close()


def test_a_damaged_memory_is_no_reason_not_to_start(user: Peer, start: Start, path: Path) -> None:
    path.write_bytes(b"not a database at all")
    start()
    diagnosis = status(user)
    report = user.until(lambda: (report := diagnosis()) and any(each.key == "damaged memory" for each in report.values) and report)
    aside = Path({each.key: each.value for each in report.values}["damaged memory"])
    assert aside.read_bytes() == b"not a database at all"
    assert ask_for_a_cup(user, "one").decision == "ask"
