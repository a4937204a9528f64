"""`sayso doctor` finds problems of an installation and says how to fix them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from sayso.console.doctor import check_models, doctor, examine
from sayso.errors import ModelError
from sayso.paths import config_dir, models_dir, project_root


@pytest.fixture
def app() -> Typer:
    app = Typer()
    app.command()(doctor)
    return app


@pytest.fixture
def copy_of_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for folder in (config_dir(), models_dir(), project_root() / "requirements"):
        shutil.copytree(folder, tmp_path / folder.name)
    monkeypatch.setenv("SAYSO_ROOT", str(tmp_path))
    return tmp_path


def test_a_sound_installation_has_no_error(app: Typer) -> None:
    result = CliRunner().invoke(app, ["--json"])
    findings = [json.loads(line) for line in result.output.splitlines()]
    assert [finding for finding in findings if finding["level"] == "error"] == []
    assert result.exit_code == 0
    assert {"python", "packages", "ros", "models", "rendering", "domain"} <= {finding["subject"] for finding in findings}


def test_every_problem_comes_with_a_remedy() -> None:
    for finding in examine():
        assert finding.level == "ok" or finding.remedy or ": " in finding.text


def test_an_altered_model_is_found(copy_of_the_project: Path) -> None:
    model = copy_of_the_project / "models" / "encoder.onnx"
    model.write_bytes(model.read_bytes()[:-1] + b"?")
    with pytest.raises(ModelError, match="SHA-256"):
        list(check_models())


def test_a_missing_model_does_not_hide_the_other_findings(copy_of_the_project: Path) -> None:
    (copy_of_the_project / "models" / "encoder.onnx").unlink()
    findings = {finding.subject: finding for finding in examine()}
    assert findings["models"].level == "error"
    assert "git checkout" in findings["models"].text
    assert findings["domain"].level == "ok"


def test_another_version_of_a_package_is_named(copy_of_the_project: Path) -> None:
    (copy_of_the_project / "requirements" / "base.txt").write_text(
        "numpy==9.9.9\nno-such-package==1.0\nof-another-python==2.0; python_version < '3'\n"
    )
    packages = next(finding for finding in examine() if finding.subject == "packages")
    assert packages.level == "warning"
    assert "pinned 9.9.9" in packages.text
    assert "no-such-package is missing" in packages.text
    assert "of-another-python" not in packages.text


def test_a_wrong_domain_file_is_named_with_its_line(app: Typer, tmp_path: Path) -> None:
    path = tmp_path / "home.yaml"
    path.write_text("name: x\nspeaker: nobody\n")
    result = CliRunner().invoke(app, ["--domain", str(path)])
    assert result.exit_code == 1
    assert "home.yaml:1" in result.output.replace("\n", "")


def test_a_skill_that_nobody_serves_is_named_with_a_remedy() -> None:
    found = [finding for finding in examine(project_root() / "examples" / "skills" / "home.yaml") if finding.subject == "skills"]
    assert [finding.level for finding in found] == ["warning"]
    assert found[0].text == "nobody serves the skills wave and vacuum: the robot declines what needs them"
    assert "action server skill/wave and skill/vacuum" in found[0].remedy


def test_the_skills_of_the_default_home_are_all_served() -> None:
    assert [(each.level, each.text) for each in examine() if each.subject == "skills"] == [
        ("ok", "28 skills of the home, all of them served")
    ]
