"""Set-up checks the machine first, and repeats only steps whose inputs changed."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import zipfile
from importlib.metadata import requires
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    for name in ("ROS", "ROS_DISTRO", "PYTHON"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return _load("machine")


@pytest.fixture
def setup(machine: ModuleType) -> ModuleType:
    return _load("setup")


def _load(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"scripts_{name}", ROOT / "scripts" / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_wheels_are_chosen_if_no_ros_is_sourced(machine: ModuleType) -> None:
    ros, why = machine.choose_ros()
    assert ros == "wheels"
    assert "no ROS is sourced" in why


def test_an_older_sourced_ros_is_not_used(machine: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DISTRO", "humble")
    ros, why = machine.choose_ros()
    assert ros == "wheels"
    assert "humble" in why


def test_a_sourced_jazzy_is_used(machine: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program(tmp_path, "colcon", "exit 0")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    assert machine.choose_ros()[0] == "system"
    monkeypatch.setenv("ROS", "wheels")
    assert machine.choose_ros()[0] == "wheels"


@pytest.mark.parametrize(("value", "says"), [("debian", "use ROS=wheels or ROS=system"), ("system", "source /opt/ros/jazzy/setup.bash")])
def test_an_impossible_choice_of_ros_is_refused_with_the_remedy(
    machine: ModuleType, monkeypatch: pytest.MonkeyPatch, value: str, says: str
) -> None:
    monkeypatch.setenv("ROS", value)
    with pytest.raises(machine.SetupError, match=says):
        machine.choose_ros()


@pytest.mark.parametrize("version", ["3.9.2", "3.14.0", "2.7.18"])
def test_an_unsupported_python_is_refused_with_the_remedy(
    machine: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    monkeypatch.setenv("PYTHON", str(program(tmp_path, "python", f"echo {version}")))
    with pytest.raises(machine.SetupError, match=rf"{version}.*python3-venv"):
        machine.choose_python("wheels")


def test_a_python_without_venv_is_recognised(machine: ModuleType, tmp_path: Path) -> None:
    python = program(tmp_path, "python", "exit 1")
    with pytest.raises(machine.SetupError, match="apt install python3-venv"):
        machine.check(str(python), "wheels", tmp_path, 0.0)


def test_a_missing_compiler_is_recognised(machine: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(machine.SetupError, match="build-essential"):
        machine.check(sys.executable, "wheels", tmp_path, 0.0)


def test_a_full_disk_is_recognised(machine: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(machine.SetupError, match="GB are needed"):
        machine.check(sys.executable, "wheels", tmp_path, 1e9)


def test_a_failed_step_says_why_and_is_repeated(setup: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(setup, "STAMPS", tmp_path)
    failing = setup.SetupStep("one", "one", ("a",), lambda: setup._run(["sh", "-c", "echo No space left on device; exit 1"], "the step"))
    with pytest.raises(Exception, match="disk is full"):
        failing.run()
    assert not failing.up_to_date()


def test_a_step_is_repeated_only_if_its_inputs_change(setup: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(setup, "STAMPS", tmp_path)
    step = setup.SetupStep("one", "one", ("a",), lambda: None)
    assert not step.up_to_date()
    step.stamp()
    assert step.up_to_date()
    assert not setup.SetupStep("one", "one", ("b",), lambda: None).up_to_date()


@pytest.mark.parametrize("ros", ["wheels", "system"])
def test_whatever_comes_from_an_index_has_hashes_except_pytorch(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ros: str
) -> None:
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(setup, "VENV", tmp_path)
    monkeypatch.setattr(setup, "pip", lambda *arguments: calls.append(arguments))
    monkeypatch.setattr(setup, "_run", lambda command, what: None)
    monkeypatch.setattr(setup, "make_venv", lambda python, ros: None)
    for step in setup.plan(sys.executable, ros, setup.wanted(everything=True)):
        step.run()
    hashed = [Path(call[-1]).stem for call in calls if {"--require-hashes", "--no-build-isolation"} <= set(call)]
    assert hashed == ["build", "base", *(["ros"] if ros == "wheels" else []), "nodeps", "fleet", "dev", "train", "train-nodeps"]
    others = [call for call in calls if "--require-hashes" not in call]
    ours = [call for call in others if {"--no-deps", "--no-build-isolation"} <= set(call) and Path(call[-1]).is_dir()]
    (torch,) = (call for call in others if call not in ours)
    assert str(ROOT / "requirements/torch.txt") in torch


def test_the_gate_installs_neither_pytorch_nor_what_only_training_needs(setup: ModuleType) -> None:
    def steps(**kinds: bool) -> list[str]:
        return [step.name for step in setup.plan(sys.executable, "wheels", setup.wanted(**kinds))]

    robot = ["venv", "build", "base", "ros", "nodeps", "msgs", "sayso"]
    assert steps() == robot
    assert steps(fleet=True) == [*robot, "fleet"]
    assert steps(dev=True) == [*robot, "fleet", "dev"]
    assert steps(everything=True) == [*robot, "fleet", "dev", "train", "train-nodeps", "torch"]


def test_ros_from_apt_keeps_the_systems_numpy_and_cmake(setup: ModuleType) -> None:
    for name in ("build", "base", "dev"):
        entries = re.split(r"^(?=\S)", setup.locked(name, "wheels"), flags=re.MULTILINE)
        kept = [entry for entry in entries if entry.partition("==")[0] not in ("numpy", "cmake", "ninja")]
        assert len(entries) - len(kept) == (2 if name == "build" else 1)
        assert setup.locked(name, "system") == "".join(kept)


@pytest.mark.parametrize("installer", ["uv", "pip"])
def test_a_package_that_differs_from_the_locked_one_is_refused(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, installer: str
) -> None:
    wheel = tiny_wheel(tmp_path / "index")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin", "python", f'exec {sys.executable} "$@"')
    if installer == "uv":
        program(tmp_path / "bin", "uv", f'exec {Path(sys.executable).with_name("uv")} "$@"')
    monkeypatch.setattr(setup, "VENV", tmp_path)
    monkeypatch.setattr(setup, "locked", lambda name, ros: f"{name}==1.0 --hash=sha256:{digest}\n")

    def install() -> None:
        setup.install_locked("tiny", "wheels", "--no-index", "--find-links", str(wheel.parent), "--target", str(tmp_path / "site"))

    wheel.write_bytes(wheel.read_bytes() + b"!")
    with pytest.raises(Exception, match="differs from the one that was tested"):
        install()
    assert not (tmp_path / "site/tiny.py").exists()
    tiny_wheel(tmp_path / "index")
    if installer == "uv":
        monkeypatch.setattr(setup, "pip", lambda *_: pytest.fail("uv has not installed it"))
    install()
    assert (tmp_path / "site/tiny.py").exists()


def test_uv_asks_the_indexes_of_pips_configuration(setup: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin", "python", f'exec {sys.executable} "$@"')
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://packages.example/simple\nextra-index-url = https://more.example/simple\n"
    )
    monkeypatch.setattr(setup, "VENV", tmp_path)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    settings = setup.pip_settings()
    assert settings["UV_DEFAULT_INDEX"] == "https://packages.example/simple"
    assert settings["UV_INDEX"] == "https://more.example/simple"


def tiny_wheel(folder: Path) -> Path:
    """A wheel with one module, always the same bytes."""
    folder.mkdir(exist_ok=True)
    path = folder / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in (
            ("tiny.py", ""),
            ("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"),
            ("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
            (
                "tiny-1.0.dist-info/RECORD",
                "tiny.py,,\ntiny-1.0.dist-info/METADATA,,\ntiny-1.0.dist-info/WHEEL,,\ntiny-1.0.dist-info/RECORD,,\n",
            ),
        ):
            wheel.writestr(zipfile.ZipInfo(name), text)
    return path


def test_the_wheel_accepts_the_pinned_versions() -> None:
    lines = (ROOT / "requirements/locked/base.txt").read_text().splitlines()
    pins = [Requirement(line.rstrip("\\")) for line in lines if "==" in line]
    pinned = {canonicalize_name(pin.name): pin.specifier for pin in pins if pin.marker is None or pin.marker.evaluate()}
    wanted = [Requirement(text) for text in requires("sayso") or ()]
    base = [each for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]
    assert {"numpy", "rosbags", "typer"} <= {each.name for each in base}
    for each in base:
        (pin,) = pinned[canonicalize_name(each.name)]
        assert each.specifier.contains(pin.version), f"{each} and {pin}"


def test_bin_sayso_asks_for_the_set_up(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "sayso"
    script.write_bytes((ROOT / "bin" / "sayso").read_bytes())
    run = subprocess.run(["sh", str(script), "ask", "hello"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "make setup" in run.stderr
