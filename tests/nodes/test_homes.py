"""The home of the nodes: a home without a scene never gets the walls and things of another one."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")

from typer.testing import CliRunner

from sayso.errors import DomainError, RosError
from sayso.paths import config_dir
from sayso_nodes.graph import load_graph
from sayso_nodes.homes import check_home, load_home
from sayso_nodes.running.launch_arguments import plan
from sayso_nodes.running.processes import RunningGraph

FLAT = """\
include: [sayso:skills.yaml, sayso:intents.yaml]
name: flat
speaker: eve
places: {kitchen: {kind: room, pose: [0, 0, 0]}}
objects: {cup: {category: cup}}
people: {eve: {}}
"""


@pytest.fixture
def flat(tmp_path: Path) -> str:
    file = tmp_path / "flat.yaml"
    file.write_text(FLAT)
    return str(file)


def test_the_default_home_has_the_apartment() -> None:
    assert load_home("", "")[1].name == "apartment"


def test_a_home_that_includes_ours_has_our_scene(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("include: [sayso:home.yaml]\nname: mine\n")
    domain, scene = load_home(str(tmp_path / "mine.yaml"), "")
    assert (domain.name, scene.name) == ("mine", "apartment")


def test_a_home_without_a_scene_is_refused_by_a_node_that_needs_one(flat: str) -> None:
    with pytest.raises(DomainError, match=r"flat\.yaml: names no scene, so there are no walls .*: add `scene: FILE`"):
        load_home(flat, "")
    assert load_home(flat, str(config_dir() / "scenes" / "warehouse.yaml"))[1].name == "warehouse"


def test_a_home_without_a_scene_is_refused_before_anything_starts(flat: str) -> None:
    nodes = load_graph("sim").nodes
    refusal = r"flat\.yaml: names no scene, and .*simulation.* cannot work without one: add `scene: FILE` .*--without NODE"
    with pytest.raises(DomainError, match=refusal):
        check_home(nodes.values(), flat)
    with pytest.raises(RosError, match=refusal):
        plan("sim", {"domain": flat})
    with pytest.raises(DomainError, match=refusal), RunningGraph("sim", domain_file=flat):
        pass


def test_nodes_that_need_no_scene_start_without_one(flat: str) -> None:
    robot = plan("robot", {"domain": flat, "skill_server": "none", "without": "visualisation"})
    assert "planner" in [node.name for node in robot.nodes]
    check_home(robot.nodes, flat)


def test_up_refuses_a_home_without_a_scene_in_one_line(flat: str) -> None:
    import typer

    from sayso_nodes.commands.up import up

    app = typer.Typer()
    app.command()(up)
    result = CliRunner().invoke(app, ["--domain", flat])
    assert isinstance(result.exception, DomainError)
    assert "names no scene" in str(result.exception)
    assert "\n" not in str(result.exception)


def test_the_policies_of_a_home_without_a_scene_are_about_its_own_things(flat: str) -> None:
    from sayso_nodes.commands.security import _of_home

    assert _of_home(Path(flat))["object"] == ("cup",)
