"""`sayso memory` shows what was learnt, writes it to a file, and erases it."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from click.testing import Result
from typer.testing import CliRunner

from sayso.console.memory import app
from sayso.errors import SaysoError
from sayso.planning.trial_file import TrialFile
from sayso.planning.trials import SkillTrial
from sayso.selection.memory.memory_file import ConfirmedAction, MemoryFile
from sayso.selection.memory.situation import Situation
from sayso.types import Action, SkillCall

BREAKFAST = Situation("kitchen", "morning", "operator", "nothing", "empty")
SUPPER = Situation("living_room", "evening", "anna", "find", "empty")
DAY = 86_400.0  # s


def bring(thing: str) -> Action:
    return Action("bring", (("recipient", "operator"), ("theme", thing)))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "memory.sqlite"
    monkeypatch.setenv("SAYSO_MEMORY", str(path))
    monkeypatch.setenv("COLUMNS", "200")
    return path


@pytest.fixture
def learnt(path: Path) -> Path:
    now = time.time()
    said = [(bring("red_cup"), BREAKFAST, 3.0)] * 4 + [(bring("blue_cup"), SUPPER, 2.0)] * 4 + [(Action("dock"), SUPPER, 0.0)]
    events = [
        ConfirmedAction(now - days * DAY, "home", f"u{n}", 0, action, "chosen", where) for n, (action, where, days) in enumerate(said)
    ]
    MemoryFile(path).write([*events, ConfirmedAction(now, "office", "o", 0, Action("dock"), "corrected", BREAKFAST)])
    return path


def sayso(*words: str, answer: str = "") -> Result:
    return CliRunner().invoke(app, list(words), input=answer)


def test_show_says_what_is_meant_where_and_what_that_does_to_the_prior(learnt: Path) -> None:
    lines = [line.split() for line in sayso("show").stdout.splitlines()]
    assert lines[0] == ["home", "action", "when", "times", "last", "prior"]
    assert ["home", "bring(recipient=operator,", "theme=blue_cup)", "always", "4"] in [line[:5] for line in lines]
    rows = json.loads(sayso("show", "--json").stdout)
    red = [row for row in rows if row["arguments"].get("theme") == "red_cup"]
    by_situation = {json.dumps(row["situation"]): row for row in red}
    always, morning = by_situation["{}"], by_situation['{"time": "morning"}']
    assert (always["times"], morning["times"]) == (4, 4)
    assert always["p_before"] == morning["p_before"] == pytest.approx(1 / 3, abs=1e-4)
    assert morning["p_after"] > 0.7 > always["p_after"] > 1 / 3
    assert not any(row["situation"].get("hand") for row in red)  # tells nothing, so it is not listed


def test_show_lists_each_command_with_its_number(learnt: Path) -> None:
    lines = sayso("show", "--events").stdout.splitlines()
    assert len(lines) == 11
    assert lines[1].split()[0] == "1"
    assert "bring(recipient=operator, theme=red_cup)" in lines[1]
    assert "kitchen, morning, operator, after nothing, hand empty" in lines[1]


def test_nothing_learnt_is_said(path: Path) -> None:
    assert sayso("show").stdout.startswith("nothing has been learnt yet")
    assert sayso("show", "--json").stdout == "[]\n"
    assert sayso("forget", "--all").stdout.startswith("no confirmed command matches")
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (("1", "3"), 8),
        (("--action", "bring"), 2),
        (("--action", "theme=red_cup"), 6),
        (("--person", "anna"), 5),
        (("--person", "operator"), 1),
        (("--home", "office"), 9),
        (("--since", "12h"), 8),
        (("--since", "60h", "--action", "bring"), 6),
        (("--since", "2020-01-01", "--home", "home"), 1),
        (("--all",), 0),
    ],
)
def test_forget_erases_what_is_meant_and_nothing_else(learnt: Path, words: tuple[str, ...], left: int) -> None:
    done = sayso("forget", *words, "--yes")
    assert done.exit_code == 0
    assert f"{10 - left} confirmed command" in done.stdout
    assert len(MemoryFile(learnt).read()) == left


def test_forget_asks_first(learnt: Path) -> None:
    refused = sayso("forget", "--person", "anna", answer="n\n")
    assert refused.exit_code == 1
    assert "Erase 5 confirmed commands for good?" in refused.stdout
    assert refused.stdout.count("living_room") == 5  # the room is in the text
    assert sayso("forget", "--person", "anna").exit_code == 1  # no answer on standard input
    assert len(MemoryFile(learnt).read()) == 10
    assert sayso("forget", "--person", "anna", answer="y\n").exit_code == 0
    assert len(MemoryFile(learnt).read()) == 5


@pytest.mark.parametrize("words", [(), ("--since", "yesterday"), ("--since", "99999999999w")])
def test_forget_says_what_it_needs_to_know(learnt: Path, words: tuple[str, ...]) -> None:
    assert sayso("forget", *words, "--yes").exit_code == 2
    assert len(MemoryFile(learnt).read()) == 10


def test_forget_all_erases_damaged_files_too(learnt: Path) -> None:
    aside = learnt.with_name("memory.sqlite.corrupt-20261121-083000")
    learnt.rename(aside)
    learnt.write_bytes(b"damaged, and it was private")
    for words in (("show",), ("forget", "--person", "anna", "-y"), ("export", "-")):
        error = sayso(*words).exception
        assert isinstance(error, SaysoError)
        assert "`sayso memory forget --all` erases it" in str(error)
    assert "2 damaged files" in sayso("forget", "--all", "--yes").stdout
    assert list(learnt.parent.iterdir()) == []


def test_export_can_be_read_without_sayso(learnt: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in sayso("export", "-").stdout.splitlines()]
    assert len(lines) == 10
    assert lines[0]["arguments"] == {"recipient": "operator", "theme": "red_cup"}
    assert lines[0]["situation"]["room"] == "kitchen"
    for name, read in (("habits.yaml", yaml.safe_load), ("habits.jsonl", lambda text: [json.loads(line) for line in text.splitlines()])):
        assert sayso("export", str(tmp_path / name)).exit_code == 0
        assert read((tmp_path / name).read_text()) == lines


def test_export_replaces_nothing_unasked(learnt: Path, tmp_path: Path) -> None:
    there = tmp_path / "habits.yaml"
    there.write_text("mine")
    assert "--force" in str(sayso("export", str(there)).exception)
    assert there.read_text() == "mine"
    assert sayso("export", str(there), "--force").exit_code == 0
    assert ".jsonl or .yaml" in str(sayso("export", str(tmp_path / "habits.docx")).exception)
    assert "cannot be written" in str(sayso("export", str(tmp_path / "no" / "folder.yaml")).exception)


def test_errors_say_what_to_do(learnt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no such file" in str(sayso("show", "--file", str(tmp_path / "other")).exception)
    with closing(sqlite3.connect(learnt)) as other:
        other.execute("PRAGMA user_version = 7")
    assert "update Sayso" in str(sayso("show").exception)
    monkeypatch.setenv("SAYSO_MEMORY", "")
    assert "name a file with --file" in str(sayso("show").exception)


@pytest.fixture
def tried(learnt: Path) -> Path:
    now = time.time()
    pick = SkillCall("pick", (("theme", "red_cup"),))
    trials = [SkillTrial("u", n, pick, "counter", 0.0, False, 9.0, "slipped", "home", now - 3 * DAY) for n in range(4)]
    give = SkillCall("hand_over", (("theme", "red_cup"), ("recipient", "anna")))
    TrialFile(learnt).write([*trials, SkillTrial("v", 9, give, "anna", 0.0, True, 6.0, "", "office", now)])
    return learnt


def test_show_sets_what_was_learnt_about_the_skills_beside_the_constants(tried: Path) -> None:
    shown = sayso("show")
    assert "pick" in shown.stdout
    assert "bring(recipient=operator, theme=red_cup)" in shown.stdout
    lines = [line.split() for line in sayso("show", "--skills").stdout.splitlines()]
    assert ["home", "pick", "red_cup", "counter", "4", "90%", "→", "39%", "6.0", "→", "7.7"] in lines
    (row,) = [row for row in json.loads(sayso("show", "--skills", "--json").stdout) if row["home"] == "home"]
    assert (row["skill"], row["trials"], row["succeeded"], row["success_before"]) == ("pick", 4, 0, 0.9)
    assert all("skill" not in row for row in json.loads(sayso("show", "--json").stdout))


def test_export_has_the_trials_too(tried: Path) -> None:
    rows = [json.loads(line) for line in sayso("export", "-").stdout.splitlines()]
    assert [row["skill"] for row in rows if "skill" in row] == ["pick"] * 4 + ["hand_over"]
    assert sum("action" in row for row in rows) == 10


@pytest.mark.parametrize(
    ("which", "left"),
    [
        (("--since", "1d"), 4),
        (("--home", "home"), 1),
        (("--person", "anna"), 4),
        (("--all",), 0),
        (("--action", "bring"), 5),
    ],
)
def test_forget_erases_the_trials_that_fit(tried: Path, which: tuple[str, ...], left: int) -> None:
    assert sayso("forget", *which, "--yes").exit_code == 0
    assert len(TrialFile(tried).read()) == left
    assert b"slipped" not in tried.read_bytes() or left >= 4
