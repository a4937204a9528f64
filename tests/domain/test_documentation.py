"""The examples of docs/domain-file.md and docs/scenes.md work as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
import yaml

from sayso.console import new, scene
from sayso.console.ask import ask
from sayso.console.check import check
from sayso.domain import load_domain
from sayso.domain.literals import GIVEN
from sayso.domain.sentences import SLOTS
from sayso.domain.vocabulary import parse_literal
from sayso.errors import DomainError
from sayso.scene import load_scene
from sayso_nodes.commands.up import up

DOCS = Path(__file__).resolve().parents[2] / "docs"
DOMAIN_PAGE = (DOCS / "domain-file.md").read_text(encoding="utf-8")
SCENE_PAGE = (DOCS / "scenes.md").read_text(encoding="utf-8")
HOME, *ADDITIONS = re.findall(r"```yaml\n(.*?)```", DOMAIN_PAGE, re.DOTALL)


def test_the_example_home_loads_alone_and_with_each_addition(tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    for addition in ("", *ADDITIONS):
        file.write_text(HOME + addition, encoding="utf-8")
        assert load_domain(file).name == "flat"


def test_the_mistakes_are_those_that_the_page_shows(tmp_path: Path) -> None:
    wrong = HOME.replace("kitchen: {kind: room, pose", "kitchen: {kind: room, posse").replace("table: 3", "tabel: 3")
    (tmp_path / "my_home.yaml").write_text(wrong.replace("usual: {table: 1}", "usual: {table: -1}"), encoding="utf-8")
    with pytest.raises(DomainError) as error:
        load_domain(tmp_path / "my_home.yaml")
    shown = re.findall(r"^my_home\.yaml:.*$", DOMAIN_PAGE, re.MULTILINE)
    assert [finding.replace(f"{tmp_path}/", "") for finding in error.value.findings] == shown


def test_the_example_scene_loads_and_its_things_are_those_of_the_example_home(tmp_path: Path) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", SCENE_PAGE, re.DOTALL)
    (tmp_path / "scene.yaml").write_text(block, encoding="utf-8")
    world, home = load_scene(tmp_path / "scene.yaml"), yaml.safe_load(HOME)
    assert set(world.objects) == set(home["objects"])
    assert set(world.people) == set(home["people"])


def test_the_table_of_predicates_is_that_of_the_shipped_skills() -> None:
    effects = {parse_literal(effect)[0] for skill in load_domain().skills.values() for effect in skill.effects}
    rows = re.findall(r"^\| (`[a-z_]+\(.*?) \|", DOMAIN_PAGE, re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([a-z_]+)\(", row)]
    assert sorted(named) == sorted(effects | set(GIVEN))
    assert set(named[:4]) == set(GIVEN)


def test_the_page_names_every_placeholder() -> None:
    assert all(f"`{{{slot}}}`" in DOMAIN_PAGE for slot in SLOTS)


@pytest.mark.parametrize("page", [DOMAIN_PAGE, SCENE_PAGE], ids=["domain-file", "scenes"])
def test_the_commands_of_the_page_exist_with_these_options(page: str) -> None:
    app = typer.Typer()
    for name, command in (("ask", ask), ("check", check), ("up", up)):
        app.command(name)(command)
    for name, group in (("new", new.app), ("scene", scene.app)):
        app.add_typer(group, name=name)
    for line in re.findall(r"^sayso .*$", page, re.MULTILINE):
        found, words = typer.main.get_command(app), line.split("#")[0].split()[1:]
        while commands := getattr(found, "commands", None):
            found = commands[words.pop(0)]
        known = {option for parameter in found.params for option in parameter.opts}
        assert {word for word in words if word.startswith("-")} <= known, line
