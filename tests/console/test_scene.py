"""`sayso scene`: checks, draws and makes a scene from the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from drawing import picture_of
from sayso.console.scene import app
from sayso.errors import DomainError, SaysoError
from sayso.paths import config_dir
from sayso.scene import load_scene
from sayso.sim.simulation import Simulation

WAREHOUSE = config_dir() / "scenes" / "warehouse.yaml"


def run(*arguments: object) -> str:
    """What it says; errors for the user are raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_a_good_scene_is_said_to_be_fine_and_to_fit_its_domain() -> None:
    said = run("check", WAREHOUSE, "--domain", config_dir() / "warehouse.yaml")
    assert "warehouse is fine: 4 rooms, 7 walls, 13 furniture, 30 objects, 3 people" in said
    assert "warehouse.yaml agrees" in said


def test_a_bad_scene_is_refused_with_its_line(tmp_path: Path) -> None:
    text = WAREHOUSE.read_text(encoding="utf-8")
    text = re.sub(r"(\w+\.yaml)(?=[,\]])", lambda name: str(config_dir() / "scenes" / name.group()), text, count=4)
    (tmp_path / "mine.yaml").write_text(
        text.replace("workbench: {shape: table, at: [8.5, 4.9]", "workbench: {shape: table, at: [8.8, 4.9]")
    )
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "workbench: {shape" in line)
    with pytest.raises(DomainError, match=rf"mine.yaml:{line}: furniture.workbench.at: it stands in the wall .*20 cm deep"):
        run("check", tmp_path / "mine.yaml")


def test_a_scene_of_another_domain_is_refused_with_what_differs() -> None:
    line = next(n for n, row in enumerate(WAREHOUSE.read_text(encoding="utf-8").splitlines(), 1) if row.startswith("  loading_bay:"))
    with pytest.raises(DomainError, match=rf"warehouse.yaml:{line}: room 'loading_bay' is in the scene and not in the domain\n") as error:
        run("check", WAREHOUSE, "--domain", config_dir() / "home.yaml")
    assert len(error.value.findings) > 1


def test_a_scene_is_drawn_with_its_plan_and_what_is_seen_in_it(tmp_path: Path) -> None:
    simulation = Simulation(load_scene(WAREHOUSE))
    try:
        picture_of(simulation)
    finally:
        simulation.close()
    file = tmp_path / "warehouse.png"
    assert str(file) in run("show", WAREHOUSE, "--domain", config_dir() / "warehouse.yaml", "--out", file).replace("\n", "")
    with Image.open(file) as picture:
        assert picture.width > 2 * picture.height > 600
        assert len(picture.convert("RGB").getcolors(1_000_000) or []) > 500
    with pytest.raises(SaysoError, match=r"a picture's name ends in .png"):
        run("show", WAREHOUSE, "--out", tmp_path / "warehouse.txt")


def test_a_random_apartment_is_written_once_and_fits_its_own_domain(tmp_path: Path) -> None:
    out = tmp_path / "flat"
    said = run("random", "--seed", 7, "--out", out, "--keep", "vase")
    assert "living_room" in said
    assert "agrees" in run("check", out / "scene.yaml", "--domain", out / "domain.yaml")
    assert "vase" in load_scene(out / "scene.yaml").objects
    with pytest.raises(SaysoError, match="exists already: choose another folder"):
        run("random", "--seed", 8, "--out", out)


def test_a_wish_that_the_default_home_does_not_know_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SaysoError, match="no room, furniture or object 'helipad'"):
        run("random", "--seed", 7, "--out", tmp_path / "flat", "--keep", "helipad")
