"""`sayso train skills` learns from recorded runs, once from each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from recorded_run import at, encoded
from replay_bags import BEGAN, Message, context, save
from sayso.bags.reading import Bag
from sayso.bags.skill_runs import skill_runs
from sayso.domain import load_domain
from sayso.errors import SaysoError
from sayso.planning.trial_file import TrialFile
from sayso.training.commands import app

COUNTER = load_domain().places["counter"].pose
DRIVE, LOOK, PICK = (
    {"name": "navigate_to", "argument_names": ["goal"], "argument_values": ["counter"]},
    *({"name": name, "argument_names": ["theme"], "argument_values": ["red_cup"]} for name in ("look_for", "pick")),
)


def plan(time: float, done: list[dict[str, Any]], ahead: list[dict[str, Any]], status: str = "running", name: str = "u1") -> Message:
    kind = "sayso_msgs/msg/PlanState"
    fields = {"header": {"stamp": at(BEGAN + time)}, "utterance_id": name, "action": "bring", "status": status}
    return time, "/plan_state", kind, encoded(kind, {**fields, "done": done, "ahead": ahead})


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    """A drive of 12 s, a look of 8 s, a pick of 9 s that fails, a look, and a pick that is dropped."""
    there = context(11.0, x=COUNTER[0], y=COUNTER[1], place="counter")
    states = [
        plan(1.0, [], [DRIVE, LOOK, PICK]),
        plan(13.0, [DRIVE], [LOOK, PICK]),
        plan(21.0, [DRIVE, LOOK], [PICK]),
        plan(30.0, [DRIVE, LOOK], [LOOK, PICK]),
        plan(38.0, [DRIVE, LOOK, LOOK], [PICK]),
        plan(40.0, [DRIVE, LOOK, LOOK], [], "cancelled"),
        plan(50.0, [], [DRIVE], name="u2"),  # the recording ends here
    ]
    return save(tmp_path / "bag", [context(0.5, x=0.0, y=0.0, place="living_room"), there, *states])


def train(*words: object) -> Result:
    return CliRunner().invoke(app, ["skills", *map(str, words)])


def test_the_states_of_the_plan_tell_what_became_of_each_skill(bag: Path) -> None:
    with Bag(bag) as opened:
        runs = list(skill_runs(opened))
    told = [(run.outcome.call.name, run.outcome.succeeded, run.outcome.interrupted, round(run.outcome.seconds, 3)) for run in runs]
    assert told[:3] == [("navigate_to", True, False, 12.0), ("look_for", True, False, 8.0), ("pick", False, False, 9.0)]
    assert told[3:] == [("look_for", True, False, 8.0), ("pick", False, True, 2.0)]


def test_a_look_after_which_the_robot_asks_which_thing_is_meant_is_no_trial(tmp_path: Path) -> None:
    states = [plan(1.0, [], [LOOK, PICK]), plan(5.0, [], [LOOK, PICK], "asking"), plan(15.0, [], [LOOK, PICK]), plan(20.0, [LOOK], [PICK])]
    save(tmp_path / "bag", states)
    with Bag(tmp_path / "bag") as opened:
        told = [(run.outcome.call.name, run.outcome.succeeded, round(run.outcome.seconds, 3)) for run in skill_runs(opened)]
    assert told == [("look_for", True, 5.0)]


def test_a_recorded_run_teaches_once_by_place_and_distance(bag: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.sqlite"
    result = train(bag, "--memory", memory)
    assert result.exit_code == 0, result.output
    assert "4 trials in 1 recordings, 4 of them new" in result.stderr
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["skill", "with", "where", "n", "success", "seconds", "ends", "beside", "it"]
    assert ["pick", "red_cup", "counter", "1", "90%", "→", "68%", "6.0", "→", "6.8"] in lines
    drive = TrialFile(memory).read()[0]
    assert drive.metres == pytest.approx((COUNTER[0] ** 2 + COUNTER[1] ** 2) ** 0.5)
    assert drive.ended == COUNTER[:2]
    assert (drive.place, drive.seconds, drive.time) == ("counter", pytest.approx(12.0), BEGAN + 1.0)
    assert "0 of them new" in train(bag, "--memory", memory).stderr
    assert len(TrialFile(memory).read()) == 4


def test_a_dry_run_writes_nothing(bag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYSO_MEMORY", str(tmp_path / "memory.sqlite"))
    assert "pick" in train(bag, "--dry-run").stdout
    assert not (tmp_path / "memory.sqlite").exists()


def test_without_a_file_to_remember_in_it_says_what_to_do(bag: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYSO_MEMORY", "")
    refused = train(bag).exception
    assert isinstance(refused, SaysoError)
    assert "--memory" in str(refused)
