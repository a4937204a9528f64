"""Commands of the competition's grammars: made for the home, set up in its world, and judged by what happened."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from drawing import picture_of
from sayso.cli import main
from sayso.console.bench import load_benchmark
from sayso.domain import Domain, load_domain
from sayso.paths import project_root
from sayso.scene import load_scene
from sayso.scene.scene import Scene
from sayso.sim.simulation import Simulation

BENCHMARK = load_benchmark(project_root() / "benchmarks" / "gpsr.py")


@pytest.fixture(scope="module")
def home() -> tuple[Domain, Scene]:
    return load_domain(), load_scene()


def test_commands_speak_of_what_the_home_has(home: tuple[Domain, Scene]) -> None:
    made = BENCHMARK.commands(*home, 3, 60)
    assert len(made) == 60
    assert len({command.form for command in made}) > 25  # of all forms alike
    for command in made:
        assert set(command.world) <= set(home[1].objects)
        assert all(home[0].places[place].surface for place in command.world.values())
    assert made == BENCHMARK.commands(*home, 3, 60)


def test_a_quick_run_has_a_row_for_each_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(load_scene())
    try:
        picture_of(simulation)
    finally:
        simulation.close()
    file = tmp_path / "gpsr.json"
    monkeypatch.setattr(sys, "argv", ["sayso", "bench", "gpsr", "--quick", "--set", "text", "--json", str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    rows = {row["measure"]: row for row in json.loads(file.read_text())["rows"]}
    assert rows["commands done, from text"]["n"] == 3
    shares = [rows[f"{name}, from text"]["value"] for name in (
        "commands done", "not started: asked or declined", "started, and said to have failed", "said to be done, and not done",
    )]  # fmt: skip
    assert sum(shares) == pytest.approx(100.0)
