"""What README, docs/ and examples/ tell a person to type leads to the decision that documented_commands.yaml states for it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sayso import Sayso
from sayso.console.new import home as write_starter
from sayso.paths import project_root
from sayso.pipeline import Understanding
from sayso.planning import Planner, Task
from sayso.types import Action
from sayso.yaml_source import read_plain

ROOT = project_root()
ROWS: list[dict[str, Any]] = read_plain(Path(__file__).with_name("documented_commands.yaml"))
DEFAULT, STARTER = "config/home.yaml", "starter"
# `sayso ask --domain FILE "…"`; a remark behind it may name further sentences: # or "follow me", "…"
COMMAND = re.compile(r"sayso (?:ask|say|plan)\b(?P<options>[^\"`#|]*)\"(?P<said>[^\"]+)\"(?P<rest>[^`|]*)")
FURTHER = re.compile(r"# or (.*)")
QUOTED = re.compile(r"\"([^\"]+)\"")
DOMAIN = re.compile(r"--domain (\S+)")


def home_of(options: str, page: Path) -> str:
    """The domain file of a command; the page of an example whose nodes run in a home of its own speaks of that home."""
    named = DOMAIN.search(options)
    if named:
        return STARTER if named[1] == "my_home.yaml" else named[1]
    beside = DOMAIN.search(page.read_text(encoding="utf-8"))
    return beside[1] if "examples" in page.parts and beside else DEFAULT


def documented() -> set[tuple[str, str]]:
    """Home and sentence of every command of the pages. Descriptions in a picture (`--image`) are of a picture that the reader has."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md"), *(ROOT / "examples").rglob("*.yaml")]
    found = set()
    for page in pages:
        for command in filter(None, map(COMMAND.search, page.read_text(encoding="utf-8").splitlines())):
            if "--image" in command["options"]:
                continue
            home = home_of(command["options"] + command["rest"], page)
            further = FURTHER.search(command["rest"])
            found |= {(home, said) for said in (command["said"], *(QUOTED.findall(further[1]) if further else ()))}
    return found


def test_every_command_of_the_pages_has_its_expected_decision() -> None:
    rows = {(row.get("home", DEFAULT), row["say"]) for row in ROWS}
    assert len(documented()) > 20
    assert not documented() - rows


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("home") / "my_home.yaml"
    write_starter(file)
    return file


@cache
def loaded(file: Path) -> Sayso:
    return Sayso.load(file)


def understood(row: dict[str, Any], robot: Sayso) -> Understanding:
    context = robot.context(**row.get("context", {}))
    if "after" not in row:
        return robot.understand(row["say"], context)
    answered = robot.answer(robot.understand(row["after"], context), row["say"], context)
    assert answered is not None, "it is no answer"
    return answered


def action_of(text: str) -> Action:
    name, arguments = text.rstrip(")").split("(", 1)
    return Action(name, tuple(tuple(pair.split("=", 1)) for pair in arguments.split(", ") if pair))  # type: ignore[arg-type, misc]


def is_at_least(action: Action, wanted: Action) -> bool:
    return action.name == wanted.name and set(wanted.arguments) <= set(action.arguments)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, marks=pytest.mark.xfail(strict=True, raises=AssertionError, reason=row["fails"]) if "fails" in row else ())
        for row in ROWS
    ],
    ids=[f"{row['say']} ({'starter' if row.get('home') == STARTER else Path(row.get('home', DEFAULT)).stem})" for row in ROWS],
)
def test_a_documented_command_leads_to_its_decision(row: dict[str, Any], starter: Path) -> None:
    home = row.get("home", DEFAULT)
    robot = loaded(starter if home == STARTER else ROOT / home)
    result = understood(row, robot)
    told = " ".join((result.question, result.reason, result.plan_reason, *result.action_belief.notes))
    wanted = row["decision"]
    assert result.decision in ([wanted] if isinstance(wanted, str) else wanted), f"{row['means']}; it says: {told}"
    if "actions" in row:
        actions = [action_of(text) for text in row["actions"]]
        assert len(result.actions) == len(actions), result.actions
        assert all(any(is_at_least(action, each) for action in result.actions) for each in actions), result.actions
    if "roles" in row:
        assert row["roles"].items() <= {role.name: role.text for role in result.clauses[0].roles}.items()
    if "lacks" in row:
        planner = Planner(robot.domain, served=robot.domain.skills.keys() - set(row["lacks"]))
        told = Task.start(planner, result.actions, robot.default_context()).reason
    assert [words for words in row.get("says", ()) if words.lower() not in told.lower()] == [], told
    assert [words for words in row.get("then", ()) if words not in result.action_belief.then] == [], result.action_belief.then
    if "context" not in row and row["decision"] == "execute":
        assert result.plan is not None, result.plan_reason
        assert result.plan.ahead, result.plan_reason
