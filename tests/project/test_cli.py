"""The command line is quick, accepts subcommands of other packages, and reports errors that the user can fix in one line."""

from __future__ import annotations

import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

from patience import PATIENCE
from sayso import cli
from sayso.extras import EXTRAS, absent, remedy
from sayso.subcommands import COMMANDS, load

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"mujoco", "numpy", "onnxruntime", "pydantic", "rclpy", "rosbags", "torch", "yaml"}
RUN = "import sys; sys.argv = ['sayso', *sys.argv[1:]]; from sayso.cli import main; main()"


def run(*arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "COLUMNS": "160", "PYTHONPATH": str(path or "")}
    return subprocess.run([sys.executable, "-c", RUN, *arguments], env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)


def imported(code: str) -> set[str]:
    """The modules that the code imports."""
    program = f"import sys, contextlib, io\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=True)
    return set(done.stdout.split())


def test_importing_sayso_imports_nothing_heavy() -> None:
    assert not imported("import sayso") & {*HEAVY, "typer", "rich"}


def test_the_help_imports_no_subcommand() -> None:
    code = "sys.argv = ['sayso', '--help']\nfrom sayso.cli import main\nwith contextlib.redirect_stdout(io.StringIO()):\n"
    modules = imported(f"{code}    try: main()\n    except SystemExit: pass")
    assert {name for name in modules if name.startswith("sayso")} <= {
        "sayso",
        "sayso.cli",
        "sayso.errors",
        "sayso.subcommands",
        "sayso_nodes",
    }
    assert not modules & HEAVY


def test_stopping_imports_ros_and_little_of_ours() -> None:
    pytest.importorskip("rclpy", reason="ROS 2 is not installed")
    bare = imported("import rclpy.executors\nfrom std_srvs.srv import Trigger")
    modules = imported("import sayso.cli, sayso_nodes.caller\nfrom std_srvs.srv import Trigger") - bare
    ours = {name for name in modules if name.startswith("sayso")}
    assert ours <= {"sayso", "sayso.cli", "sayso.errors", "sayso_nodes", "sayso_nodes.caller", "sayso_nodes.environment"}
    assert not modules & {"typer", "rich", "pydantic", "rosbags", "onnxruntime"}


def test_the_help_lists_every_subcommand_with_its_summary() -> None:
    text = " ".join(run("--help").stdout.replace("│", " ").split())
    for name, listed in COMMANDS.items():
        assert f"{name} {listed.summary.replace('`', '')}" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_a_summary_is_the_first_paragraph_of_the_subcommands_help(name: str) -> None:
    first = inspect.cleandoc(load(name).help or "").split("\n\n")[0]
    assert " ".join(first.split()) == COMMANDS[name].summary


def test_an_unknown_name_gets_a_suggestion() -> None:
    done = run("repaly")
    assert done.returncode == 2
    assert "Did you mean 'replay'?" in done.stderr


def test_another_package_adds_a_subcommand(tmp_path: Path) -> None:
    (tmp_path / "greeting.py").write_text('def greet() -> None:\n    """Greet."""\n    print("hello")\n')
    info = tmp_path / "greeting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sayso.commands]\ngreet = greeting:greet\nstop = greeting:greet\n")
    assert "From the package greeting." in run("--help", path=tmp_path).stdout
    assert run("greet", path=tmp_path).stdout == "hello\n"
    assert COMMANDS["stop"].summary[:20] in run("--help", path=tmp_path).stdout  # ours are not replaced


def test_a_missing_module_is_one_line_that_names_the_extra_and_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "_run", lambda _: importlib.import_module("mujoco.viewer_of_tomorrow"))
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    line = capsys.readouterr().err
    assert line.startswith("sayso: this needs the extra 'sim' (the embedded simulation): make setup (No module named")
    assert line.count("\n") == 1


def test_a_missing_module_of_no_extra_is_a_bug() -> None:
    assert remedy(ModuleNotFoundError("No module named 'jsonn'", name="jsonn")) is None
    assert remedy(ImportError("cannot import name 'x'")) is None


def test_an_unwritable_folder_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(_: list[str]) -> None:
        raise PermissionError(13, "Permission denied", "/some/where")

    monkeypatch.setattr(cli, "_run", refused)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    assert capsys.readouterr().err == "sayso: /some/where cannot be written: Permission denied\n"


def test_the_extras_are_those_of_pyproject() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert {*EXTRAS, "stop"} == set(declared)


@pytest.mark.parametrize("extra", [extra for extra in EXTRAS if EXTRAS[extra].target != "setup-all"])
def test_the_set_up_for_development_installs_the_modules_of_its_extras(extra: str) -> None:
    assert absent(extra) == []


@pytest.mark.long("needs the packages for training")
def test_the_whole_set_up_installs_the_modules_of_all_extras() -> None:
    assert [module for extra in EXTRAS for module in absent(extra)] == []


def test_the_supported_pythons_are_the_same_everywhere() -> None:
    specification = importlib.util.spec_from_file_location("machine_of_scripts", ROOT / "scripts/machine.py")
    assert specification is not None
    assert specification.loader is not None
    machine = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = machine
    specification.loader.exec_module(machine)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = {text.rpartition(" ")[2] for text in project["classifiers"] if "Python :: 3." in text}
    assert listed == {f"{major}.{minor}" for major, minor in machine.SUPPORTED}
    assert project["requires-python"] == ">=3.10,<3.14"
